package io.numaledger.agent.config;

import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.kubelet.Configz;
import io.numaledger.agent.kubelet.KubeletAddress;
import io.numaledger.agent.kubelet.KubeletConfigFile;
import io.numaledger.agent.kubelet.KubeletConfiguration;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.nrt.KubeletSettings;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The kubelet's configuration from a file and from flags. Flags take precedence. */
public final class KubeletOptions {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--kubelet-config",
            paramLabel = "FILE",
            description = "the kubelet's configuration file; missing fields have the kubelet's defaults")
    private Optional<Path> file = Optional.empty();

    private Optional<TopologyPolicyName> policy = Optional.empty();
    private Optional<TopologyScope> scope = Optional.empty();
    private Optional<CpuPolicy> cpuPolicy = Optional.empty();
    private Optional<MemoryPolicy> memoryPolicy = Optional.empty();

    @Option(
            names = "--topology-manager-policy",
            paramLabel = "POLICY",
            description = "none, best-effort, restricted or single-numa-node")
    void policy(String value) {
        policy = Optional.of(
                checked("--topology-manager-policy", value, TopologyPolicyName::find, TopologyPolicyName.values()));
    }

    @Option(names = "--topology-manager-scope", paramLabel = "SCOPE", description = "container or pod")
    void scope(String value) {
        scope = Optional.of(checked("--topology-manager-scope", value, TopologyScope::find, TopologyScope.values()));
    }

    @Option(names = "--cpu-manager-policy", paramLabel = "POLICY", description = "none or static")
    void cpuPolicy(String value) {
        cpuPolicy = Optional.of(checked("--cpu-manager-policy", value, CpuPolicy::find, CpuPolicy.values()));
    }

    @Option(names = "--memory-manager-policy", paramLabel = "POLICY", description = "None or Static")
    void memoryPolicy(String value) {
        memoryPolicy =
                Optional.of(checked("--memory-manager-policy", value, MemoryPolicy::find, MemoryPolicy.values()));
    }

    private <E> E checked(String flag, String value, Function<String, Optional<E>> find, E[] allowed) {
        return find.apply(value)
                .orElseThrow(() -> new ParameterException(
                        command.commandLine(),
                        "%s is '%s'; expected %s"
                                .formatted(
                                        flag,
                                        value,
                                        Stream.of(allowed).map(String::valueOf).collect(Collectors.joining(", ")))));
    }

    @Option(
            names = "--kubelet-address",
            paramLabel = "HOST[:PORT]",
            description =
                    "address of this node's kubelet, for /configz (default: the Node's InternalIP and kubelet port)")
    void address(String value) {
        try {
            address = Optional.of(KubeletAddress.parse(value));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), "--kubelet-address: " + e.getMessage(), e);
        }
    }

    private Optional<KubeletAddress> address = Optional.empty();

    @Option(
            names = "--kubelet-ca",
            paramLabel = "FILE",
            description = "CA bundle for the kubelet's certificate, PEM (default: the cluster's CA)")
    private Optional<Path> ca = Optional.empty();

    @Option(
            names = "--kubelet-insecure-tls",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "true|false",
            description = "do not verify the kubelet's certificate; it gets the agent's token")
    private boolean insecure;

    @Option(
            names = "--kubelet-configz",
            arity = "0..1",
            defaultValue = "true",
            fallbackValue = "true",
            paramLabel = "true|false",
            description =
                    "read the kubelet's configuration from /configz if neither file nor flags provide it (default: true)")
    private boolean ask;

    /**
     * What file and flags say together.
     *
     * @throws IOException if the file cannot be read; the message names it
     */
    public KubeletSettings settings() throws IOException {
        return flags().over(fromFile().orElse(KubeletSettings.UNKNOWN));
    }

    /**
     * What file and flags say together, then what the kubelet's /configz says.
     *
     * @throws IOException if the file cannot be read; the message names it
     */
    public KubeletConfiguration configuration(ApiServer api, String node, InstantSource clock) throws IOException {
        Configz kubelet = configz(api, node);
        return new KubeletConfiguration(
                flags(),
                file.map(path -> () -> KubeletConfigFile.read(path)),
                ask ? Optional.of(kubelet::read) : Optional.empty(),
                clock);
    }

    /** The kubelet's configuration file. */
    public Optional<Path> file() {
        return file;
    }

    /** The client of the kubelet's /configz. */
    public Configz configz(ApiServer api, String node) {
        return new Configz(api, node, new Configz.Access(address, ca, insecure));
    }

    private Optional<KubeletSettings> fromFile() throws IOException {
        return file.isPresent() ? Optional.of(KubeletConfigFile.read(file.get())) : Optional.empty();
    }

    private KubeletSettings flags() {
        return new KubeletSettings(policy, scope, new TreeMap<>(), cpuPolicy, new TreeMap<>(), memoryPolicy);
    }
}

package io.numaledger.agent.config;

import io.numaledger.nrt.KubeletSettings;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Where the kubelet's configuration is known from: a file, and flags, which win. */
public final class KubeletOptions {

    static final List<String> TOPOLOGY_POLICIES = List.of("none", "best-effort", "restricted", "single-numa-node");
    static final List<String> SCOPES = List.of("container", "pod");
    static final List<String> CPU_POLICIES = List.of("none", "static");
    static final List<String> MEMORY_POLICIES = List.of("None", "Static");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--kubelet-config",
            paramLabel = "FILE",
            description = "the kubelet's configuration file; what it leaves out has the kubelet's default")
    private Optional<Path> file = Optional.empty();

    private Optional<String> policy = Optional.empty();
    private Optional<String> scope = Optional.empty();
    private Optional<String> cpuPolicy = Optional.empty();
    private Optional<String> memoryPolicy = Optional.empty();

    @Option(
            names = "--topology-manager-policy",
            paramLabel = "POLICY",
            description = "none, best-effort, restricted or single-numa-node")
    void policy(String value) {
        policy = checked("--topology-manager-policy", value, TOPOLOGY_POLICIES);
    }

    @Option(names = "--topology-manager-scope", paramLabel = "SCOPE", description = "container or pod")
    void scope(String value) {
        scope = checked("--topology-manager-scope", value, SCOPES);
    }

    @Option(names = "--cpu-manager-policy", paramLabel = "POLICY", description = "none or static")
    void cpuPolicy(String value) {
        cpuPolicy = checked("--cpu-manager-policy", value, CPU_POLICIES);
    }

    @Option(names = "--memory-manager-policy", paramLabel = "POLICY", description = "None or Static")
    void memoryPolicy(String value) {
        memoryPolicy = checked("--memory-manager-policy", value, MEMORY_POLICIES);
    }

    private Optional<String> checked(String flag, String value, List<String> allowed) {
        if (!allowed.contains(value)) {
            throw new ParameterException(
                    command.commandLine(),
                    "%s is '%s'; expected %s".formatted(flag, value, String.join(", ", allowed)));
        }
        return Optional.of(value);
    }

    /**
     * What file and flags say together.
     *
     * @throws IOException if the file cannot be read; the message names it
     */
    public KubeletSettings settings() throws IOException {
        KubeletSettings known = file.isPresent() ? KubeletConfigFile.read(file.get()) : KubeletSettings.UNKNOWN;
        return new KubeletSettings(
                policy.or(known::topologyManagerPolicy),
                scope.or(known::topologyManagerScope),
                known.topologyManagerPolicyOptions(),
                cpuPolicy.or(known::cpuManagerPolicy),
                known.cpuManagerPolicyOptions(),
                memoryPolicy.or(known::memoryManagerPolicy),
                known.featureGates());
    }
}

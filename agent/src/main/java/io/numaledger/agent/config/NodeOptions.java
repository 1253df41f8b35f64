package io.numaledger.agent.config;

import io.numaledger.agent.api.RequestBudget;
import io.numaledger.agent.statefiles.KubeletStateFiles;
import io.numaledger.agent.sysfs.CoreKinds;
import io.numaledger.agent.sysfs.NodeProbe;
import io.numaledger.agent.sysfs.ProbeResult;
import io.numaledger.agent.sysfs.SysfsOptions;
import io.numaledger.agent.sysfs.SysfsProbe;
import io.numaledger.podresources.PodResourcesClient;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Flags that every reconciliation of this node needs. */
public final class NodeOptions {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(names = "--node-name", paramLabel = "NAME", description = "this node's name (default: NODE_NAME)")
    private String nodeName = "";

    @Option(
            names = "--podresources-socket",
            paramLabel = "PATH",
            description = "the kubelet's podresources socket (default: ${DEFAULT-VALUE})",
            defaultValue = "/var/lib/kubelet/pod-resources/kubelet.sock")
    private String socket;

    @Option(
            names = "--kubelet-state-dir",
            paramLabel = "DIR",
            description =
                    "the kubelet's root directory, usually /var/lib/kubelet: its state files contain what init containers "
                            + "keep (default: not read)")
    private Optional<Path> stateDirectory = Optional.empty();

    @Option(
            names = "--device-plugins-dir",
            paramLabel = "DIR",
            description = "the kubelet's directory of device plugins, to see at once when a plugin comes or goes "
                    + "(default: device-plugins in --kubelet-state-dir)")
    private Optional<Path> devicePlugins = Optional.empty();

    @Option(
            names = "--kubelet-qps",
            paramLabel = "N",
            description = "calls per second to the podresources socket; all clients share the kubelet's limit of 100 "
                    + "(default: ${DEFAULT-VALUE})",
            defaultValue = "10")
    private double kubeletQps;

    @Option(
            names = "--kubelet-burst",
            paramLabel = "N",
            description =
                    "calls to the podresources socket at once; the kubelet's limit is 10 (default: ${DEFAULT-VALUE})",
            defaultValue = "5")
    private int kubeletBurst;

    private int answerMib = PodResourcesClient.LIMIT_BYTES >> 20;

    @Option(
            names = "--kubelet-answer-limit",
            paramLabel = "MIB",
            description =
                    "longest answer of the podresources socket, in MiB; the agent keeps it in memory. Beyond it, the agent calls "
                            + "Get for each pod (default: 24)")
    void answerLimit(int mib) {
        if (mib < 1 || mib > 1024) {
            throw new ParameterException(
                    command.commandLine(), "--kubelet-answer-limit is '%d'; expected 1 to 1024".formatted(mib));
        }
        answerMib = mib;
    }

    @Mixin
    private SysfsOptions sysfs = new SysfsOptions();

    @Option(
            names = "--kai-strict",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "true|false",
            description = "write the annotation byte for byte as KAI's exporter does, and no annotation of our own")
    public boolean kaiStrict;

    @Mixin
    public ProfileOptions profile = new ProfileOptions();

    @Mixin
    public ExclusionOptions exclusions = new ExclusionOptions();

    @Mixin
    public KubeletOptions kubelet = new KubeletOptions();

    /** The node's name from flag or environment; empty if neither has it. */
    public Optional<String> nodeName() {
        String name = nodeName.isEmpty() ? System.getenv().getOrDefault("NODE_NAME", "") : nodeName;
        return name.isEmpty() ? Optional.empty() : Optional.of(name);
    }

    /** The node's name or, where nothing is written, the host's. */
    public String nodeNameOrHost() {
        return nodeName().orElseGet(() -> {
            try {
                return InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException e) {
                return "localhost";
            }
        });
    }

    public Path sysfsRoot() {
        return sysfs.sysfsRoot();
    }

    public NodeProbe probe() {
        SysfsProbe probe = sysfs.probe();
        CoreKinds coreKinds = new CoreKinds(sysfsRoot());
        return () -> {
            ProbeResult result = probe.probe();
            return new NodeProbe.Reading(result.topology(), coreKinds.read(), result.warnings());
        };
    }

    /**
     * How often the kubelet may be called.
     *
     * @throws ParameterException if it may not be called at all
     */
    public RequestBudget kubeletBudget() {
        try {
            return new RequestBudget(kubeletQps, kubeletBurst, System::nanoTime);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), "--kubelet-qps, --kubelet-burst: " + e.getMessage(), e);
        }
    }

    /** The kubelet's own records, where they are to be read. */
    public Optional<KubeletStateFiles> stateFiles() {
        return stateDirectory.map(KubeletStateFiles::new);
    }

    /** The kubelet's root directory, where its state files are to be read. */
    public Optional<Path> stateDirectory() {
        return stateDirectory;
    }

    /** Where sockets tell that the kubelet or a plugin has come or gone. */
    public List<Path> socketDirectories() {
        Optional<Path> podResources =
                Optional.ofNullable(socketPath().toAbsolutePath().getParent());
        Optional<Path> plugins = devicePlugins.or(() -> stateDirectory.map(root -> root.resolve("device-plugins")));
        return Stream.of(podResources, plugins).flatMap(Optional::stream).toList();
    }

    private Path socketPath() {
        return Path.of(socket.startsWith("unix://") ? socket.substring("unix://".length()) : socket);
    }

    public PodResourcesClient kubeletClient(Consumer<String> warnings) {
        return new PodResourcesClient(socketPath(), PodResourcesClient.DEADLINE, warnings, kaiStrict, answerMib << 20);
    }
}

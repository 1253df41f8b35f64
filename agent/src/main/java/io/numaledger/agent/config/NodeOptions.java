package io.numaledger.agent.config;

import io.numaledger.agent.run.NodeProbe;
import io.numaledger.agent.sysfs.CoreKinds;
import io.numaledger.agent.sysfs.ProbeResult;
import io.numaledger.agent.sysfs.SysfsOptions;
import io.numaledger.agent.sysfs.SysfsProbe;
import io.numaledger.podresources.PodResourcesClient;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/** What every look at this node needs to know. */
public final class NodeOptions {

    @Option(names = "--node-name", paramLabel = "NAME", description = "this node's name (default: NODE_NAME)")
    private String nodeName = "";

    @Option(
            names = "--podresources-socket",
            paramLabel = "PATH",
            description = "the kubelet's podresources socket (default: ${DEFAULT-VALUE})",
            defaultValue = "/var/lib/kubelet/pod-resources/kubelet.sock")
    private String socket;

    @Mixin
    private SysfsOptions sysfs = new SysfsOptions();

    @Option(
            names = "--kai-strict",
            arity = "0..1",
            fallbackValue = "true",
            description = "leave memory blocks of several NUMA nodes out of the annotation, as KAI's exporter does")
    public boolean kaiStrict;

    @Mixin
    public ProfileOptions profile = new ProfileOptions();

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
            return new NodeProbe.Reading(result.topology(), coreKinds.read(), result.remarks());
        };
    }

    public PodResourcesClient kubeletClient(Consumer<String> remarks) {
        Path path = Path.of(socket.startsWith("unix://") ? socket.substring("unix://".length()) : socket);
        return new PodResourcesClient(path, PodResourcesClient.DEADLINE, remarks);
    }
}

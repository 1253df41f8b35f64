package io.numaledger.simulator.cluster;

import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.apiservers.real.FreePort;
import io.numaledger.simulator.container.ClusterContainers;
import io.numaledger.simulator.cri.ContainerExitPolicy;
import io.numaledger.simulator.cri.NodeImages;
import io.numaledger.simulator.cri.PodProcesses;
import io.numaledger.simulator.cri.RuntimeStub;
import io.numaledger.simulator.deviceplugin.DevicePlugin;
import io.numaledger.simulator.dra.DraDriver;
import io.numaledger.simulator.hardware.DevicePluginSpec;
import io.numaledger.simulator.hardware.HardwareTree;
import io.numaledger.simulator.hardware.KubeletSpec;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.text.NearNames;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** One node: a real kubelet on simulated hardware, with its container runtime, its device plugins and its DRA drivers. */
public final class SimNode implements AutoCloseable {

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

    private final NodeDirectory directory;
    private final NodeAccess access;
    private final ContainerExitPolicy exits;
    private final Optional<String> address;
    private final Optional<ClusterCertificates> certificates;
    private final PodProcesses processes;
    private final NodeImages images;
    private final ClusterCgroups cgroups;
    private final int port = FreePort.next();
    private final List<DevicePlugin> plugins = new CopyOnWriteArrayList<>();
    private final List<DraDriver> draDrivers = new ArrayList<>();
    private NodeSpec spec;
    private Optional<RuntimeStub> runtime = Optional.empty();
    private Optional<ChildProcess> kubelet = Optional.empty();
    private int starts;

    private SimNode(NodeSpec spec, NodeDirectory directory, NodeAccess access) {
        this.spec = spec;
        this.directory = directory;
        this.access = access;
        this.exits = access.exits();
        this.address = access.containers().map(ClusterContainers::nodeAddress).or(HostAddress::external);
        this.certificates = access.certificates();
        this.images = access.images();
        this.cgroups = access.cgroups();
        this.processes = access.containers()
                .map(cluster -> cluster.onNode(
                        directory.containers(), () -> kubeletPid().orElseThrow()))
                .orElse(PodProcesses.NONE);
    }

    /** Writes the node's files and starts all of it; the kubelet registers by itself. */
    static SimNode start(NodeSpec spec, Path root, NodeAccess access) {
        NodeDirectory directory = new NodeDirectory(root);
        SimNode node = new SimNode(spec, directory, access);
        try {
            node.writeFiles();
        } catch (IOException cause) {
            throw new UncheckedIOException(
                    "cannot write a node's files: node=%s directory=%s; check that it may be written"
                            .formatted(spec.name(), root),
                    cause);
        }
        node.startRuntime();
        node.startKubelet();
        spec.devices().forEach(plugin -> node.plugins.add(DevicePlugin.start(plugin, directory.pluginsDirectory())));
        spec.draDrivers()
                .forEach(driver -> node.draDrivers.add(
                        DraDriver.start(driver, spec.name(), directory.kubeletRoot(), access.client())));
        return node;
    }

    private void writeFiles() throws IOException {
        for (Path each : List.of(
                directory.kubeletRoot(),
                directory.varLog(),
                directory.workDir(),
                directory.volumePlugins(),
                directory.staticPods())) {
            Files.createDirectories(each);
        }
        HardwareTree.write(spec, directory.hardware());
        for (var sysctl : KubeletScript.SYSCTLS.entrySet()) {
            Path file = directory.sysctls().resolve(sysctl.getKey());
            Files.createDirectories(file.getParent());
            Files.writeString(file, sysctl.getValue() + "\n");
        }
        writeConfig();
        writeScript();
    }

    private void writeScript() throws IOException {
        Path kubelet = access.binaries().kubelet(spec.kubeletVersion().orElseThrow());
        List<String> arguments = new ArrayList<>(List.of(
                "--config=" + directory.config(),
                "--kubeconfig=" + access.kubeconfig(),
                "--hostname-override=" + spec.name(),
                "--root-dir=/var/lib/kubelet",
                "--cert-dir=/var/lib/kubelet/pki",
                "--v=2",
                "--vmodule=kubelet=4"));
        address.ifPresent(ip -> arguments.add("--node-ip=" + ip));
        Files.writeString(directory.script(), KubeletScript.text(directory, kubelet, arguments));
    }

    private void writeConfig() throws IOException {
        Files.writeString(
                directory.config(),
                KubeletConfigFile.text(
                        spec,
                        directory,
                        address.orElse("127.0.0.1"),
                        port,
                        certificates,
                        cgroups.ofNode(spec, directory.hardware())));
    }

    /** The kubelet's configuration file. */
    public Path kubeletConfig() {
        return directory.config();
    }

    /**
     * Restarts the kubelet with another configuration and without the state of its CPU and Memory Manager, as an administrator does after a
     * drain: no pod with CPUs or memory of its own may be there. State of another policy, or of a kubelet that ended between two writes
     * about a pod that is gone, would keep it from starting.
     */
    public void reconfigureKubelet(KubeletSpec settings) {
        stopKubelet();
        for (String file : List.of("cpu_manager_state", "memory_manager_state")) {
            try {
                Files.deleteIfExists(kubeletRoot().resolve(file));
            } catch (IOException cause) {
                throw new UncheckedIOException(
                        "cannot delete a kubelet's state: directory=%s file=%s; check that it may be written"
                                .formatted(kubeletRoot(), file),
                        cause);
            }
        }
        restartKubelet(settings);
    }

    /** Restarts the kubelet with another configuration over the state that it left. It may refuse to start over that. */
    public void restartKubelet(KubeletSpec settings) {
        restartKubelet(settings, spec.kubeletVersion().orElseThrow());
    }

    /** Replaces the kubelet by one of another version as well, {@code major.minor}. */
    public void restartKubelet(KubeletSpec settings, String version) {
        stopKubelet();
        spec = spec.withKubelet(settings, version);
        try {
            writeConfig();
            writeScript();
        } catch (IOException cause) {
            throw new UncheckedIOException(
                    "cannot write a kubelet's configuration: file=%s; check that it may be written"
                            .formatted(directory.config()),
                    cause);
        }
        startKubelet();
    }

    public NodeSpec spec() {
        return spec;
    }

    public String name() {
        return spec.name();
    }

    NodeDirectory directory() {
        return directory;
    }

    /** Where {@code sys} and {@code proc} of this node lie. */
    public Path hardwareRoot() {
        return directory.hardware();
    }

    /** A manifest that is put here becomes a static pod of the kubelet. */
    public Path staticPods() {
        return directory.staticPods();
    }

    /** What the kubelet sees as {@code /var/lib/kubelet}; its state files lie here. */
    public Path kubeletRoot() {
        return directory.kubeletRoot();
    }

    public Path podResourcesSocket() {
        return directory.podResourcesSocket();
    }

    /** The log of the kubelet's latest start. */
    public Path kubeletLog() {
        return directory.root().resolve(logName(starts) + ".log");
    }

    /**
     * Whether the kubelet has cleaned up after its latest start, as it does every two seconds. A pod that it refuses before is
     * reported ten seconds after the start (pkg/kubelet/status/status_manager.go: until the pod workers are synced, any pod
     * may still run).
     */
    public boolean hasRunHousekeeping() {
        try (Stream<String> lines = Files.lines(kubeletLog())) {
            return lines.anyMatch(line -> line.contains("SyncLoop (housekeeping) end"));
        } catch (IOException cause) {
            throw new UncheckedIOException(
                    "cannot read a kubelet's log: file=%s; check that it is there".formatted(kubeletLog()), cause);
        }
    }

    private static String logName(int start) {
        return "kubelet-" + start;
    }

    /** Empty while the kubelet is stopped. */
    public Optional<Long> kubeletPid() {
        return kubelet.filter(ChildProcess::isAlive).map(ChildProcess::pid);
    }

    /**
     * Makes sure that a kubelet that was started has not ended by itself.
     *
     * @throws SimClusterException with the end of its log, when it has
     */
    public void requireKubelet() {
        kubelet.filter(process -> !process.isAlive()).ifPresent(process -> {
            throw new SimClusterException("a kubelet has ended: node=%s log=%s; read the end of its log:%n%s"
                    .formatted(name(), kubeletLog(), process.lastLines()));
        });
    }

    /** Stops the kubelet and waits for its exit. Pods stay. */
    public void stopKubelet() {
        kubelet.ifPresent(process -> {
            ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroy);
            process.endsWithin(STOP_TIMEOUT);
            process.close();
        });
        kubelet = Optional.empty();
        draDrivers.forEach(DraDriver::forgetRegistration);
    }

    /** Stops the kubelet and ends all containers: the next start of the kubelet is that after a reboot. */
    public void haltMachine() {
        stopKubelet();
        runtime().endAll();
    }

    /** Starts the kubelet over the state that it left. */
    public void startKubelet() {
        starts++;
        kubelet = Optional.of(ChildProcess.start(
                logName(starts),
                directory.root(),
                List.of("unshare", "--mount", "/bin/sh", directory.script().toString())));
    }

    /** Stops the container runtime; the kubelet waits for it. */
    public void stopRuntime() {
        runtime().close();
    }

    /** Starts the container runtime over the records that it left. */
    public void startRuntime() {
        runtime = Optional.of(RuntimeStub.start(
                directory.runtimeSocket(), directory.runtimeRecords(), directory.varLog(), exits, processes, images));
    }

    public RuntimeStub runtime() {
        return runtime.orElseThrow();
    }

    /**
     * The plugin that serves a resource.
     *
     * @throws IllegalArgumentException when the node has none
     */
    public DevicePlugin plugin(String resource) {
        return plugins.stream()
                .filter(plugin -> plugin.spec().resource().equals(resource))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("no such device plugin: node=%s resource=%s; expected one of %s%s"
                                .formatted(name(), resource, resources(), NearNames.hint(resource, resources()))));
    }

    private List<String> resources() {
        return plugins.stream().map(plugin -> plugin.spec().resource()).toList();
    }

    /**
     * Starts another device plugin, which registers with the kubelet that runs.
     *
     * @throws IllegalArgumentException when the node has one of that resource
     */
    public void addPlugin(DevicePluginSpec plugin) {
        if (resources().contains(plugin.resource())) {
            throw new IllegalArgumentException(
                    "the node has such a device plugin: node=%s resource=%s; choose another resource"
                            .formatted(name(), plugin.resource()));
        }
        plugins.add(DevicePlugin.start(plugin, directory.pluginsDirectory()));
    }

    /**
     * The DRA driver of that name.
     *
     * @throws IllegalArgumentException when the node has none
     */
    public DraDriver draDriver(String name) {
        List<String> names =
                draDrivers.stream().map(driver -> driver.spec().driver()).toList();
        if (!names.contains(name)) {
            throw new IllegalArgumentException("no such DRA driver: node=%s driver=%s; expected one of %s%s"
                    .formatted(name(), name, names, NearNames.hint(name, names)));
        }
        return draDrivers.get(names.indexOf(name));
    }

    /** Why DRA drivers that run have published no ResourceSlices yet. */
    List<String> draObstacles() {
        return draDrivers.stream().flatMap(driver -> driver.obstacle().stream()).toList();
    }

    /** Resource → number of healthy devices. */
    public SortedMap<String, Integer> healthyDevices() {
        SortedMap<String, Integer> healthy = new TreeMap<>();
        plugins.forEach(plugin -> healthy.put(plugin.spec().resource(), plugin.healthy()));
        return healthy;
    }

    /** Whether the kubelet that runs now knows all plugins and DRA drivers, and has cleaned up after its start. */
    public boolean hasSettled() {
        return hasRunHousekeeping()
                && plugins.stream().allMatch(DevicePlugin::isRegistered)
                && draObstacles().isEmpty();
    }

    @Override
    public void close() {
        draDrivers.forEach(DraDriver::close);
        plugins.forEach(DevicePlugin::close);
        kubelet.ifPresent(ChildProcess::kill);
        runtime().close();
        processes.close();
    }
}

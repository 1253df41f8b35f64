package io.numaledger.simulator.rehearsal;

import io.numaledger.apiservers.wait.Wait;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.deviceplugin.DevicePlugin;
import io.numaledger.simulator.hardware.DevicePluginSpec;
import io.numaledger.simulator.hardware.NumaNodeSpec;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** Carries out the requests of commands on a cluster. A request is the name of the command and its arguments. */
public final class ClusterRequests {

    static final String RESTART_KUBELET = "restart-kubelet";
    static final String FAIL_DEVICE = "fail-device";
    static final String REMOVE_DEVICE = "remove-device";
    static final String REPAIR_DEVICE = "repair-device";
    static final String ADD_PLUGIN = "add-plugin";
    static final String STOP_DRIVER = "stop-driver";
    static final String START_DRIVER = "start-driver";
    static final String ADD_IMAGE = "add-image";

    private final SimCluster cluster;

    public ClusterRequests(SimCluster cluster) {
        this.cluster = cluster;
    }

    /**
     * Carries one out. Returns what has been done.
     *
     * @throws IllegalArgumentException when it names what is not there
     */
    public String answer(List<String> request) {
        List<String> arguments = request.subList(1, request.size());
        return switch (request.get(0)) {
            case RESTART_KUBELET -> restartKubelet(cluster.node(arguments.get(0)));
            case FAIL_DEVICE -> change(arguments, "unhealthy", (plugin, device) -> plugin.setHealthy(device, false));
            case REMOVE_DEVICE -> change(arguments, "gone", DevicePlugin::remove);
            case REPAIR_DEVICE -> change(arguments, "healthy", (plugin, device) -> plugin.setHealthy(device, true));
            case ADD_PLUGIN ->
                addPlugin(cluster.node(arguments.get(0)), arguments.get(1), arguments.subList(2, arguments.size()));
            case STOP_DRIVER -> stopDriver(cluster.node(arguments.get(0)), arguments.get(1));
            case START_DRIVER -> startDriver(cluster.node(arguments.get(0)), arguments.get(1));
            case ADD_IMAGE -> addImage(arguments.get(0));
            default ->
                throw new IllegalArgumentException(
                        "no such request: request=%s; use commands of the version that started the cluster"
                                .formatted(request.get(0)));
        };
    }

    private String restartKubelet(SimNode node) {
        node.stopKubelet();
        node.startKubelet();
        Wait.until("the kubelet has cleaned up, and knows its device plugins: node=" + node.name())
                .log(node.kubeletLog())
                .holds(() -> {
                    node.requireKubelet();
                    return node.hasSettled();
                });
        cluster.awaitReady(node);
        return "The kubelet has restarted, and the node is Ready: node=%s log=%s"
                .formatted(node.name(), node.kubeletLog());
    }

    private String change(List<String> arguments, String becomes, BiConsumer<DevicePlugin, String> change) {
        SimNode node = cluster.node(arguments.get(0));
        String resource = arguments.get(1);
        change.accept(node.plugin(resource), arguments.get(2));
        cluster.awaitReady(node);
        return "The device is %s: node=%s device=%s; the node has %d of %d %s"
                .formatted(
                        becomes,
                        node.name(),
                        arguments.get(2),
                        node.healthyDevices().get(resource),
                        node.plugin(resource).spec().devices().size(),
                        resource);
    }

    private String addPlugin(SimNode node, String resource, List<String> devices) {
        DevicePluginSpec plugin = new DevicePluginSpec(resource, devices(node, resource, devices), false);
        node.addPlugin(plugin);
        cluster.awaitReady(node);
        return "The device plugin has registered: node=%s resource=%s devices=%s"
                .formatted(
                        node.name(),
                        resource,
                        plugin.devices().stream()
                                .map(DeviceAllocation::deviceId)
                                .toList());
    }

    /** Ids as in the node YAML: the resource's last word and a number. */
    private static List<DeviceAllocation> devices(SimNode node, String resource, List<String> written) {
        String word = resource.substring(resource.lastIndexOf('/') + 1);
        List<DeviceAllocation> devices = new ArrayList<>();
        for (String each : written) {
            NumaDevices numa = NumaDevices.parse(each);
            List<Integer> known =
                    node.spec().numaNodes().stream().map(NumaNodeSpec::id).toList();
            if (!known.contains(numa.numaNode())) {
                throw new IllegalArgumentException("no such NUMA node: node=%s numaNode=%d; expected one of %s"
                        .formatted(node.name(), numa.numaNode(), known));
            }
            for (int i = 0; i < numa.count(); i++) {
                devices.add(new DeviceAllocation(
                        resource, word + "-" + devices.size(), new TreeSet<>(List.of(numa.numaNode()))));
            }
        }
        return devices;
    }

    private static String stopDriver(SimNode node, String driver) {
        node.draDriver(driver).stop();
        return "The DRA driver has stopped: node=%s driver=%s; the kubelet deletes its ResourceSlices in half a minute"
                .formatted(node.name(), driver);
    }

    private String startDriver(SimNode node, String driver) {
        node.draDriver(driver).start();
        cluster.awaitReady(node);
        return "The DRA driver has published its devices: node=%s driver=%s devices=%d"
                .formatted(
                        node.name(),
                        driver,
                        node.draDriver(driver).spec().devices().size());
    }

    private String addImage(String image) {
        cluster.images().add(image);
        return "The nodes have the image: image=%s; a pod that waits for it starts when its kubelet pulls again"
                .formatted(image);
    }
}

package io.numaledger.fastpath;

import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.config.CpuOption;
import io.numaledger.kubelet.cpu.CpuTopology;
import io.numaledger.kubelet.cpu.CpuTopology.Level;
import io.numaledger.resource.ResourceKind;
import io.numaledger.topology.NumaNode;

import java.util.Arrays;
import java.util.List;

import static java.util.Objects.requireNonNull;

/** Builds the layout of the nodes that run one kubelet configuration on one kind of machine. */
final class NodeLayoutBuilder {

    private final KubeletModel kubelet;
    private final ZoneTable table;
    private final ResourceIndex index;

    NodeLayoutBuilder(KubeletModel kubelet, ZoneTable table, ResourceIndex index) {
        this.kubelet = kubelet;
        this.table = table;
        this.index = index;
    }

    NodeLayout build() {
        List<String> resources = table.resources();
        resources.forEach(index::number);
        int[] rows = new int[index.size()];
        Arrays.fill(rows, NodeLayout.NOT_HERE);
        long[] capacity = new long[resources.size() * table.zones()];
        for (int row = 0; row < resources.size(); row++) {
            String resource = resources.get(row);
            rows[index.number(resource)] = isUnzonedDevice(kubelet, resource) ? NodeLayout.NOT_HERE : row;
            for (int zone = 0; zone < table.zones(); zone++) {
                capacity[row * table.zones() + zone] = capacity(resource, table.numaNode(zone));
            }
        }
        return new NodeLayout(
                kubelet.rules().topologyPolicy(),
                kubelet.rules().topologyScope(),
                table.zones(),
                rows,
                capacity,
                sockets());
    }

    /** No device of the resource has a NUMA node: a request for it restricts no zones. */
    static boolean isUnzonedDevice(KubeletModel kubelet, String resource) {
        return ResourceKind.of(resource) == ResourceKind.DEVICE
                && requireNonNull(kubelet.machine().devices().get(resource)).stream()
                        .allMatch(device -> device.numaNodes().isEmpty());
    }

    /** What decides the preferred width: reserved CPUs and unhealthy devices count. */
    private long capacity(String resource, NumaNode numaNode) {
        return switch (ResourceKind.of(resource)) {
            case CPU -> numaNode.cpus().size();
            case MEMORY ->
                requireNonNull(requireNonNull(
                                kubelet.memory().orElseThrow().empty().nodes().get(numaNode.id()))
                        .allocatable()
                        .get(resource));
            case DEVICE, STORAGE ->
                requireNonNull(kubelet.machine().devices().get(resource)).stream()
                        .filter(device -> device.numaNodes().contains(numaNode.id()))
                        .count();
        };
    }

    /** Empty where each socket is one zone: a mask then has as many sockets as zones, and every mask that counts is preferred. */
    private long[] sockets() {
        if (kubelet.cpus().isEmpty() || !kubelet.rules().has(CpuOption.ALIGN_BY_SOCKET)) {
            return NodeLayout.NO_SOCKETS;
        }
        CpuTopology topology = kubelet.cpus().get().topology();
        if (topology.count(Level.SOCKET) == table.zones()) {
            return NodeLayout.NO_SOCKETS;
        }
        List<Integer> sockets = List.copyOf(topology.items(Level.SOCKET).keySet());
        long[] byZone = new long[table.zones()];
        Arrays.setAll(
                byZone,
                zone -> 1L
                        << sockets.indexOf(topology.itemsOf(
                                        Level.SOCKET, table.numaNode(zone).cpus())
                                .first()));
        return byZone;
    }
}

package io.numaledger.fastpath;

import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.device.DeviceAllocator;
import io.numaledger.resource.ResourceKind;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.NumaNode;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeSet;

import static java.util.Objects.requireNonNull;

/**
 * What a kubelet gives out, zone by zone, in arrays by {@code row · zones + zone}: whole CPUs, bytes, devices. Rows are the
 * resources by name, zones the NUMA nodes by id. A device of several zones counts in each of them.
 */
public final class ZoneTable {

    private final KubeletModel kubelet;
    private final List<NumaNode> numaNodes;
    private final List<String> resources;
    private final long[] empty;
    private final long[] most;

    private ZoneTable(KubeletModel kubelet) {
        this.kubelet = kubelet;
        this.numaNodes = kubelet.machine().topology().numaNodes().stream()
                .sorted(Comparator.comparingInt(NumaNode::id))
                .toList();
        TreeSet<String> names = new TreeSet<>();
        kubelet.cpus().ifPresent(any -> names.add("cpu"));
        kubelet.memory()
                .ifPresent(memory -> memory.empty()
                        .nodes()
                        .values()
                        .forEach(node -> names.addAll(node.free().keySet())));
        kubelet.devices().ifPresent(devices -> names.addAll(devices.resources()));
        this.resources = List.copyOf(names);
        this.empty = free(kubelet.empty());
        this.most = new long[resources.size()];
        Arrays.setAll(
                most,
                row -> Arrays.stream(empty, row * zones(), (row + 1) * zones())
                        .max()
                        .orElse(0));
    }

    /** The table of a kubelet that is modelled. */
    public static ZoneTable of(KubeletModel kubelet) {
        return new ZoneTable(kubelet);
    }

    public int zones() {
        return numaNodes.size();
    }

    /** The NUMA node at a position. */
    public NumaNode numaNode(int zone) {
        return numaNodes.get(zone);
    }

    /** The NUMA nodes of zones that are given by position, without those that no mask can hold. */
    public AffinityMask mask(long positions) {
        long ids = 0;
        for (long rest = positions; rest != 0; rest &= rest - 1) {
            int id = numaNode(Long.numberOfTrailingZeros(rest)).id();
            ids |= id <= AffinityMask.MAX_ID ? 1L << id : 0;
        }
        return new AffinityMask(ids);
    }

    /** The positions, as bits, of NUMA nodes. */
    long positions(AffinityMask mask) {
        long positions = 0;
        for (int zone = 0; zone < zones(); zone++) {
            positions |= mask.contains(numaNode(zone).id()) ? 1L << zone : 0;
        }
        return positions;
    }

    /** The resources by row. */
    public List<String> resources() {
        return resources;
    }

    /** What is free on the node without pods, at {@code row · zones + zone}. */
    public long empty(int index) {
        return empty[index];
    }

    /** What is free in the roomiest zone of the node without pods. */
    public long most(int row) {
        return most[row];
    }

    /** What is free in this state. */
    public long[] free(NodeState state) {
        long[] free = new long[resources.size() * zones()];
        for (int row = 0; row < resources.size(); row++) {
            fill(state, resources.get(row), row * zones(), free);
        }
        return free;
    }

    private void fill(NodeState state, String resource, int start, long[] free) {
        switch (ResourceKind.of(resource)) {
            case CPU -> {
                CpuSet shared = state.cpus()
                        .orElseThrow()
                        .shared()
                        .minus(kubelet.cpus().orElseThrow().reserved());
                for (int zone = 0; zone < zones(); zone++) {
                    free[start + zone] =
                            shared.intersect(numaNodes.get(zone).cpus()).size();
                }
            }
            case MEMORY -> {
                var nodes = state.memory().orElseThrow().nodes();
                for (int zone = 0; zone < zones(); zone++) {
                    free[start + zone] = requireNonNull(
                                    nodes.get(numaNodes.get(zone).id()))
                            .free()
                            .getOrDefault(resource, 0L);
                }
            }
            case DEVICE, STORAGE -> {
                DeviceAllocator devices = kubelet.devices().orElseThrow();
                SortedMap<Long, Integer> byMask =
                        devices.countsByMask(resource, devices.available(resource, state.devices()));
                byMask.forEach((bits, count) -> {
                    for (int zone = 0; zone < zones(); zone++) {
                        if (new AffinityMask(bits).contains(numaNodes.get(zone).id())) {
                            free[start + zone] += count;
                        }
                    }
                });
            }
        }
    }
}

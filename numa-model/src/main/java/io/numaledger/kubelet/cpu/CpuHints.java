package io.numaledger.kubelet.cpu;

import io.numaledger.kubelet.config.CpuOption;
import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.kubelet.cpu.CpuTopology.Level;
import io.numaledger.kubelet.hint.AmountCondition;
import io.numaledger.kubelet.hint.AmountsByNumaNode;
import io.numaledger.kubelet.hint.HintRule;
import io.numaledger.kubelet.hint.MaskPreference;
import io.numaledger.kubelet.hint.MaskUniverse;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;

import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/** On which NUMA nodes the CPUs of a request may be (cm/cpumanager/policy_static.go, generateCPUTopologyHints). */
final class CpuHints {

    private static final String CPU = "cpu";

    private final CpuTopology topology;
    private final CpuRequests requests;
    private final CpuSet reserved;
    private final MaskUniverse universe;
    private final AmountsByNumaNode all;
    private final boolean alignBySocket;
    private final boolean listsMasks;
    private final BitSet[] socketsByNumaNode = new BitSet[AffinityMask.MAX_ID + 1];

    CpuHints(KubeletRules rules, CpuTopology topology, CpuRequests requests, CpuSet reserved) {
        this.topology = topology;
        this.requests = requests;
        this.reserved = reserved;
        this.universe = MaskUniverse.of(topology.numaNodes());
        this.all = perNumaNode(topology.all());
        this.alignBySocket = rules.has(CpuOption.ALIGN_BY_SOCKET);
        this.listsMasks = rules.listsMasks();
        topology.items(Level.NUMA_NODE).forEach((node, cpus) -> {
            BitSet sockets = new BitSet();
            topology.itemsOf(Level.SOCKET, cpus).forEach(sockets::set);
            socketsByNumaNode[node] = sockets;
        });
    }

    ProviderHints ofContainer(CpuState state, PodRequest pod, ContainerRequest container) {
        int count = requests.of(pod, container);
        if (count == 0 || requests.leavesAlone(pod)) {
            return ProviderHints.NO_PREFERENCE;
        }
        if (state.holds(pod.name(), container.name())) {
            return ofHeld(state.heldBy(pod.name(), container.name()), count);
        }
        return hints(state.shared().minus(reserved), state.reusable(), count);
    }

    private ProviderHints ofHeld(CpuSet held, int count) {
        return held.size() == count ? hints(held, CpuSet.EMPTY, count) : ProviderHints.of(CPU, List.of());
    }

    ProviderHints ofPod(CpuState before, PodRequest pod) {
        int count = requests.ofPod(pod);
        if (count == 0 || requests.leavesAlone(pod)) {
            return ProviderHints.NO_PREFERENCE;
        }
        CpuSet remembered = requests.remembered(before, pod);
        if (!remembered.isEmpty() && before.canKeep(pod)) {
            return ofHeld(remembered, count);
        }
        CpuState state = remembered.isEmpty() ? before : before.released(pod.name());
        if (requests.managesAsAWhole(pod)
                && new PodCpuBudget(requests, pod).violation().isPresent()) {
            return ProviderHints.of(CPU, List.of());
        }
        CpuSet assigned = CpuSet.EMPTY;
        for (ContainerRequest container : pod.inAllocationOrder()) {
            if (state.holds(pod.name(), container.name())) {
                CpuSet held = state.heldBy(pod.name(), container.name());
                if (held.size() != requests.of(pod, container)) {
                    return ProviderHints.of(CPU, List.of());
                }
                assigned = assigned.union(held);
            }
        }
        return assigned.size() == count
                ? hints(assigned, CpuSet.EMPTY, count)
                : hints(state.shared().minus(reserved), state.reusable().union(assigned), count);
    }

    private ProviderHints hints(CpuSet available, CpuSet reusable, int count) {
        return listsMasks
                ? ProviderHints.of(CPU, generate(available, reusable, count))
                : ProviderHints.of(CPU, rule(available, reusable, count));
    }

    /** The width counts every CPU of a NUMA node, also reserved ones and those that others hold. */
    int wantedWidth(int count) {
        return listsMasks
                ? universe.narrowest(mask -> all.over(mask) >= count)
                : HintRule.narrowest(
                        universe.all(), AffinityMask.NONE, List.of(new AmountCondition(universe.all(), all, count)));
    }

    /** What {@link #generate} lists. */
    HintRule rule(CpuSet available, CpuSet reusable, int count) {
        int wanted = wantedWidth(count);
        MaskPreference preference = alignBySocket
                ? new SocketPreference(socketsByNumaNode, wanted, mask -> isSocketAligned(mask, wanted))
                : MaskPreference.width(wanted);
        return new HintRule(
                universe.all(),
                AffinityMask.of(topology.itemsOf(Level.NUMA_NODE, reusable)),
                List.of(new AmountCondition(universe.all(), perNumaNode(available), (long) count - reusable.size())),
                preference,
                List.of());
    }

    List<TopologyHint> generate(CpuSet available, CpuSet reusable, int count) {
        int wanted = wantedWidth(count);
        AmountsByNumaNode free = perNumaNode(available);
        AffinityMask reusableNodes = AffinityMask.of(topology.itemsOf(Level.NUMA_NODE, reusable));
        List<TopologyHint> hints = universe.hints(
                mask -> mask.containsAll(reusableNodes) && reusable.size() + free.over(mask) >= count, wanted);
        if (!alignBySocket) {
            return hints;
        }
        return hints.stream()
                .map(hint -> new TopologyHint(
                        hint.mask(),
                        hint.preferred() || isSocketAligned(hint.mask().orElseThrow(), wanted)))
                .toList();
    }

    private boolean isSocketAligned(AffinityMask mask, int wanted) {
        int perSocket = topology.count(Level.NUMA_NODE) / topology.count(Level.SOCKET);
        if (perSocket == 0) {
            return false;
        }
        BitSet sockets = new BitSet();
        for (long rest = mask.bits(); rest != 0; rest &= rest - 1) {
            sockets.or(socketsByNumaNode[Long.numberOfTrailingZeros(rest)]);
        }
        return sockets.cardinality() == (wanted + perSocket - 1) / perSocket;
    }

    private AmountsByNumaNode perNumaNode(CpuSet cpus) {
        AmountsByNumaNode counts = new AmountsByNumaNode();
        topology.items(Level.NUMA_NODE)
                .forEach((node, own) -> counts.put(node, own.intersect(cpus).size()));
        return counts;
    }

    /** The mask of a width with the most free CPUs, the first of equals. */
    AffinityMask roomiest(CpuSet available, int width) {
        AmountsByNumaNode free = perNumaNode(available);
        if (!listsMasks) {
            return AmountCondition.roomiest(universe.all(), free, width);
        }
        List<AffinityMask> masks =
                universe.masks().stream().filter(mask -> mask.count() == width).toList();
        int best = IntStream.range(0, masks.size())
                .reduce(0, (a, b) -> free.over(masks.get(b)) > free.over(masks.get(a)) ? b : a);
        return masks.get(best);
    }
}

package io.numaledger.scheduling.explain;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.kubelet.config.CpuOption;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.nrt.DeviceGroup;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.nrt.TopologyAttributes;
import io.numaledger.placement.Amounts;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What is wrong on a node beside what the bridge assumes about it, and what to do, a sentence each. */
public final class NodeWarnings {

    private static final Set<TopologyPolicyName> REFUSING =
            Set.of(TopologyPolicyName.RESTRICTED, TopologyPolicyName.SINGLE_NUMA_NODE);

    private NodeWarnings() {}

    /** @param pods those of the node */
    public static List<Sentence> of(NodeSnapshot node, Collection<PodFacts> pods) {
        List<Sentence> found = new ArrayList<>();
        node.topology().filter(any -> node.model().kubelet().isPresent()).ifPresent(topology -> {
            impossibleDevices(topology).stream().map(Sentence::of).forEach(found::add);
            emptyPool(topology).map(Sentence::of).ifPresent(found::add);
        });
        CpuConflict.of(node.model(), pods).stream().map(CpuConflict::sentence).forEach(found::add);
        return found;
    }

    /** What is published of a node with a model can be read. */
    private static List<String> impossibleDevices(NodeTopology topology) {
        boolean refuses = TopologyAttributes.read(topology.attributes())
                .topologyManagerPolicy()
                .filter(REFUSING::contains)
                .isPresent();
        return DeviceGroup.of(topology).stream()
                .filter(DeviceGroup::impossible)
                .map(group -> "%d of %s are on NUMA nodes that the machine does not have%s; correct their device plugin"
                        .formatted(
                                group.capacity(),
                                group.resource(),
                                refuses ? ", and the kubelet refuses pods that need them" : ""))
                .toList();
    }

    /**
     * The kubelet does not check whether anything is left for the other containers (kubernetes #141196; cm/cpumanager/policy_static.go,
     * validateState).
     */
    private static Optional<String> emptyPool(NodeTopology topology) {
        List<ZoneResource> cpus = topology.numaZones().values().stream()
                .flatMap(zone -> Optional.ofNullable(zone.resources().get(Amounts.CPU)).stream())
                .toList();
        boolean given = cpus.stream().anyMatch(zone -> zone.allocatable() > 0)
                && cpus.stream().allMatch(zone -> zone.available() < 1000);
        return given && reservesStrictly(topology)
                ? Optional.of(
                        "no CPU is left for containers without CPUs of their own, and with strict-cpu-reservation they may not use reserved ones: they run on CPUs that pods have for themselves, and a kubelet that restarts ends with 'default cpuset cannot be empty'; end a pod with exclusive CPUs, also before you restart the kubelet")
                : Optional.empty();
    }

    private static boolean reservesStrictly(NodeTopology topology) {
        KubeletSettings kubelet = TopologyAttributes.read(topology.attributes());
        return kubelet.cpuManagerPolicy().equals(Optional.of(CpuPolicy.STATIC))
                && Boolean.parseBoolean(
                        kubelet.cpuManagerPolicyOptions().get(CpuOption.STRICT_CPU_RESERVATION.toString()));
    }
}

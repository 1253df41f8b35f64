package io.numaledger.simulator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.agent.exclude.Exclusions;
import io.numaledger.agent.run.KubeletAnswer;
import io.numaledger.agent.run.NodeAgent;
import io.numaledger.agent.run.Observation;
import io.numaledger.agent.run.Observation.Unlisted;
import io.numaledger.agent.sysfs.NodeProbe;
import io.numaledger.annotation.PodAnnotator;
import io.numaledger.annotation.PodRecords;
import io.numaledger.annotation.PodStore;
import io.numaledger.annotation.PodView;
import io.numaledger.kubelet.Admission;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.fingerprint.PodName;
import io.numaledger.nrt.profile.ProfileName;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.simulator.hardware.KubeletSpec;
import io.numaledger.simulator.hardware.NodeSpec;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A node in virtual time: its kubelet, and what its agent publishes of the kubelet's late reports. */
final class ReportingNode {

    private static final PodStore UNUSED = (pod, records) -> PodStore.Written.GONE;

    private final NodeSpec spec;
    private final SimulatedKubelet kubelet;
    private final VirtualTime.Watch watch;
    private final PodAnnotator annotator = new PodAnnotator(UNUSED, NodeAgent.KEEP_MISSING_FOR);
    private SortedMap<String, Placement> earlier = new TreeMap<>();
    private Optional<Observation> last = Optional.empty();
    private Optional<NodeTopology> published = Optional.empty();

    /**
     * What an agent writes.
     *
     * @param records pod UID → its records; missing pods are not changed
     * @param topology absent: it has not changed
     */
    record Report(SortedMap<String, PodRecords> records, Optional<NodeTopology> topology) {}

    /** @param watch the pods of this node as its kubelet sees them */
    ReportingNode(SimulatedKubelet kubelet, VirtualTime.Watch watch) {
        this.spec = kubelet.spec();
        this.kubelet = kubelet;
        this.watch = watch;
    }

    String name() {
        return spec.name();
    }

    SimulatedKubelet kubelet() {
        return kubelet;
    }

    VirtualTime.Watch watch() {
        return watch;
    }

    Admission admit(Pod pod) {
        return kubelet.admit(pod.getMetadata().getNamespace(), pod.getMetadata().getName(), PodRequests.of(pod));
    }

    /**
     * One pass of the agent.
     *
     * @param pods the node's pods on the API server
     */
    Report report(List<PodView> pods, Instant now) {
        Observation seen = observe(pods);
        SortedMap<String, PodRecords> records = annotator.decide(pods, seen.byPod(), now);
        NodeTopology topology = seen.topology(
                name(),
                Optional.empty(),
                settings(spec.kubelet()),
                ProfileName.NUMALEDGER.profile(false).orElseThrow(),
                unlisted(pods, seen, records));
        Optional<NodeTopology> changed =
                Optional.of(topology).filter(made -> !Optional.of(made).equals(published));
        published = Optional.of(topology);
        return new Report(records, changed);
    }

    /** Pod key → what the kubelet reports that the pod holds. */
    SortedMap<String, Placement> placements() {
        observe(List.of());
        SortedMap<String, Placement> placements = new TreeMap<>(earlier);
        placements.values().removeIf(Placement::isEmpty);
        return placements;
    }

    /** The last observation while the kubelet reports the same. */
    private Observation observe(List<PodView> pods) {
        Set<String> ended =
                pods.stream().filter(PodView::terminal).map(PodView::key).collect(Collectors.toSet());
        PodResourcesSnapshot listed = new PodResourcesSnapshot(kubelet.list().pods().stream()
                .filter(pod -> !ended.contains(pod.key()))
                .toList());
        Observation seen =
                last.filter(before -> before.kubelet().listed().equals(listed)).orElseGet(() -> observe(listed));
        last = Optional.of(seen);
        return seen;
    }

    private Observation observe(PodResourcesSnapshot listed) {
        Observation seen = Observation.of(
                new NodeProbe.Reading(spec.machine(), List.of()),
                KubeletAnswer.of(Optional.of(kubelet.allocatable()), listed, Exclusions.NONE),
                earlier,
                false);
        earlier = new TreeMap<>();
        for (int i = 0; i < seen.placements().size(); i++) {
            earlier.put(seen.pods().get(i).key(), seen.placements().get(i));
        }
        return seen;
    }

    private static List<Unlisted> unlisted(
            List<PodView> pods, Observation seen, SortedMap<String, PodRecords> records) {
        return pods.stream()
                .filter(pod ->
                        !pod.terminal() && !seen.byPod().containsKey(pod.key()) && !records.containsKey(pod.uid()))
                .map(pod -> new Unlisted(new PodName(pod.namespace(), pod.name()), Placement.EMPTY))
                .toList();
    }

    static KubeletSettings settings(KubeletSpec kubelet) {
        return new KubeletSettings(
                Optional.of(kubelet.topologyManager().policy()),
                Optional.of(kubelet.topologyManager().scope()),
                kubelet.topologyManager().options(),
                Optional.of(kubelet.cpuManager().policy()),
                kubelet.cpuManager().options(),
                Optional.of(kubelet.memoryManager().policy()),
                kubelet.featureGates());
    }
}

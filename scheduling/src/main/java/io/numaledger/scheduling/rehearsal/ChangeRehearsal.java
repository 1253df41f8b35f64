package io.numaledger.scheduling.rehearsal;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.NodeClasses;
import io.numaledger.evaluation.snapshot.Assumption;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.NodeSnapshotBuilder;
import io.numaledger.kubelet.KubeletRestart;
import io.numaledger.kubelet.KubeletRestart.StateFile;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.scheduling.rehearsal.TentativeCluster.Placed;
import io.numaledger.scheduling.state.NodeUse;
import io.numaledger.scheduling.stranded.ReferencePod;
import io.numaledger.scheduling.stranded.ReferencePods;
import io.numaledger.scheduling.stranded.RoomCounts;
import io.numaledger.scheduling.stranded.RoomCounts.Room;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What becomes of pods when the kubelets of nodes are changed, one node after the other. */
public final class ChangeRehearsal {

    private final RehearsedCluster cluster;
    private final KubeletChange change;
    private final By by;
    private final Set<String> evicted = new HashSet<>();
    private final TentativeCluster tentative;
    private final NodeClasses classes;

    /** How the change is made. */
    public enum By {
        /** The kubelet is started again, and containers go on. */
        RESTART("restart"),
        /** The machine is started again: the kubelet admits all pods again. */
        REBOOT("reboot"),
        /** The node is drained before, and takes pods again afterwards. */
        DRAIN("drain");

        private final String text;

        By(String text) {
            this.text = text;
        }

        /** As on the command line, and in the API. */
        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * The change of all nodes.
     *
     * @param nodes in their order
     * @param room the room on these nodes, by reference pod
     * @param fitting pending pods that fit afterwards, and did not before
     * @param unfitting pending pods that fitted before, and do not afterwards
     */
    public record Result(
            List<ChangedNode> nodes,
            SortedMap<String, RoomChange> room,
            List<RehearsedPod> fitting,
            List<String> unfitting) {

        public Result {
            nodes = List.copyOf(nodes);
            fitting = List.copyOf(fitting);
            unfitting = List.copyOf(unfitting);
        }
    }

    /** The room for pods of one size on all changed nodes together. */
    public record RoomChange(Room before, Room after) {

        private static RoomChange sum(RoomChange one, RoomChange other) {
            return new RoomChange(sum(one.before, other.before), sum(one.after, other.after));
        }

        private static Room sum(Room one, Room other) {
            return new Room(one.byZones() + other.byZones(), one.bySums() + other.bySums());
        }
    }

    private ChangeRehearsal(RehearsedCluster cluster, KubeletChange change, By by) {
        this.cluster = cluster;
        this.change = change;
        this.by = by;
        this.tentative = cluster.tentative(evicted);
        this.classes = cluster.state().classes();
    }

    /** Changes nodes in this order. */
    public static Result of(
            RehearsedCluster cluster, KubeletChange change, By by, List<String> nodes, ReferencePods references) {
        TentativeCluster before = cluster.tentative(new HashSet<>());
        Set<String> fitted = cluster.pending().stream()
                .filter(pod -> before.place(pod).node().isPresent())
                .map(PodFacts::key)
                .collect(Collectors.toSet());
        ChangeRehearsal rehearsal = new ChangeRehearsal(cluster, change, by);
        List<ChangedNode> changed = nodes.stream().map(rehearsal::change).toList();
        SortedMap<String, RoomChange> room = rehearsal.room(changed, new RoomCounts(references));
        List<RehearsedPod> fitting = new ArrayList<>();
        List<String> unfitting = new ArrayList<>();
        for (PodFacts pod : cluster.pending()) {
            Placed placed = rehearsal.tentative.place(pod);
            if (placed.node().isPresent() && !fitted.contains(pod.key())) {
                fitting.add(RehearsedPod.of(pod, "", Fate.PENDING, "").placed(placed));
            } else if (placed.node().isEmpty() && fitted.contains(pod.key())) {
                unfitting.add(pod.key());
            }
        }
        return new Result(changed, room, fitting, unfitting);
    }

    private SortedMap<String, RoomChange> room(List<ChangedNode> changed, RoomCounts counts) {
        SortedMap<String, RoomChange> room = new TreeMap<>();
        for (ChangedNode node : changed) {
            for (ReferencePod size : counts.sizes(node.before())) {
                Room before = counts.count(size, node.before(), node.before().now());
                Room after = node.after()
                        .map(use -> counts.count(size, use, tentative.state(node.name())))
                        .orElseGet(() -> new Room(0, 0));
                room.merge(size.name(), new RoomChange(before, after), RoomChange::sum);
            }
        }
        return room;
    }

    private ChangedNode change(String name) {
        NodeUse use = tentative.use(name);
        NodeSnapshot before = use.snapshots().likeliest().snapshot();
        if (before.model().kubelet().isEmpty()) {
            return unknown(use, before);
        }
        try {
            ReconfiguredNode start = ReconfiguredNode.of(before, change, cluster.settings(), classes);
            if (start.model().kubelet().isPresent()) {
                return changed(use, before, start);
            }
            return failed(use, start.model().unmodelled().orElseThrow().message());
        } catch (StartupRefusedException refused) {
            return failed(use, String.valueOf(refused.getMessage()));
        }
    }

    /** Nothing is known of its zones. */
    private ChangedNode unknown(NodeUse use, NodeSnapshot before) {
        String why = before.model().unmodelled().map(Object::toString).orElse("");
        return new ChangedNode(
                use,
                Optional.empty(),
                "",
                Set.of(),
                tentative.pods(use.node().name()).stream()
                        .map(pod -> RehearsedPod.of(
                                pod, use.node().name(), Fate.UNCERTAIN, "nothing is known of its node's zones: " + why))
                        .toList(),
                Collections.emptySortedSet());
    }

    /** The kubelet does not start: its pods are evicted when the node has not been ready for some time. */
    private ChangedNode failed(NodeUse use, String objection) {
        String name = use.node().name();
        tentative.close(name);
        List<RehearsedPod> pods = tentative.pods(name).stream()
                .map(pod -> cluster.ended(pod, name, "its kubelet does not start"))
                .toList();
        end(name, pods);
        return new ChangedNode(use, Optional.empty(), objection, Set.of(), placed(pods), Collections.emptySortedSet());
    }

    private ChangedNode changed(NodeUse use, NodeSnapshot before, ReconfiguredNode start) {
        String name = use.node().name();
        tentative.close(name);
        List<RehearsedPod> drained = by == By.DRAIN ? drain(name) : List.of();
        NodeState files = KubeletRestart.read(
                tentative.state(name).likeliestState().orElseThrow(),
                before.model().kubelet().orElseThrow().rules().version(),
                start.kubelet().rules().version());
        String objection = KubeletRestart.objection(start.kubelet(), files).orElse("");
        Set<StateFile> delete = KubeletRestart.obstacles(start.kubelet(), files);
        KubeletStart look = new KubeletStart(
                cluster,
                by,
                start,
                KubeletRestart.over(start.kubelet(), KubeletRestart.without(start.kubelet(), files, delete)),
                before,
                delete.isEmpty());
        look.lookAt(tentative.pods(name));
        if (look.failure().isPresent()) {
            return failed(use, look.failure().get());
        }
        end(name, look.ended());
        NodeSnapshot snapshot = NodeSnapshotBuilder.restarted(
                before, start.node(), start.topology(), start.model(), look.state(), look.left());
        tentative.change(use.with(snapshot, classes.of(snapshot), look.left()));
        List<RehearsedPod> pods = new ArrayList<>();
        drained.stream()
                .filter(pod -> pod.fate() != Fate.STAYS)
                .map(this::takenBack)
                .forEach(pods::add);
        Set<String> listed = pods.stream().map(pod -> pod.pod().key()).collect(Collectors.toSet());
        look.stays().stream().filter(pod -> !listed.contains(pod.pod().key())).forEach(pods::add);
        pods.addAll(placed(look.ended()));
        SortedSet<Assumption> assumed = new TreeSet<>(snapshot.assumptions());
        assumed.removeAll(before.assumptions());
        return new ChangedNode(use, Optional.of(tentative.use(name)), objection, delete, pods, assumed);
    }

    /** A pod that no other node took may run where it ran before. */
    private RehearsedPod takenBack(RehearsedPod pod) {
        return pod.fate() == Fate.PENDING
                ? tentative
                        .place(pod.pod().madeAnew())
                        .node()
                        .map(pod::takenLater)
                        .orElse(pod)
                : pod;
    }

    private List<RehearsedPod> drain(String name) {
        List<RehearsedPod> pods = tentative.pods(name).stream()
                .map(pod -> cluster.drained(pod, name))
                .toList();
        end(name, pods);
        return placed(pods);
    }

    private void end(String name, List<RehearsedPod> pods) {
        List<PodFacts> gone = pods.stream()
                .filter(pod -> pod.fate() == Fate.PENDING || pod.fate() == Fate.LOST)
                .map(RehearsedPod::pod)
                .toList();
        gone.forEach(pod -> pod.uid().ifPresent(evicted::add));
        tentative.end(name, gone);
    }

    /** The pods, with nodes for those for which others are made. */
    private List<RehearsedPod> placed(List<RehearsedPod> pods) {
        return pods.stream()
                .sorted((one, other) -> RehearsedCluster.QUEUE.compare(one.pod(), other.pod()))
                .map(pod -> pod.fate() == Fate.PENDING
                        ? pod.placed(tentative.place(pod.pod().madeAnew()))
                        : pod)
                .toList();
    }
}

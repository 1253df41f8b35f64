package io.numaledger.scheduling.rehearsal;

import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.NodeClasses;
import io.numaledger.evaluation.fit.NodeFit;
import io.numaledger.evaluation.snapshot.Assumption;
import io.numaledger.evaluation.snapshot.NodeModel;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.NodeSnapshotBuilder;
import io.numaledger.evaluation.snapshot.PodHolding;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.KubeletRestart;
import io.numaledger.kubelet.KubeletRestart.StateFile;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.kubelet.config.StartupChecks;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.scheduling.rehearsal.TrialCluster.Placed;
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
    private final TrialCluster trial;
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
        this.trial = cluster.trial(evicted);
        this.classes = cluster.state().classes();
    }

    /** Changes nodes in this order. */
    public static Result of(
            RehearsedCluster cluster, KubeletChange change, By by, List<String> nodes, ReferencePods references) {
        TrialCluster before = cluster.trial(new HashSet<>());
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
            Placed placed = rehearsal.trial.place(pod);
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
                        .map(use -> counts.count(size, use, trial.state(node.name())))
                        .orElseGet(() -> new Room(0, 0));
                room.merge(size.name(), new RoomChange(before, after), RoomChange::sum);
            }
        }
        return room;
    }

    /** The new kubelet, and what it finds. */
    private record Start(NodeFacts node, NodeTopology topology, NodeModel model) {

        KubeletModel kubelet() {
            return model.kubelet().orElseThrow();
        }
    }

    private ChangedNode change(String name) {
        NodeUse use = trial.use(name);
        NodeSnapshot before = use.snapshots().likeliest().snapshot();
        if (before.model().kubelet().isEmpty() || before.topology().isEmpty()) {
            return unknown(use, before);
        }
        try {
            Start start = start(before, before.topology().get());
            if (start.model().kubelet().isPresent()) {
                return changed(use, before, start);
            }
            return failed(use, start.model().unmodelled().orElseThrow().message());
        } catch (StartupRefusedException refused) {
            return failed(use, String.valueOf(refused.getMessage()));
        }
    }

    private Start start(NodeSnapshot before, NodeTopology published) {
        change.reservedCpus()
                .flatMap(reserved -> StartupChecks.offlineReservation(
                        reserved,
                        before.model()
                                .kubelet()
                                .orElseThrow()
                                .machine()
                                .topology()
                                .onlineCpus()))
                .ifPresent(refusal -> {
                    throw new StartupRefusedException(refusal);
                });
        NodeTopology topology = change.over(published);
        NodeFacts node = change.over(before.node(), published, topology);
        return new Start(
                node,
                topology,
                classes.shared(NodeModel.changed(
                        node, topology, cluster.settings(), before.model().leftOut())));
    }

    /** Nothing is known of its zones: its pods are taken to stay. */
    private ChangedNode unknown(NodeUse use, NodeSnapshot before) {
        String why = before.model().unmodelled().map(Object::toString).orElse("");
        return new ChangedNode(
                use,
                Optional.empty(),
                "",
                Set.of(),
                trial.pods(use.node().name()).stream()
                        .map(pod -> RehearsedPod.stays(
                                pod, use.node().name(), "nothing is known of its node's zones: " + why))
                        .toList(),
                Collections.emptySortedSet());
    }

    /** The kubelet does not start: its pods are evicted when the node has not been ready for some time. */
    private ChangedNode failed(NodeUse use, String objection) {
        String name = use.node().name();
        trial.close(name);
        List<RehearsedPod> pods = trial.pods(name).stream()
                .map(pod -> cluster.ended(pod, name, "its kubelet does not start"))
                .toList();
        end(name, pods);
        return new ChangedNode(use, Optional.empty(), objection, Set.of(), placed(pods), Collections.emptySortedSet());
    }

    private ChangedNode changed(NodeUse use, NodeSnapshot before, Start start) {
        String name = use.node().name();
        trial.close(name);
        List<RehearsedPod> drained = by == By.DRAIN ? drain(name) : List.of();
        NodeState files = trial.state(name).likeliestState().orElseThrow();
        String objection = KubeletRestart.objection(start.kubelet(), files).orElse("");
        Set<StateFile> delete = KubeletRestart.obstacles(start.kubelet(), files);
        Look look = new Look(
                start,
                KubeletRestart.over(start.kubelet(), KubeletRestart.without(start.kubelet(), files, delete)),
                before,
                delete.isEmpty());
        List<PodFacts> ordered = cluster.inKubeletOrder(trial.pods(name));
        for (PodFacts pod : ordered) {
            look.at(pod, cluster.isTied(pod, ordered));
            if (look.failure.isPresent()) {
                return failed(use, look.failure.get());
            }
        }
        end(name, look.ended);
        NodeSnapshot snapshot = NodeSnapshotBuilder.restarted(
                before, start.node(), start.topology(), start.model(), look.state, look.left);
        trial.change(use.with(snapshot, classes.of(snapshot), look.left));
        List<RehearsedPod> pods = new ArrayList<>();
        drained.stream()
                .filter(pod -> pod.fate() != Fate.STAYS)
                .map(this::takenBack)
                .forEach(pods::add);
        Set<String> listed = pods.stream().map(pod -> pod.pod().key()).collect(Collectors.toSet());
        look.stays.stream().filter(pod -> !listed.contains(pod.pod().key())).forEach(pods::add);
        pods.addAll(placed(look.ended));
        SortedSet<Assumption> assumed = new TreeSet<>(snapshot.assumptions());
        assumed.removeAll(before.assumptions());
        return new ChangedNode(use, Optional.of(trial.use(name)), objection, delete, pods, assumed);
    }

    /** A pod that no other node took may run where it ran before. */
    private RehearsedPod takenBack(RehearsedPod pod) {
        return pod.fate() == Fate.PENDING
                ? trial.place(pod.pod().madeAnew()).node().map(pod::takenLater).orElse(pod)
                : pod;
    }

    private List<RehearsedPod> drain(String name) {
        List<RehearsedPod> pods =
                trial.pods(name).stream().map(pod -> cluster.drained(pod, name)).toList();
        end(name, pods);
        return placed(pods);
    }

    private void end(String name, List<RehearsedPod> pods) {
        List<PodFacts> gone = pods.stream()
                .filter(pod -> pod.fate() == Fate.PENDING || pod.fate() == Fate.LOST)
                .map(RehearsedPod::pod)
                .toList();
        gone.forEach(pod -> pod.uid().ifPresent(evicted::add));
        trial.end(name, gone);
    }

    /** The pods, with nodes for those for which others are made. */
    private List<RehearsedPod> placed(List<RehearsedPod> pods) {
        return pods.stream()
                .sorted((one, other) -> RehearsedCluster.QUEUE.compare(one.pod(), other.pod()))
                .map(pod -> pod.fate() == Fate.PENDING
                        ? pod.placed(trial.place(pod.pod().madeAnew()))
                        : pod)
                .toList();
    }

    /** The new kubelet looks at its pods, one after the other. */
    private final class Look {

        private static final String NOT_PUBLISHED = "what it holds is not published in full";
        private static final String PLUGIN_LATER =
                "it ends if the plugin of its devices registers after its kubelet has looked at it";

        private final Start start;
        private final Set<String> held;
        private final Set<String> onOneZone;
        private final Set<String> assumed;
        private final boolean alignsOtherwise;
        private final boolean overAllFiles;
        private NodeState state;
        private boolean certain = true;
        private Optional<String> failure = Optional.empty();
        private final List<PodFacts> left = new ArrayList<>();
        private final List<RehearsedPod> stays = new ArrayList<>();
        private final List<RehearsedPod> ended = new ArrayList<>();

        /** @param overAllFiles whether the kubelet remembers what all pods hold */
        private Look(Start start, NodeState state, NodeSnapshot before, boolean overAllFiles) {
            this.start = start;
            this.state = state;
            this.overAllFiles = overAllFiles;
            this.held = before.pods().stream().map(PodHolding::key).collect(Collectors.toSet());
            this.onOneZone = before.pods().stream()
                    .filter(pod -> pod.placement().zones().size() == 1)
                    .map(PodHolding::key)
                    .collect(Collectors.toSet());
            TopologyManagerConfig aligned =
                    before.model().kubelet().orElseThrow().rules().config().topologyManager();
            this.alignsOtherwise =
                    !aligned.equals(start.kubelet().rules().config().topologyManager());
            this.assumed = before.assumptions().stream()
                    .flatMap(each -> each.pod().stream())
                    .map(Object::toString)
                    .collect(Collectors.toSet());
        }

        /** @param tied whether it is open in which order the kubelet looks at it and another pod */
        private void at(PodFacts pod, boolean tied) {
            certain &= overAllFiles || !tied;
            Optional<String> outOf = NodeFit.outOf(start.node(), pod, left);
            if (outOf.isPresent()) {
                state = start.kubelet().ended(state, pod.key());
                end(pod, outOf.get());
            } else if (pod.node().isPresent() && pod.needsAlignment() && !held.contains(pod.key())) {
                keep(pod, state, NOT_PUBLISHED);
            } else {
                decide(pod);
            }
        }

        private void decide(PodFacts pod) {
            Decision decision = decision(pod.request());
            PodRequest lasting = pod.request().withoutPlainInit();
            boolean isKnown = lasting.equals(pod.request()) && !assumed.contains(pod.key());
            if (decision.admission() instanceof Admission.KubeletFailure fails) {
                failure = Optional.of(fails.why());
            } else if (mayMissPlugin(pod)) {
                keep(pod, decision.admission().isAdmitted() ? decision.state() : state, PLUGIN_LATER);
            } else if (!pod.needsAlignment() || (isKnown && certain)) {
                decided(pod, decision);
            } else if (overAllFiles) {
                remembered(pod, decision, decision(lasting));
            } else {
                certain = false;
                keep(pod, decision.admission().isAdmitted() ? decision.state() : state, NOT_PUBLISHED);
            }
        }

        /**
         * The kubelet remembers what a pod's plain init containers got, and nobody publishes it by container. It keeps the pod for sure if it
         * would do so whether they get that anew or nothing.
         *
         * @param all if they got what they request anew
         * @param lasting without them
         */
        private void remembered(PodFacts pod, Decision all, Decision lasting) {
            boolean isSure = all.admission().isAdmitted()
                    && lasting.admission().isAdmitted()
                    && (!alignsOtherwise || onOneZone.contains(pod.key()));
            keep(
                    pod,
                    lasting.admission().isAdmitted() ? start.kubelet().started(lasting.state(), pod.request()) : state,
                    isSure ? "" : NOT_PUBLISHED);
        }

        private void decided(PodFacts pod, Decision decision) {
            Optional<Refusal> refusal = decision.admission().refused();
            if (refusal.isPresent()) {
                state = decision.state();
                end(pod, text(refusal.get()));
            } else {
                keep(pod, start.kubelet().started(decision.state(), pod.request()), "");
            }
        }

        /** A kubelet refuses containers that do not run, and have devices of a plugin that has not registered yet. */
        private boolean mayMissPlugin(PodFacts pod) {
            Set<String> devices = start.kubelet().machine().devices().keySet();
            return pod.request().inAllocationOrder().stream()
                    .filter(container -> by == By.REBOOT || container.kind() == ContainerRequest.Kind.PLAIN_INIT)
                    .anyMatch(container ->
                            container.resources().requests().keySet().stream().anyMatch(devices::contains));
        }

        private Decision decision(PodRequest request) {
            return by == By.REBOOT
                    ? start.kubelet().admit(state, request)
                    : start.kubelet().readmit(state, request);
        }

        private void keep(PodFacts pod, NodeState now, String why) {
            state = now;
            left.add(pod);
            stays.add(RehearsedPod.of(pod, start.node().name(), why.isEmpty() ? Fate.STAYS : Fate.UNCERTAIN, why));
        }

        private void end(PodFacts pod, String why) {
            ended.add(cluster.ended(pod, start.node().name(), why));
        }

        private static String text(Refusal refusal) {
            return "%s: %s"
                    .formatted(
                            refusal.reason(),
                            refusal.message().orElse("the kubelet names any one of several resources"));
        }
    }
}

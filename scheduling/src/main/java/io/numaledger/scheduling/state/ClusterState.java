package io.numaledger.scheduling.state;

import io.numaledger.evaluation.alignment.AlignmentDemand;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.facts.BindRequest;
import io.numaledger.evaluation.facts.NamespaceDefaults;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodPhase;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.NodeClasses;
import io.numaledger.evaluation.fit.NodeEquivalenceClass;
import io.numaledger.evaluation.fit.SlotCache;
import io.numaledger.evaluation.link.GpuLinks;
import io.numaledger.evaluation.snapshot.NodeModel;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.NodeSnapshotBuilder;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.gpu.PciNumaNodes;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.scheduling.dra.ClusterClaims;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The state of every node: free amounts, holders and reservations. Events of the API server change it, in any order. Any thread may read it.
 * Everything in it comes from the API server, except the reservations of pods that this bridge bound and no agent has observed
 * yet.
 *
 * <p>A pod's life:
 *
 * <pre>
 *        unseen          a scheduler asks about it before the watch shows it
 *          |
 *       pending --- nominated    its node leaves room for it
 *          |    \-- planned      a node leaves room for it as a pod of a group
 *          |
 *          | bind                      (the bind fails: pending again)
 *          v
 *      in flight         holds what is predicted, in each possible state of the node ({@link PodInFlight})
 *          |
 *          | its agent publishes what it has        (the kubelet refuses it: ended)
 *          v
 *       observed         holds what is published
 *          |    \
 *          |     \ deleted, with a grace period
 *          |      v
 *          |   terminating         holds it in one possible state, and not in another
 *          |      |    \
 *          v      v     v deleted, and no kubelet has confirmed the end
 *           ended   &lt;-- unconfirmed    as terminating, until the zones show it no more ({@link UnconfirmedDeletions})
 * </pre>
 *
 * A pod that another scheduler binds is observed, or in flight for as long as its BindRequest says ({@link RequestedBinds}).
 */
public final class ClusterState {

    private final ClusterChanges changes = new ClusterChanges();
    private final ClusterNode.Shared shared;
    private final Map<String, ClusterNode> nodes = new ConcurrentHashMap<>();
    private final AtomicLong membershipVersion = new AtomicLong();
    private volatile NodeIndex index = NodeIndex.of(0, Map.of());
    private final ReservationListener listener;
    private final NamespaceDefaults namespaceDefaults =
            new NamespaceDefaults(List.of(GpuLinks.DEFAULTS, AlignmentDemand.DEFAULTS));
    private final ShownPods pods = new ShownPods(namespaceDefaults);
    private final ClusterClaims claims;
    private final NominatedPods nominated;
    private final ReservedNodes reserved;
    private final RequestedBinds requestedBinds;
    private final RecentCostlyPods costlyPods;

    /** @param classes groups equal nodes */
    public ClusterState(
            SnapshotSettings settings, NodeClasses classes, ReservationListener listener, InstantSource clock) {
        this.claims = new ClusterClaims(this::devicesChanged, changes::changed, this::deviceClassesChanged, clock);
        this.nominated = new NominatedPods(pods, clock);
        this.costlyPods = new RecentCostlyPods(clock);
        this.shared = new ClusterNode.Shared(
                claims,
                new NodeSnapshotBuilder(settings),
                classes,
                new NodeVersions(changes, clock),
                new SlotCache<>(),
                new LongAdder(),
                nominated,
                new AtomicInteger(),
                new NodesOfPods(),
                costlyPods,
                claims::served,
                clock);
        this.reserved = new ReservedNodes(nodes, nominated, shared.plannedPods());
        this.requestedBinds = new RequestedBinds(pods::get, this::change, claims::requested);
        this.listener = listener;
    }

    // ---- events

    /** Where to tell what namespaces ask for their pods. Pods follow when they are seen the next time. */
    public NamespaceDefaults namespaceDefaults() {
        return namespaceDefaults;
    }

    /** The devices of Dynamic Resource Allocation, and their claims. */
    public ClusterClaims claims() {
        return claims;
    }

    private void devicesChanged(String node) {
        Optional.ofNullable(nodes.get(node)).ifPresent(ClusterNode::devicesChanged);
    }

    private void deviceClassesChanged() {
        nodes.values().forEach(ClusterNode::deviceClassesChanged);
    }

    public void nodeChanged(NodeFacts node) {
        change(node.name(), known -> known.setNode(Optional.of(node)));
        claims.pciNumaNodesChanged(node.name(), node.pciNumaNodes());
    }

    public void nodeDeleted(String name) {
        claims.pciNumaNodesChanged(name, PciNumaNodes.NONE);
        changeKnown(name, node -> node.setNode(Optional.empty()));
    }

    /** @param updatedAt when the object was last written */
    public void topologyChanged(NodeTopology topology, Instant updatedAt) {
        change(topology.node(), node -> node.setTopology(Optional.of(topology), updatedAt));
    }

    /** A NodeResourceTopology is published that cannot be read. */
    public void topologyUnreadable(String node, String why) {
        change(node, known -> known.setUnreadableTopology(why));
    }

    public void topologyDeleted(String name) {
        changeKnown(name, node -> node.setTopology(Optional.empty(), Instant.EPOCH));
    }

    public void podChanged(PodFacts seen) {
        PodFacts pod = namespaceDefaults.apply(seen);
        pods.put(pod).ifPresent(before -> {
            if (!before.isSameAs(pod)) {
                removeFromNode(before);
            } else if (!before.node().equals(pod.node())) {
                before.node().ifPresent(name -> changeKnown(name, node -> node.removePod(pod.key())));
            }
        });
        requestedBinds.update(pod.key());
        nominated.put(pod).ifPresent(this::nominationEnded);
        pod.node().ifPresent(name -> {
            shared.nodesOfPods().bound(pod, name);
            ClusterNode node = change(name, known -> known.putPod(pod));
            if (pod.phase() == PodPhase.FAILED) {
                node.failed(pod).ifPresent(evaluation -> listener.rejected(pod, evaluation));
            } else if (pod.running() || pod.ended()) {
                node.started(pod);
            }
            if (pod.ended() || pod.observed() || runsWithoutResources(node, pod)) {
                node.release(pod)
                        .filter(reservation -> !reservation.adopted())
                        .ifPresent(reservation -> listener.released(pod, reservation));
            }
        });
        changes.changed();
    }

    /** No agent will observe such a pod. */
    private static boolean runsWithoutResources(ClusterNode node, PodFacts pod) {
        return pod.running()
                && node.reservation(pod.key())
                        .filter(reservation -> reservation.placement().isEmpty())
                        .isPresent();
    }

    public void podDeleted(PodFacts pod) {
        pods.remove(pod);
        requestedBinds.update(pod.key());
        nominated.remove(pod.key()).ifPresent(this::nominationEnded);
        removeFromNode(pod);
        changes.changed();
    }

    /**
     * Another scheduler has decided to bind a pod.
     *
     * @param devices what the pod's claims get
     */
    public void bindRequestChanged(BindRequest request, Set<DeviceId> devices) {
        requestedBinds.put(request, devices);
    }

    public void bindRequestDeleted(String podKey) {
        requestedBinds.remove(podKey);
    }

    private void removeFromNode(PodFacts pod) {
        pod.node()
                .ifPresent(name -> changeKnown(name, node -> {
                    node.removePod(pod.key());
                    node.release(pod);
                }));
        for (String name : shared.nodesOfPods().take(pod)) {
            changeKnown(name, node -> node.deleted(pod));
        }
    }

    private void nominationEnded(String name) {
        Optional.ofNullable(nodes.get(name)).ifPresent(ClusterNode::nominationEnded);
    }

    // ---- nodes come and go

    /** Changes a node, which is added if it is not known. Another thread may remove the node meanwhile: then it is added again. */
    private ClusterNode change(String name, Consumer<ClusterNode> change) {
        ClusterNode node = node(name);
        while (!node.change(change)) {
            nodes.remove(name, node); // as the other thread is about to do
            node = node(name);
        }
        removeIfEmpty(name, node);
        return node;
    }

    private ClusterNode node(String name) {
        ClusterNode known = nodes.get(name);
        if (known != null) {
            return known;
        }
        ClusterNode node = nodes.computeIfAbsent(name, any -> new ClusterNode(name, shared));
        membershipVersion.incrementAndGet();
        return node;
    }

    /** Takes something from a node. A node of which nothing is left is removed. */
    private void changeKnown(String name, Consumer<ClusterNode> change) {
        Optional.ofNullable(nodes.get(name)).ifPresent(node -> {
            node.change(change);
            removeIfEmpty(name, node);
        });
    }

    /** The slot is given back last: whoever asks for an index from then on gets one without the node. */
    private void removeIfEmpty(String name, ClusterNode node) {
        if (node.model().isEmpty() && node.removeIfEmpty()) {
            nodes.remove(name, node);
            membershipVersion.incrementAndGet();
            shared.versions().give(node.slot());
        }
    }

    // ---- binding

    /**
     * Evaluates the pod once more and, if it fits, reserves the resources of its predicted placement. Then has the binding written,
     * after those of all pods that were reserved on this node before.
     *
     * @param write gets the evaluation; empty for a node that the API server does not show, where nothing is reserved
     */
    public <T> T bind(String nodeName, PodFacts asked, Function<Optional<Evaluation>, T> write) {
        return bind(nodeName, asked, (now, evaluation) -> evaluation, write);
    }

    /**
     * Binds as {@link #bind(String, PodFacts, Function)} does, with a further check.
     *
     * @param check gets an evaluation that admits the pod, and returns it or a refusal. Nothing changes on the node meanwhile
     */
    public <T> T bind(
            String nodeName,
            PodFacts asked,
            BiFunction<PossibleSnapshots, Evaluation, Evaluation> check,
            Function<Optional<Evaluation>, T> write) {
        PodFacts pod = namespaceDefaults.apply(asked);
        PodFacts bound = pod.onNode(nodeName);
        BiFunction<PossibleSnapshots, Evaluation, Evaluation> last = (now, evaluation) -> {
            Evaluation checked = check.apply(now, evaluation);
            if (checked instanceof Fits fits) {
                fits.placement().ifPresent(placement -> listener.predicted(bound, now, placement));
            }
            return checked;
        };
        Optional<ClusterNode> known = Optional.ofNullable(nodes.get(nodeName));
        Optional<ClusterNode.Reserved> shown = known.flatMap(node -> node.reserve(pod, bound, last));
        if (shown.isEmpty()) {
            return write.apply(Optional.empty());
        }
        ClusterNode node = known.orElseThrow();
        ClusterNode.Reserved reserved = shown.get();
        try {
            reserved.ticket().await();
            return write.apply(node.confirm(reserved, pod, bound, last));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            changeKnown(nodeName, any -> node.cancel(pod));
            throw new IllegalStateException(
                    "interrupted while earlier pods are bound: pod=%s; the scheduler will retry the pod"
                            .formatted(pod.key()),
                    e);
        } finally {
            reserved.ticket().done();
        }
    }

    /** Cancels the reservation of a pod that was not bound after all. */
    public void cancel(String node, PodFacts pod) {
        changeKnown(node, known -> known.cancel(pod));
        listener.cancelled(pod);
    }

    /** The node does not take the pod: its place is for others from now on, before the watch shows that the nomination has ended. */
    public void endNomination(PodFacts pod, String node) {
        nominated.expectEnd(pod, node);
        nominationEnded(node);
    }

    // ---- reading

    /** The pods as the watch shows them. */
    public ShownPods pods() {
        return pods;
    }

    /** The pods that are nominated for nodes, and those for which others are to end. */
    public NominatedPods nominated() {
        return nominated;
    }

    /** The pods for which nodes are reserved. */
    public ReservedNodes reserved() {
        return reserved;
    }

    /** Pods that are too costly to evaluate. */
    public RecentCostlyPods costlyPods() {
        return costlyPods;
    }

    /** The budget of a call that is about one pod, on some nodes. */
    public EvaluationBudget budget(PodFacts pod, int onNodes) {
        return EvaluationBudget.ofCall(pod, onNodes, costlyPods);
    }

    /** What is known of a node, without evaluating any pod there; absent for a node that the API server does not show. */
    public Optional<NodeUse> use(String node) {
        return Optional.ofNullable(nodes.get(node)).flatMap(ClusterNode::use);
    }

    /**
     * What is used of a node; absent for a node that the API server does not show.
     *
     * @param budget of the call that asks
     */
    public Optional<NodeUse> use(String node, EvaluationBudget budget) {
        return use(node).map(use -> use.within(budget));
    }

    /** What is used of every node, by name. */
    public List<NodeUse> uses(EvaluationBudget budget) {
        NodeIndex now = index();
        return IntStream.range(0, now.size())
                .mapToObj(at -> now.node(at).use())
                .flatMap(Optional::stream)
                .map(use -> use.within(budget))
                .toList();
    }

    /** The likeliest state of a node; absent for a node that the API server does not show. */
    public Optional<NodeSnapshot> snapshot(String node) {
        return snapshots(node).map(snapshots -> snapshots.likeliest().snapshot());
    }

    /** All states that a node may be in. */
    public Optional<PossibleSnapshots> snapshots(String node) {
        return Optional.ofNullable(nodes.get(node)).flatMap(ClusterNode::snapshots);
    }

    /** The snapshots of all nodes, by name. */
    public List<NodeSnapshot> snapshots() {
        return nodes.keySet().stream()
                .sorted()
                .map(this::snapshot)
                .flatMap(Optional::stream)
                .toList();
    }

    /** The pods bound to a node, ended ones included. */
    public List<PodFacts> podsOn(String node) {
        return Optional.ofNullable(nodes.get(node)).map(ClusterNode::pods).orElse(List.of());
    }

    /** The pods of a node whose records are set aside, by key. */
    public Set<String> recordsSetAside(String node) {
        return Optional.ofNullable(nodes.get(node)).map(ClusterNode::setAside).orElse(Set.of());
    }

    /** The kubelet model of each node, or why there is none. */
    public SortedMap<String, NodeModel> models() {
        SortedMap<String, NodeModel> models = new TreeMap<>();
        nodes.forEach((name, node) -> node.model().ifPresent(model -> models.put(name, model)));
        return models;
    }

    /** Whether the node has all kinds of devices that the pod requests, free or not. */
    public boolean offersDevices(String node, PodFacts pod) {
        return Optional.ofNullable(nodes.get(node))
                .filter(known -> known.offers(pod, claims.haveDevicesFor(node)))
                .isPresent();
    }

    /** Builds all snapshots on all processors. Returns the number of nodes. */
    public long warmUp() {
        return nodes.values().parallelStream()
                .filter(node -> node.snapshots().isPresent())
                .count();
    }

    /** Discards expired snapshots and nominations. Call it about once a second. */
    public void expire() {
        nominated.expire().forEach(this::nominationEnded);
        nodes.forEach((name, node) -> {
            node.expire();
            removeIfEmpty(name, node);
        });
        claims.misaligned().expire();
    }

    /** An empty list of node names, to be filled. */
    public NodeNames nodeNames() {
        NodeIndex now = index();
        return new NodeNames(now, now.size());
    }

    /** All nodes of this moment. */
    public NodeIndex index() {
        long version = membershipVersion.get();
        NodeIndex now = index;
        if (now.membershipVersion() != version) {
            now = NodeIndex.of(version, nodes);
            index = now;
        }
        return now;
    }

    /** Changes of nodes and pods. */
    public ClusterChanges changes() {
        return changes;
    }

    /** The current version of each node's state. */
    public NodeVersions versions() {
        return shared.versions();
    }

    /** The equivalence class of each node on which it alone decides, by slot. */
    public SlotCache<NodeEquivalenceClass> classBySlot() {
        return shared.classBySlot();
    }

    /** Groups equal nodes. */
    public NodeClasses classes() {
        return shared.classes();
    }

    /** The number of pods that are reserved and not observed yet. */
    public int reservations() {
        return nodes.values().stream().mapToInt(ClusterNode::podsInFlight).sum();
    }

    /** The number of snapshots that were built. */
    public long snapshotBuilds() {
        return shared.builds().sum();
    }
}

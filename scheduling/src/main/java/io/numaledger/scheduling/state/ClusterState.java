package io.numaledger.scheduling.state;

import io.numaledger.evaluation.alignment.AlignmentDemand;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.facts.BindRequest;
import io.numaledger.evaluation.facts.NamespaceDefaults;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodPhase;
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
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
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
    private final SharedByNodes shared;
    private final ClusterNodes nodes;
    private final ReservationListener listener;
    private final NamespaceDefaults namespaceDefaults =
            new NamespaceDefaults(List.of(GpuLinks.DEFAULTS, AlignmentDemand.DEFAULTS));
    private final ShownPods pods = new ShownPods(namespaceDefaults);
    private final ClusterClaims claims;
    private final NominatedPods nominated;
    private final ReservedNodes reserved;
    private final PodBinds binds;
    private final RequestedBinds requestedBinds;
    private final RecentCostlyPods costlyPods;

    /** @param classes groups equal nodes */
    public ClusterState(
            SnapshotSettings settings, NodeClasses classes, ReservationListener listener, InstantSource clock) {
        this.claims = new ClusterClaims(this::devicesChanged, changes::changed, this::deviceClassesChanged, clock);
        this.nominated = new NominatedPods(pods, clock);
        this.costlyPods = new RecentCostlyPods(clock);
        this.shared = new SharedByNodes(
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
        this.nodes = new ClusterNodes(shared);
        this.reserved = new ReservedNodes(nodes, nominated, shared.plannedPods());
        this.requestedBinds = new RequestedBinds(pods::get, nodes::change, claims::requested);
        this.binds = new PodBinds(nodes, namespaceDefaults, listener);
        this.listener = listener;
    }

    /** Where to tell what namespaces ask for their pods. Pods follow when they are seen the next time. */
    public NamespaceDefaults namespaceDefaults() {
        return namespaceDefaults;
    }

    /** The devices of Dynamic Resource Allocation, and their claims. */
    public ClusterClaims claims() {
        return claims;
    }

    private void devicesChanged(String node) {
        nodes.find(node).ifPresent(ClusterNode::devicesChanged);
    }

    private void deviceClassesChanged() {
        nodes.all().forEach(ClusterNode::deviceClassesChanged);
    }

    public void nodeChanged(NodeFacts node) {
        nodes.change(node.name(), known -> known.setNode(Optional.of(node)));
        claims.pciNumaNodesChanged(node.name(), node.pciNumaNodes());
    }

    public void nodeDeleted(String name) {
        claims.pciNumaNodesChanged(name, PciNumaNodes.NONE);
        nodes.changeKnown(name, node -> node.setNode(Optional.empty()));
    }

    /** @param updatedAt when the object was last written */
    public void topologyChanged(NodeTopology topology, Instant updatedAt) {
        nodes.change(topology.node(), node -> node.setTopology(Optional.of(topology), updatedAt));
    }

    /** A NodeResourceTopology is published that cannot be read. */
    public void topologyUnreadable(String node, String why) {
        nodes.change(node, known -> known.setUnreadableTopology(why));
    }

    public void topologyDeleted(String name) {
        nodes.changeKnown(name, node -> node.setTopology(Optional.empty(), Instant.EPOCH));
    }

    public void podChanged(PodFacts seen) {
        PodFacts pod = namespaceDefaults.apply(seen);
        pods.put(pod).ifPresent(before -> {
            if (!before.isSameAs(pod)) {
                removeFromNode(before);
            } else if (!before.node().equals(pod.node())) {
                before.node().ifPresent(name -> nodes.changeKnown(name, node -> node.removePod(pod.key())));
            }
        });
        requestedBinds.update(pod.key());
        nominated.put(pod).ifPresent(this::nominationEnded);
        pod.node().ifPresent(name -> {
            shared.nodesOfPods().bound(pod, name);
            ClusterNode node = nodes.change(name, known -> known.putPod(pod));
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
                .ifPresent(name -> nodes.changeKnown(name, node -> {
                    node.removePod(pod.key());
                    node.release(pod);
                }));
        for (String name : shared.nodesOfPods().take(pod)) {
            nodes.changeKnown(name, node -> node.deleted(pod));
        }
    }

    private void nominationEnded(String name) {
        nodes.find(name).ifPresent(ClusterNode::nominationEnded);
    }

    /** The node does not take the pod: its place is for others from now on, before the watch shows that the nomination has ended. */
    public void endNomination(PodFacts pod, String node) {
        nominated.expectEnd(pod, node);
        nominationEnded(node);
    }

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

    /** Binds pods to nodes. */
    public PodBinds binds() {
        return binds;
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
        return nodes.find(node).flatMap(ClusterNode::use);
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
        return nodes.find(node).flatMap(ClusterNode::snapshots);
    }

    /** The snapshots of all nodes, by name. */
    public List<NodeSnapshot> snapshots() {
        NodeIndex now = index();
        return IntStream.range(0, now.size())
                .mapToObj(at -> snapshot(now.name(at)))
                .flatMap(Optional::stream)
                .toList();
    }

    /** The pods bound to a node, ended ones included. */
    public List<PodFacts> podsOn(String node) {
        return nodes.find(node).map(ClusterNode::pods).orElse(List.of());
    }

    /** The pods of a node whose records are set aside, by key. */
    public Set<String> recordsSetAside(String node) {
        return nodes.find(node).map(ClusterNode::setAside).orElse(Set.of());
    }

    /** The kubelet model of each node, or why there is none. */
    public SortedMap<String, NodeModel> models() {
        SortedMap<String, NodeModel> models = new TreeMap<>();
        nodes.all().forEach(node -> node.model().ifPresent(model -> models.put(node.name(), model)));
        return models;
    }

    /** Whether the node has all kinds of devices that the pod requests, free or not. */
    public boolean offersDevices(String node, PodFacts pod) {
        return nodes.find(node)
                .filter(known -> known.offers(pod, claims.haveDevicesFor(node)))
                .isPresent();
    }

    /** Builds all snapshots on all processors. Returns the number of nodes. */
    public long warmUp() {
        return nodes.all().parallelStream()
                .filter(node -> node.snapshots().isPresent())
                .count();
    }

    /** Discards expired snapshots and nominations. Call it about once a second. */
    public void expire() {
        nominated.expire().forEach(this::nominationEnded);
        nodes.expire();
        claims.misaligned().expire();
    }

    /** An empty list of node names, to be filled. */
    public NodeNames nodeNames() {
        NodeIndex now = index();
        return new NodeNames(now, now.size());
    }

    /** All nodes of this moment. */
    public NodeIndex index() {
        return nodes.index();
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
        return nodes.all().stream().mapToInt(ClusterNode::podsInFlight).sum();
    }

    /** The number of snapshots that were built. */
    public long snapshotBuilds() {
        return shared.builds().sum();
    }
}

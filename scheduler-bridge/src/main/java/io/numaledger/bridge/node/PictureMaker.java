package io.numaledger.bridge.node;

import io.numaledger.annotation.Annotations;
import io.numaledger.bridge.cluster.NodeFacts;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.placement.PodAllocation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** From a node's objects and the bridge's reservations to its picture. */
public final class PictureMaker {

    private static final int MAX_KINDS = 500;

    private final PictureSettings settings;
    private final Map<Kind, NodeModel> models = new ConcurrentHashMap<>();

    /** What makes a model, without the node's name. */
    private record Kind(NodeFacts node, NodeTopology topology) {}

    public PictureMaker(PictureSettings settings) {
        this.settings = settings;
    }

    /** The model of a node's kubelet: worth keeping while Node and topology stay the same. Read once for nodes of which the same is published. */
    public NodeModel model(NodeFacts node, Optional<NodeTopology> topology) {
        if (topology.isEmpty()) {
            return NodeModel.of(node, topology, settings);
        }
        Kind kind = new Kind(node.named(""), NodeModel.decisive(topology.get()));
        NodeModel known = models.get(kind);
        if (known != null) {
            return known;
        }
        NodeModel made = NodeModel.of(node, topology, settings);
        if (models.size() > MAX_KINDS) {
            models.clear();
        }
        if (made.kubelet().isPresent()) {
            models.put(kind, made);
        }
        return made;
    }

    /**
     * The picture.
     *
     * @param pods those bound to the node; ended ones hold nothing
     * @param reserved pod key → what the bridge reserved for it
     * @param records those of this node that were read before
     */
    public NodePicture picture(
            NodeFacts node,
            Optional<NodeTopology> topology,
            NodeModel model,
            Collection<PodFacts> pods,
            Map<String, PodAllocation> reserved,
            RecordTexts records) {
        if (model.kubelet().isEmpty()) {
            return new NodePicture(
                    node,
                    topology,
                    model,
                    Optional.empty(),
                    Optional.empty(),
                    List.of(),
                    Collections.emptySortedSet(),
                    Confidence.AGGREGATE);
        }
        KubeletModel kubelet = model.kubelet().get();
        List<PodFacts> holding = new ArrayList<>(pods.stream()
                .filter(pod -> !pod.ended())
                .sorted(Comparator.comparing(PictureMaker::uncertainty).thenComparing(PodFacts.BY_AGE))
                .toList());
        records.lookAnew();
        Holdings now = hold(new Holdings(kubelet, topology.orElseThrow(), records), holding, reserved);
        boolean releasing = holding.stream().anyMatch(PodFacts::terminating);
        NodeState after = now.state();
        if (releasing) {
            after = kubelet.retain(
                    now.state(),
                    holding.stream()
                            .filter(pod -> !pod.terminating())
                            .map(PodFacts::key)
                            .toList());
        }
        TreeSet<Assumption> assumptions = new TreeSet<>(model.assumptions());
        assumptions.addAll(now.assumptions());
        return new NodePicture(
                node,
                topology,
                model,
                Optional.of(now.state()),
                Optional.of(after),
                now.pods(),
                assumptions,
                confidence(assumptions, now.pods()));
    }

    /** What is known to the id stands; a terminating pod may have given up what it is known for. */
    private static int uncertainty(PodFacts pod) {
        boolean exact = pod.annotation(Annotations.PLACEMENT).isPresent();
        return exact ? (pod.terminating() ? 1 : 0) : 2;
    }

    private Holdings hold(Holdings holdings, List<PodFacts> pods, Map<String, PodAllocation> reserved) {
        if (settings.trustAvailable()) {
            holdings.chargeMissing("*", RecordSource.AGGREGATE);
            return holdings;
        }
        pods.forEach(holdings::add);
        holdings.addWaiting(reserved);
        return holdings;
    }

    /** Whether the picture depends on what the topology says to be available. */
    public boolean readsAvailable(NodePicture picture) {
        return settings.trustAvailable()
                || picture.assumptions().stream().anyMatch(each -> each.kind() == Assumption.Kind.NO_RECORD);
    }

    private static Confidence confidence(TreeSet<Assumption> assumptions, List<HeldPod> pods) {
        if (pods.stream().anyMatch(pod -> pod.source() == RecordSource.AGGREGATE)) {
            return Confidence.AGGREGATE;
        }
        boolean observed = pods.stream().allMatch(pod -> pod.source() == RecordSource.OBSERVED_EXACTLY);
        return assumptions.isEmpty() && observed ? Confidence.EXACT : Confidence.PREDICTED;
    }
}

package io.numaledger.bridge.verdict;

import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.node.NodeModel;
import io.numaledger.bridge.node.NodePicture;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.config.KubeletConfig;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Remembers answers: nodes of equal hardware, configuration and state answer a pod of one shape alike, and a cluster has few kinds of
 * either. Bounded: past its limit it forgets everything.
 */
public final class Outcomes {

    private static final int MAX_SIGNATURES = 20_000;
    private static final int MAX_SHAPES = 256;

    private record Kind(Machine machine, KubeletConfig config) {}

    private final Map<Kind, KubeletModel> kubelets = new ConcurrentHashMap<>();
    private final Map<NodeSignature, OfNode> bySignature = new ConcurrentHashMap<>();
    private final LongAdder asked = new LongAdder();
    private final LongAdder computed = new LongAdder();

    /** The same model object for nodes of the same kind. */
    public NodeModel shared(NodeModel model) {
        return model.kubelet()
                .map(kubelet -> new NodeModel(
                        Optional.of(kubelets.computeIfAbsent(
                                new Kind(kubelet.machine(), kubelet.rules().config()), any -> kubelet)),
                        model.unmodelled(),
                        model.assumptions()))
                .orElse(model);
    }

    /** The answers of nodes in this state. */
    public OfNode of(NodePicture picture) {
        if (picture.now().isEmpty()) {
            return new OfNode();
        }
        if (bySignature.size() > MAX_SIGNATURES) {
            bySignature.clear();
        }
        KubeletModel kubelet = picture.model().kubelet().orElseThrow();
        return bySignature.computeIfAbsent(
                new NodeSignature(kubelet, picture.now().get()), any -> new OfNode());
    }

    /** How many answers were asked for. */
    public long asked() {
        return asked.sum();
    }

    /** How many of them the kubelet model had to work out. */
    public long computed() {
        return computed.sum();
    }

    /** The answers of nodes of one signature, by shape. */
    public final class OfNode {

        private final Map<PodShape, Outcome> byShape = new ConcurrentHashMap<>();

        private OfNode() {}

        /** The answer; worked out on this node if none like it was asked before. */
        public Outcome of(NodePicture picture, PodShape shape, PodFacts pod) {
            asked.increment();
            Outcome known = byShape.get(shape);
            if (known != null) {
                return known;
            }
            computed.increment();
            if (byShape.size() > MAX_SHAPES) {
                byShape.clear();
            }
            Outcome outcome = Judge.outcome(picture, pod);
            byShape.put(shape, outcome);
            return outcome;
        }
    }

    /** The state that a node of this kind has without pods. */
    static Optional<NodeState> empty(NodePicture picture) {
        return picture.model().kubelet().map(KubeletModel::empty);
    }
}

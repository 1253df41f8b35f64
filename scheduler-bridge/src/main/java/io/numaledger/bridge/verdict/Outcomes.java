package io.numaledger.bridge.verdict;

import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.node.NodeModel;
import io.numaledger.bridge.node.NodePicture;
import io.numaledger.bridge.score.Ranking;
import io.numaledger.counts.NodeCounts;
import io.numaledger.counts.PodAsk;
import io.numaledger.counts.ResourceIndex;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.config.KubeletConfig;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Remembers answers: nodes of equal hardware, configuration and state answer a pod of one shape alike, and a cluster has few kinds of
 * either. What is not known yet is worked out from counts where they are proven to suffice, else by the full model. Bounded: past its
 * limits it forgets everything.
 */
public final class Outcomes {

    private static final int MAX_KINDS = 10_000;
    private static final int MAX_SIGNATURES = 20_000;
    private static final int MAX_SHAPES = 64;
    private static final int MAX_QUESTIONS = 4096;

    private record Kind(Machine machine, KubeletConfig config) {}

    private record Asked(PodShape shape, PodAsk ask) {}

    private final Ranking ranking;
    private final Evaluations evaluations = new Evaluations();
    private final ResourceIndex index = new ResourceIndex();
    private final ThreadLocal<CountsJudge> counts = ThreadLocal.withInitial(CountsJudge::new);
    private final Map<Kind, KubeletModel> kubelets = new ConcurrentHashMap<>();
    private final Map<KubeletModel, NodeKind> kinds = new ConcurrentHashMap<>();
    private final Map<NodeSignature, WeakReference<OfNode>> bySignature = new ConcurrentHashMap<>();
    private final Map<PodShape, Asked> shapes = new ConcurrentHashMap<>();

    public Outcomes(Ranking ranking) {
        this.ranking = ranking;
    }

    /** The same model object for nodes of the same kind. */
    public NodeModel shared(NodeModel model) {
        if (kubelets.size() > MAX_KINDS) {
            kubelets.clear();
            kinds.clear();
        }
        return model.kubelet()
                .map(kubelet -> new NodeModel(
                        Optional.of(kubelets.computeIfAbsent(
                                new Kind(kubelet.machine(), kubelet.rules().config()), any -> kubelet)),
                        model.unmodelled(),
                        model.assumptions()))
                .orElse(model);
    }

    /** A pod, prepared. @throws IllegalArgumentException for an invalid ceiling, as a sentence */
    public Question question(PodFacts pod) {
        if (shapes.size() > MAX_QUESTIONS) {
            shapes.clear();
        }
        Asked asked =
                shapes.computeIfAbsent(PodShape.of(pod), shape -> new Asked(shape, PodAsk.of(pod.request(), index)));
        return new Question(pod, asked.shape(), asked.ask());
    }

    /** The answers of nodes in this state. */
    public OfNode of(NodePicture picture) {
        if (picture.now().isEmpty()) {
            return new OfNode(Optional.empty());
        }
        if (bySignature.size() > MAX_SIGNATURES) {
            bySignature.clear();
        }
        KubeletModel kubelet = picture.model().kubelet().orElseThrow();
        NodeState state = kubelet.sweep(picture.now().get());
        NodeSignature signature = new NodeSignature(kubelet, state);
        OfNode known = known(signature);
        if (known != null) {
            return known;
        }
        NodeKind kind = kinds.computeIfAbsent(kubelet, any -> new NodeKind(any, index));
        OfNode fresh = new OfNode(Optional.of(new NodeCondition(kind, state)));
        bySignature.put(signature, new WeakReference<>(fresh));
        return fresh;
    }

    @SuppressWarnings("NullAway")
    private OfNode known(NodeSignature signature) {
        WeakReference<OfNode> known = bySignature.get(signature);
        return known == null ? null : known.get();
    }

    /** How many answers were needed, and where they came from. */
    public Evaluations evaluations() {
        return evaluations;
    }

    /** The answers of nodes of one signature, by shape. */
    public final class OfNode {

        private final Map<PodShape, Outcome> byShape = new ConcurrentHashMap<>();
        private final Optional<NodeCondition> condition;

        private OfNode(Optional<NodeCondition> condition) {
            this.condition = condition;
        }

        /** The answer; worked out on this node if none like it was asked before. */
        public Outcome of(NodePicture picture, Question question) {
            Outcome known = byShape.get(question.shape());
            if (known != null) {
                evaluations.add(Evaluations.Form.SHARED);
                return known;
            }
            if (byShape.size() >= MAX_SHAPES) {
                byShape.clear();
            }
            Outcome outcome = fromCounts(question).orElseGet(() -> inFull(picture, question));
            byShape.put(question.shape(), outcome);
            return outcome;
        }

        private Optional<Outcome> fromCounts(Question question) {
            Optional<NodeCounts> node = condition.flatMap(NodeCondition::counts);
            if (node.isEmpty() || question.shape().ceiling().isPresent()) {
                return Optional.empty();
            }
            Optional<Outcome> outcome = counts.get()
                    .outcome(condition.get().kind(), node.get(), condition.get().free(), question, ranking);
            outcome.ifPresent(any -> evaluations.add(Evaluations.Form.COUNTS));
            return outcome;
        }

        private Outcome inFull(NodePicture picture, Question question) {
            evaluations.add(condition.isPresent() ? Evaluations.Form.FULL : Evaluations.Form.NONE);
            return Judge.outcome(picture, condition, question, ranking);
        }
    }
}

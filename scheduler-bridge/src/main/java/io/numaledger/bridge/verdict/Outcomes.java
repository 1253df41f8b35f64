package io.numaledger.bridge.verdict;

import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.node.NodeModel;
import io.numaledger.bridge.node.NodePicture;
import io.numaledger.bridge.score.Ranking;
import io.numaledger.counts.PodAsk;
import io.numaledger.counts.ResourceIndex;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.config.KubeletConfig;

import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Works out answers, and remembers them: nodes of equal hardware, configuration and state answer a pod of one shape alike, and a cluster
 * has few kinds of either. Bounded: the shapes asked for last are remembered.
 */
public final class Outcomes {

    private static final int MAX_KINDS = 10_000;
    private static final int MAX_SIGNATURES = 20_000;
    private static final int MAX_SHAPES = 128;

    private record Kind(Machine machine, KubeletConfig config) {}

    private record Asked(PodShape shape, PodAsk ask, ShapeAnswers answers) {}

    private final Ranking ranking;
    private final Evaluations evaluations = new Evaluations();
    private final ResourceIndex index = new ResourceIndex();
    private final Map<Kind, KubeletModel> kubelets = new ConcurrentHashMap<>();
    private final Map<KubeletModel, NodeKind> kinds = new ConcurrentHashMap<>();
    private final Map<NodeSignature, WeakReference<NodeCondition>> bySignature = new ConcurrentHashMap<>();
    private final Map<PodShape, Asked> shapes = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<PodShape, Asked> eldest) {
            return size() > MAX_SHAPES;
        }
    });

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
        Asked asked = shapes.computeIfAbsent(
                PodShape.of(pod), shape -> new Asked(shape, PodAsk.of(pod.request(), index), new ShapeAnswers()));
        return new Question(pod, asked.shape(), asked.ask(), asked.answers(), new CountsJudge());
    }

    /** The same object for nodes that give the same answers; absent where nothing is known of the zones. */
    public Optional<NodeCondition> condition(NodePicture picture) {
        if (picture.now().isEmpty()) {
            return Optional.empty();
        }
        if (bySignature.size() > MAX_SIGNATURES) {
            bySignature.clear();
        }
        KubeletModel kubelet = picture.model().kubelet().orElseThrow();
        NodeState state = kubelet.sweep(picture.now().get());
        NodeSignature signature = new NodeSignature(kubelet, state);
        NodeCondition known = known(signature);
        if (known != null) {
            return Optional.of(known);
        }
        NodeCondition fresh = new NodeCondition(kinds.computeIfAbsent(kubelet, any -> new NodeKind(any, index)), state);
        bySignature.put(signature, new WeakReference<>(fresh));
        return Optional.of(fresh);
    }

    @SuppressWarnings("NullAway")
    private NodeCondition known(NodeSignature signature) {
        WeakReference<NodeCondition> known = bySignature.get(signature);
        return known == null ? null : known.get();
    }

    /** The answer: from counts, else as a node in the same condition gave it, else from the full model. */
    public Outcome work(NodePicture picture, Optional<NodeCondition> condition, Question question) {
        Optional<Outcome> counted = condition.flatMap(node -> counted(node, question));
        if (counted.isPresent()) {
            evaluations.add(Evaluations.Form.COUNTS, 1);
            return counted.get();
        }
        Optional<Outcome> known = condition.flatMap(question.answers()::of);
        if (known.isPresent()) {
            evaluations.add(Evaluations.Form.SHARED, 1);
            return known.get();
        }
        evaluations.add(condition.isPresent() ? Evaluations.Form.FULL : Evaluations.Form.NONE, 1);
        Outcome outcome = Judge.outcome(picture, condition, question, ranking);
        condition.ifPresent(node -> question.answers().put(node, outcome));
        return outcome;
    }

    /** The answer from counts; absent where they do not say all. */
    public Optional<Outcome> counted(NodeCondition node, Question question) {
        return node.counts().isEmpty() || question.shape().ceiling().isPresent()
                ? Optional.empty()
                : question.counts().outcome(node.kind(), node.counts().get(), node.free(), question, ranking);
    }

    /** How many answers were needed, and where they came from. */
    public Evaluations evaluations() {
        return evaluations;
    }
}

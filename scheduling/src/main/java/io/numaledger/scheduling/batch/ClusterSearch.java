package io.numaledger.scheduling.batch;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeIndex;
import io.numaledger.scheduling.state.NodeNames;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Evaluates pods on the nodes that kube-scheduler has not offered, because it looks at a sample of them: by zones, node-level requests,
 * taints, node selectors, node affinity and host ports. Thread-safe.
 */
public final class ClusterSearch {

    /** kube-scheduler offers fewer nodes only if no other takes the pod (minFeasibleNodesToFind, pkg/scheduler/schedule_one.go). */
    static final int MIN_SAMPLE = 100;

    private static final String ZONE_LABEL = "topology.kubernetes.io/zone";

    private static final Refused NOT_OFFERED =
            Refused.of(RefusalReason.NOT_OFFERED, "the pod fits, and kube-scheduler has not offered the node", true);

    private final ClusterState cluster;
    private final BatchEvaluator evaluator;
    private final NodeLevelRefusals nodeLevel;

    public ClusterSearch(ClusterState cluster, BatchEvaluator evaluator) {
        this.cluster = cluster;
        this.evaluator = evaluator;
        this.nodeLevel = new NodeLevelRefusals(cluster);
    }

    /**
     * The evaluations of a pod on all nodes of the cluster, none of which admits it.
     *
     * @param names those of a filter call, then the others
     * @param fitting nodes among the others on which the pod fits, as far as is known here
     */
    public record Result(NodeNames names, List<Evaluation> evaluations, List<String> fitting) {}

    /** Whether other nodes than these may take a pod for which {@code filter} is called with them. */
    public boolean isSample(NodeNames offered) {
        return offered.size() >= MIN_SAMPLE && offered.size() < offered.index().size();
    }

    /**
     * Evaluates a pod on all other nodes, too. A refusal of each node of the cluster makes an answer that does not depend on the sample:
     * kube-scheduler retries a pod whenever the text of its refusal changes.
     *
     * @param offered the nodes of a filter call
     * @param refusals one for each of them
     * @param budget of the call
     */
    public Result others(PodFacts pod, NodeNames offered, List<Evaluation> refusals, EvaluationBudget budget) {
        NodeNames names = offered.copy();
        List<Evaluation> evaluations = new ArrayList<>(names.index().size());
        evaluations.addAll(refusals);
        NodeNames possible = possible(pod, names, evaluations);
        List<Evaluation> byZones = evaluator.evaluate(possible, pod, budget);
        List<String> fitting = new ArrayList<>();
        for (int place = 0; place < possible.size(); place++) {
            Evaluation evaluation = byZones.get(place);
            if (evaluation.admits()) {
                String node = possible.get(place);
                Optional<Refused> reserved = cluster.reserved().refusal(node, pod, budget);
                if (reserved.isEmpty()) {
                    fitting.add(node);
                }
                evaluation = reserved.orElse(NOT_OFFERED);
            }
            names.add(possible.at(place));
            evaluations.add(evaluation);
        }
        return new Result(
                names,
                evaluations,
                fitting.stream().filter(isLikely(pod, offered)).toList());
    }

    /**
     * The nodes that are not offered, and that kube-scheduler's plugins would not refuse.
     *
     * @param names the offered nodes; those that the plugins would refuse are added, and their refusals
     */
    private NodeNames possible(PodFacts pod, NodeNames names, List<Evaluation> refusals) {
        NodeIndex index = names.index();
        BitSet offered = names.slots();
        NodeLevelRefusals.OfPod ofPod = nodeLevel.of(pod);
        NodeNames possible = NodeNames.of(index, List.of());
        for (int at = 0; at < index.size(); at++) {
            Optional<Evaluation> evaluation = offered.get(index.slot(at)) ? Optional.empty() : ofPod.at(index, at);
            if (evaluation.isEmpty()) {
                continue;
            }
            if (evaluation.get().admits()) {
                possible.add(at);
            } else {
                names.add(at);
                refusals.add(evaluation.get());
            }
        }
        return possible;
    }

    /** Volumes, and other pods, tie a pod to one of the zones in which the offered nodes are, mostly. */
    private Predicate<String> isLikely(PodFacts pod, NodeNames offered) {
        if (!pod.constraints().tied()) {
            return any -> true;
        }
        Set<String> zones = offered.stream().map(this::zone).collect(Collectors.toSet());
        return name -> zones.contains(zone(name));
    }

    private String zone(String node) {
        return cluster.use(node)
                .map(use -> use.node().constraints().labels().get(ZONE_LABEL))
                .orElse("");
    }

    /**
     * The best nodes among these that would take a pod now, and are not reserved for others; the best one first.
     *
     * @param most so many at most
     * @param budget of the call
     */
    public List<String> taking(PodFacts pod, List<String> nodes, int most, EvaluationBudget budget) {
        NodeNames names = NodeNames.of(cluster.index(), nodes);
        List<Evaluation> evaluations = evaluator.evaluate(names, pod, budget);
        return IntStream.range(0, names.size())
                .boxed()
                .filter(place -> evaluations.get(place).admits())
                .sorted((one, other) -> Long.compare(
                        evaluations.get(other).rank(), evaluations.get(one).rank()))
                .map(names::get)
                .filter(node -> takes(node, pod, budget))
                .limit(most)
                .toList();
    }

    private boolean takes(String node, PodFacts pod, EvaluationBudget budget) {
        return cluster.use(node)
                        .filter(use -> NodeLevelRefusals.takes(use, pod))
                        .isPresent()
                && cluster.reserved().refusal(node, pod, budget).isEmpty();
    }
}

package io.numaledger.scheduling.batch;

import io.numaledger.evaluation.facts.PodConstraints;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.NodeFit;
import io.numaledger.evaluation.fit.SlotCache;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeIndex;
import io.numaledger.scheduling.state.NodeUse;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Why nodes refuse pods, zones apart, as kube-scheduler's own plugins decide: node-level requests, taints, node selectors, node affinity
 * and host ports. The results for the most recent requests are kept until the node changes. Thread-safe.
 */
final class NodeLevelRefusals {

    private static final int MAX_REQUESTS = 32;

    private static final Evaluation TAKES = new Fits(Ranking.LOWEST, Optional.empty());

    private final ClusterState cluster;
    private final Map<Request, SlotCache<Evaluation>> recent =
            Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Request, SlotCache<Evaluation>> eldest) {
                    return size() > MAX_REQUESTS;
                }
            });

    /**
     * Equal pods in all that nodes decide on, zones apart.
     *
     * @param amounts at node level
     */
    private record Request(PodConstraints constraints, SortedMap<String, Long> amounts) {

        private static Request of(PodFacts pod) {
            return new Request(pod.constraints(), NodeFit.requested(pod.nodeLevel()));
        }

        private Evaluation evaluate(NodeUse use) {
            return NodeFit.obstacle(use.node(), constraints, amounts, use.requested(), use.ports())
                    .<Evaluation>map(refused -> refused)
                    .orElse(TAKES);
        }
    }

    /** The refusals of one pod. */
    final class OfPod {

        private final Request request;
        private final SlotCache<Evaluation> known;

        private OfPod(Request request) {
            this.request = request;
            this.known = recent.computeIfAbsent(request, any -> new SlotCache<>());
        }

        /**
         * Whether a node takes the pod, zones apart; absent for a node that the API server does not show.
         *
         * @param at the node's position in the index
         */
        Optional<Evaluation> at(NodeIndex index, int at) {
            int slot = index.slot(at);
            return known.get(slot, cluster.versions().get(slot))
                    .or(() -> cluster.use(index.name(at)).map(use -> evaluate(slot, use)));
        }

        private Evaluation evaluate(int slot, NodeUse use) {
            Evaluation evaluation = request.evaluate(use);
            known.put(slot, use.version(), evaluation);
            return evaluation;
        }
    }

    NodeLevelRefusals(ClusterState cluster) {
        this.cluster = cluster;
    }

    OfPod of(PodFacts pod) {
        return new OfPod(Request.of(pod));
    }

    /** Whether the node takes the pod, zones apart. */
    static boolean takes(NodeUse use, PodFacts pod) {
        return Request.of(pod).evaluate(use).admits();
    }
}

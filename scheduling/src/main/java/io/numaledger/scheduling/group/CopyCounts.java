package io.numaledger.scheduling.group;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.ClassCopies;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.fit.NodeFit;
import io.numaledger.evaluation.fit.SchedulingRequest;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * How many copies of a pod a node takes, one after the other until its kubelet refuses one. To divide free amounts by requests would
 * count too many: pods do not share what is left over in each zone. Counts on equal nodes are remembered for the most recently
 * used requests. Thread-safe.
 */
final class CopyCounts {

    private static final int MAX_REQUESTS = 16;

    private final Map<SchedulingRequest, ClassCopies> byRequest =
            Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<SchedulingRequest, ClassCopies> eldest) {
                    return size() > MAX_REQUESTS;
                }
            });

    /** The counts of equal pods. */
    OfPods of(List<PodFacts> pods, SchedulingRequest request) {
        PodFacts pod = pods.get(0);
        return new OfPods(
                pods,
                NodeFit.requested(pod.nodeLevel()),
                FullModel.isConditional(pod)
                                || !pod.claims().isEmpty()
                                || !pod.constraints().hostPorts().isEmpty()
                        ? Optional.empty()
                        : Optional.of(byRequest.computeIfAbsent(request, any -> new ClassCopies(pod))));
    }

    /**
     * The counts of equal pods.
     *
     * @param request see {@link NodeFit#requested(io.numaledger.pod.PodRequest)}
     * @param byZones absent where more than zones decides
     */
    record OfPods(List<PodFacts> pods, SortedMap<String, Long> request, Optional<ClassCopies> byZones) {

        /** How many of them a node takes; fewer once the budget is used up. */
        int on(GroupNode node, EvaluationBudget budget) {
            if (node.zones().isEmpty() || byZones.isEmpty()) {
                return node.start().filled(pods.size(), pods::get).copies();
            }
            int most = pods.size();
            int room = node.use().roomFor(request, most);
            GroupNode.SharedZones zones = node.zones().get();
            if (room == 0
                    || (!byZones.get().isKnown(zones.nodes(), most) && !budget.take(EvaluationBudget.PLACEMENT))) {
                return 0;
            }
            int copies = Math.min(room, byZones.get().on(zones.nodes(), zones.now(), most));
            return budget.take(copies) ? copies : 0;
        }
    }
}

package io.numaledger.bridge.run;

import io.numaledger.bridge.evaluation.Evaluation.Refused;

import java.util.Comparator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The event on a pod that every node refused.
 *
 * @param reasons the different reasons; the event is written again when they change, and not when only free amounts do
 * @param sentence the most frequent reason, with the free amounts of one node
 */
record UnschedulableMessage(String reasons, String sentence) {

    private static final Comparator<Map.Entry<Refused, Integer>> MOST_NODES =
            Map.Entry.<Refused, Integer>comparingByValue()
                    .thenComparing(entry -> entry.getKey().message());

    /** @param refusals each different refusal, with the number of nodes that it concerns */
    static UnschedulableMessage of(Map<Refused, Integer> refusals) {
        SortedMap<String, Integer> byReason = new TreeMap<>();
        refusals.forEach((refused, nodes) -> byReason.merge(refused.summary(), nodes, Integer::sum));
        String most = byReason.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
        String example = refusals.entrySet().stream()
                .filter(entry -> entry.getKey().summary().equals(most))
                .max(MOST_NODES)
                .orElseThrow()
                .getKey()
                .message();
        int nodes = refusals.values().stream().mapToInt(Integer::intValue).sum();
        return new UnschedulableMessage(
                String.join("; ", byReason.keySet()),
                "the pod fits the NUMA zones of none of %d node%s; %d of them: %s%s"
                        .formatted(
                                nodes,
                                nodes == 1 ? "" : "s",
                                byReason.get(most),
                                most,
                                example.equals(most) ? "" : " (one of them: %s)".formatted(example)));
    }
}

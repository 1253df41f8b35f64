package io.numaledger.bridge.run;

import io.numaledger.evaluation.fit.Evaluation.Refused;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The event on a pod that every node refused.
 *
 * @param nodesByReason each different reason, with the number of nodes that have it; not empty
 */
record UnschedulableMessage(SortedMap<String, Integer> nodesByReason) {

    UnschedulableMessage {
        nodesByReason = Collections.unmodifiableSortedMap(new TreeMap<>(nodesByReason));
    }

    /** @param refusals each different refusal, with the number of nodes that it concerns; at least one is for zones */
    static UnschedulableMessage of(Map<Refused, Integer> refusals) {
        SortedMap<String, Integer> byReason = new TreeMap<>();
        refusals.forEach((refused, nodes) -> {
            if (!refused.reason().isAboutNode()) {
                byReason.merge(refused.summary(), nodes, Integer::sum);
            }
        });
        return new UnschedulableMessage(byReason);
    }

    /** The different reasons; the event is written again when they change, and not when only free amounts do. */
    String reasons() {
        return String.join("; ", nodesByReason.keySet());
    }

    /** The reason that most nodes have. */
    String mostFrequent() {
        return nodesByReason.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
    }

    /**
     * The event.
     *
     * @param node one that has the most frequent reason
     * @param example this reason with the free amounts of the node
     * @param pod NAMESPACE/NAME
     */
    String sentence(String node, String example, String pod) {
        int nodes = nodesByReason.values().stream().mapToInt(Integer::intValue).sum();
        String most = mostFrequent();
        return "the pod fits the NUMA zones of none of %d node%s; %d of them: %s (%s%s); kubectl numa explain %s shows all nodes"
                .formatted(
                        nodes,
                        nodes == 1 ? "" : "s",
                        nodesByReason.get(most),
                        most,
                        nodes == 1 ? "on " + node : "such as on " + node,
                        example.equals(most) ? "" : ": " + example,
                        pod);
    }
}

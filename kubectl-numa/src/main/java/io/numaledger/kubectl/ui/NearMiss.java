package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.Comparator;
import java.util.Optional;

/**
 * A node that would take a pod after a small change. The model has confirmed each.
 *
 * @param change how large it is: 0 nothing but to wait, 1 to uncordon the node, 1 or 2 pods that end, 3 a smaller request, 4 more pods that end
 * @param missing of what the pod requests, in thousandths
 */
record NearMiss(int change, long missing, JsonNode explanation) implements Comparable<NearMiss> {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final Comparator<NearMiss> ORDER = Comparator.comparingInt(NearMiss::change)
            .thenComparingLong(NearMiss::missing)
            .thenComparing(each -> each.explanation().path("node").asText());

    /** @param explanation as {@link io.numaledger.apiobjects.view.ExplanationJson} writes it */
    static Optional<NearMiss> of(JsonNode explanation) {
        int change = sizeOfChange(explanation.path("advice").asText());
        return change < 0 || explanation.path("schedulable").asBoolean()
                ? Optional.empty()
                : Optional.of(new NearMiss(change, sumOfMissing(explanation), explanation));
    }

    /** As the sentences of {@code scheduling.explain.Advice} begin; -1: nothing helps. */
    private static int sizeOfChange(String advice) {
        if (advice.startsWith("wait:")) {
            return 0;
        }
        if (advice.startsWith("uncordon ")) {
            return 1;
        }
        if (advice.startsWith("the pod would fit without ")) {
            return advice.contains(" and ") ? 2 : 1;
        }
        if (advice.contains("; it would fit with ")) {
            return 3;
        }
        return advice.startsWith("more than two other pods") ? 4 : -1;
    }

    private static long sumOfMissing(JsonNode explanation) {
        long sum = 0;
        for (JsonNode resource : explanation.path("resources")) {
            double need = Long.parseUnsignedLong(resource.path("need").asText("0"));
            double free = Long.parseUnsignedLong(resource.path("free").asText("0"));
            sum += free < need ? Math.round(1000 * (need - free) / need) : 0;
        }
        return sum;
    }

    ObjectNode json() {
        ObjectNode json = JSON.createObjectNode()
                .put("node", explanation.path("node").asText())
                .put("message", explanation.path("message").asText())
                .put("advice", explanation.path("advice").asText())
                .put("confidence", explanation.path("confidence").asText());
        json.set("nodeReasons", explanation.path("nodeReasons"));
        return json;
    }

    @Override
    public int compareTo(NearMiss other) {
        return ORDER.compare(this, other);
    }
}

package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** How a pod's requests and limits stand to each other (pkg/apis/core/v1/helper/qos/qos.go). */
enum QosClass {
    GUARANTEED("Guaranteed"),
    BURSTABLE("Burstable"),
    BEST_EFFORT("BestEffort");

    private static final List<String> COMPUTE = List.of("cpu", "memory");

    private final String text;

    QosClass(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    /** The class of a pod whose missing requests are filled in already. */
    static QosClass of(JsonNode podSpec) {
        List<JsonNode> resources = Stream.of("initContainers", "containers")
                .flatMap(list -> StreamSupport.stream(podSpec.path(list).spliterator(), false))
                .map(container -> container.path("resources"))
                .toList();
        if (resources.stream().noneMatch(QosClass::asksForCompute)) {
            return BEST_EFFORT;
        }
        return resources.stream().allMatch(QosClass::isBounded) ? GUARANTEED : BURSTABLE;
    }

    private static boolean asksForCompute(JsonNode resources) {
        return COMPUTE.stream()
                .anyMatch(each -> resources.path("requests").has(each)
                        || resources.path("limits").has(each));
    }

    private static boolean isBounded(JsonNode resources) {
        return COMPUTE.stream().allMatch(each -> {
            String limit = resources.path("limits").path(each).asText();
            return !limit.isEmpty()
                    && limit.equals(resources.path("requests").path(each).asText());
        });
    }
}

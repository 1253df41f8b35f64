package io.numaledger.apiservers.fake.rules;

import com.fasterxml.jackson.databind.JsonNode;

import java.math.BigDecimal;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The quality of service class of a pod (pkg/apis/core/v1/helper/qos/qos.go). */
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

    /**
     * Returns the class of a pod by its own resources if it has any, otherwise by those of all containers. Amounts of zero
     * count as absent.
     *
     * @param podSpec with default requests filled in
     */
    static QosClass of(JsonNode podSpec) {
        List<JsonNode> resources = podSpec.path("resources").isObject()
                ? List.of(podSpec.path("resources"))
                : Stream.of("initContainers", "containers")
                        .flatMap(list -> StreamSupport.stream(podSpec.path(list).spliterator(), false))
                        .map(container -> container.path("resources"))
                        .toList();
        SortedMap<String, BigDecimal> requests = sum(resources, "requests");
        SortedMap<String, BigDecimal> limits = sum(resources, "limits");
        if (requests.isEmpty() && limits.isEmpty()) {
            return BEST_EFFORT;
        }
        boolean allLimited = resources.stream()
                .allMatch(each -> sum(List.of(each), "limits").keySet().containsAll(COMPUTE));
        return allLimited && requests.equals(limits) ? GUARANTEED : BURSTABLE;
    }

    private static SortedMap<String, BigDecimal> sum(List<JsonNode> resources, String field) {
        SortedMap<String, BigDecimal> sum = new TreeMap<>();
        for (JsonNode each : resources) {
            for (String name : COMPUTE) {
                BigDecimal amount = Quantity.parse(each.path(field).path(name).asText("0"));
                if (amount.signum() > 0) {
                    sum.merge(name, amount, (one, other) -> one.add(other).stripTrailingZeros());
                }
            }
        }
        return sum;
    }
}

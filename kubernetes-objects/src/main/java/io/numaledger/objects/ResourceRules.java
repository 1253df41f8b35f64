package io.numaledger.objects;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.resource.Quantity;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The API server's rules for what a pod requests, with its own words: pkg/apis/core/validation/validation.go in Kubernetes.
 */
final class ResourceRules {

    private static final String HUGE_PAGES = "hugepages-";
    private static final Set<String> OF_CONTAINERS = Set.of("cpu", "memory", "ephemeral-storage");
    private static final Pattern QUALIFIED =
            Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");

    private final List<String> broken = new ArrayList<>();

    private ResourceRules() {}

    /**
     * The rules that a pod spec breaks, a sentence each.
     *
     * @throws IllegalArgumentException if an amount is no quantity
     */
    static List<String> broken(JsonNode spec) {
        ResourceRules rules = new ResourceRules();
        for (String list : List.of("initContainers", "containers")) {
            for (int index = 0; index < spec.path(list).size(); index++) {
                rules.container(
                        "spec.%s[%d].resources".formatted(list, index),
                        spec.path(list).path(index).path("resources"));
            }
        }
        if (spec.path("resources").isObject()) {
            rules.pod(spec);
        }
        return rules.broken;
    }

    private void container(String path, JsonNode resources) {
        Map<String, String> limits = amounts(resources.path("limits"));
        Map<String, String> own = amounts(resources.path("requests"));
        limits.forEach((name, amount) -> value(path + ".limits", name, amount));
        own.forEach((name, amount) -> value(path + ".requests", name, amount));
        own.forEach((name, amount) -> compare(path, name, amount, Optional.ofNullable(limits.get(name))));
        Set<String> all = new HashSet<>(limits.keySet());
        all.addAll(own.keySet());
        if (all.stream().anyMatch(ResourceRules::isHugePages) && !all.contains("cpu") && !all.contains("memory")) {
            broken.add(path + ": Forbidden: HugePages require cpu or memory");
        }
    }

    private void value(String path, String name, String amount) {
        String where = "%s[%s]: Invalid value: ".formatted(path, name);
        if (!isNative(name) && !isExtended(name)) {
            broken.add("%s\"%s\": doesn't follow extended resource name standard".formatted(where, name));
        } else if (isNative(name) && !name.contains("/") && !isOfContainers(name)) {
            broken.add("%s\"%s\": must be a standard resource for containers".formatted(where, name));
        }
        BigDecimal value = Quantity.parse(amount);
        if (value.signum() < 0) {
            broken.add("%s\"%s\": must be greater than or equal to 0".formatted(where, amount));
        }
        if (!isNative(name) && value.stripTrailingZeros().scale() > 0) {
            broken.add("%s\"%s\": must be an integer".formatted(where, amount));
        }
        if (isHugePages(name) && !isMultiple(value, name)) {
            broken.add("%s\"%s\": %s is not positive integer multiple of %s".formatted(where, amount, amount, name));
        }
    }

    private void compare(String path, String name, String request, Optional<String> limit) {
        boolean overcommits = isNative(name) && !isHugePages(name);
        if (limit.isEmpty()) {
            if (!overcommits) {
                broken.add(path + ".limits: Required value: Limit must be set for non overcommitable resources");
            }
            return;
        }
        int compared = Quantity.parse(request).compareTo(Quantity.parse(limit.get()));
        if (compared > 0 || (compared != 0 && !overcommits)) {
            broken.add("%s.requests: Invalid value: \"%s\": must be %s %s limit of %s"
                    .formatted(path, request, overcommits ? "less than or equal to" : "equal to", name, limit.get()));
        }
    }

    private void pod(JsonNode spec) {
        Map<String, String> limits = amounts(spec.path("resources").path("limits"));
        Map<String, String> requests = amounts(spec.path("resources").path("requests"));
        limits.keySet().forEach(name -> ofPod("spec.resources.limits", name));
        requests.keySet().forEach(name -> ofPod("spec.resources.requests", name));
        requests.forEach((name, request) -> {
            compare("spec.resources", name, request, Optional.ofNullable(limits.get(name)));
            BigDecimal sum = BigDecimal.ZERO;
            for (JsonNode container : spec.path("containers")) {
                sum = sum.add(requested(container.path("resources"), name));
            }
            if (sum.compareTo(Quantity.parse(request)) > 0) {
                broken.add(
                        "spec.resources.requests[%s]: Invalid value: \"%s\": must be greater than or equal to aggregate container requests of %s"
                                .formatted(
                                        name, request, sum.stripTrailingZeros().toPlainString()));
            }
        });
        limits.forEach((name, limit) -> {
            for (int index = 0; index < spec.path("containers").size(); index++) {
                String own = amounts(spec.path("containers")
                                .path(index)
                                .path("resources")
                                .path("limits"))
                        .getOrDefault(name, limit);
                if (Quantity.parse(own).compareTo(Quantity.parse(limit)) > 0) {
                    broken.add(
                            "spec.resources.containers[%d][%s].limits: Invalid value: \"%s\": must be less than or equal to pod limits of %s"
                                    .formatted(index, name, own, limit));
                }
            }
        });
    }

    private void ofPod(String path, String name) {
        if (!name.equals("cpu") && !name.equals("memory") && !isHugePages(name)) {
            broken.add("%s[%s]: Unsupported value: \"%s\": supported values: \"cpu\", \"hugepages-\", \"memory\""
                    .formatted(path, name, name));
        }
    }

    private static BigDecimal requested(JsonNode resources, String name) {
        String limit = amounts(resources.path("limits")).getOrDefault(name, "0");
        return Quantity.parse(amounts(resources.path("requests")).getOrDefault(name, limit));
    }

    private static Map<String, String> amounts(JsonNode quantities) {
        Map<String, String> amounts = new TreeMap<>();
        quantities.properties().forEach(each -> {
            if (!each.getValue().isNull()) {
                amounts.put(each.getKey(), each.getValue().asText());
            }
        });
        return amounts;
    }

    private static boolean isNative(String name) {
        return !name.contains("/") || name.contains("kubernetes.io/");
    }

    private static boolean isExtended(String name) {
        return !isNative(name)
                && !name.startsWith("requests.")
                && QUALIFIED.matcher(name).matches();
    }

    private static boolean isHugePages(String name) {
        return name.startsWith(HUGE_PAGES);
    }

    private static boolean isOfContainers(String name) {
        return isHugePages(name) || OF_CONTAINERS.contains(name);
    }

    private static boolean isMultiple(BigDecimal amount, String name) {
        try {
            BigDecimal size = Quantity.parse(name.substring(HUGE_PAGES.length()));
            return size.signum() > 0 && amount.remainder(size).signum() == 0;
        } catch (IllegalArgumentException noSize) {
            return false;
        }
    }
}

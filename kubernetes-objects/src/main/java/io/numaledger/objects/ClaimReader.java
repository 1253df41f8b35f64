package io.numaledger.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.evaluation.claim.ClaimAllocation;
import io.numaledger.evaluation.claim.ClaimConstraint;
import io.numaledger.evaluation.claim.DeviceClass;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.DeviceRequest;
import io.numaledger.evaluation.claim.DeviceRequest.AllocationMode;
import io.numaledger.evaluation.claim.DeviceRequest.Alternative;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.Toleration;
import io.numaledger.pod.RequestedAmount;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Reads ResourceClaims and DeviceClasses. Anybody with a namespace writes claims: lists are cut, and what cannot be read is named. */
public final class ClaimReader {

    /** The API server takes 32 requests and devices, and 256 pods. */
    private static final int MAX_ENTRIES = 1000;

    /** The API server's own limit of an expression. */
    private static final int MAX_EXPRESSION = 10 * 1024;

    private ClaimReader() {}

    /** @throws IllegalArgumentException if it has no name */
    public static ResourceClaim claim(JsonNode object) {
        ReadingProblems problems = new ReadingProblems();
        JsonNode metadata = object.path("metadata");
        JsonNode devices = object.path("spec").path("devices");
        JsonNode status = object.path("status");
        if (text(metadata, "name").isEmpty()) {
            throw new IllegalArgumentException("a ResourceClaim has no metadata.name");
        }
        return new ResourceClaim(
                text(metadata, "namespace"),
                text(metadata, "name"),
                text(metadata, "uid"),
                list(devices.path("requests"), "requests", problems, request -> request(request, problems)),
                list(devices.path("constraints"), "constraints", problems, ClaimReader::constraint),
                status.path("allocation").isObject()
                        ? Optional.of(allocation(status.path("allocation"), problems))
                        : Optional.empty(),
                new TreeSet<>(list(status.path("reservedFor"), "consumers", problems, user -> text(user, "uid"))),
                problems.sentences());
    }

    /**
     * The claim that would be made from a ResourceClaimTemplate.
     *
     * @param name of the claim
     */
    static ResourceClaim ofTemplate(JsonNode template, String namespace, String name) {
        ObjectNode claim = JsonNodeFactory.instance.objectNode();
        claim.putObject("metadata").put("namespace", namespace).put("name", name);
        claim.set("spec", template.path("spec").path("spec"));
        return claim(claim);
    }

    private static DeviceRequest request(JsonNode request, ReadingProblems problems) {
        List<Alternative> alternatives = request.path("exactly").isObject()
                ? List.of(alternative("", request.path("exactly"), problems))
                : list(
                        request.path("firstAvailable"),
                        "alternatives",
                        problems,
                        each -> alternative(text(each, "name"), each, problems));
        if (alternatives.isEmpty()) {
            problems.add("the request '%s' is of a form that is not known", text(request, "name"));
        }
        return new DeviceRequest(text(request, "name"), alternatives);
    }

    private static Alternative alternative(String name, JsonNode request, ReadingProblems problems) {
        AllocationMode mode = switch (text(request, "allocationMode")) {
            case "", "ExactCount" -> AllocationMode.EXACT_COUNT;
            case "All" -> AllocationMode.ALL;
            default -> AllocationMode.UNKNOWN;
        };
        return new Alternative(
                name,
                text(request, "deviceClassName"),
                selectors(request, problems),
                mode,
                request.path("count").asLong(1),
                request.path("adminAccess").asBoolean(),
                list(request.path("tolerations"), "tolerations", problems, ClaimReader::toleration),
                amounts(request.path("capacity").path("requests"), problems));
    }

    /** The selectors. One of another kind than CEL is its own text, which is no expression. */
    private static List<String> selectors(JsonNode object, ReadingProblems problems) {
        return list(object.path("selectors"), "selectors", problems, selector -> {
            JsonNode expression = selector.path("cel").path("expression");
            String text = expression.isTextual() ? expression.asText() : selector.toString();
            return text.length() > MAX_EXPRESSION ? text.substring(0, MAX_EXPRESSION) : text;
        });
    }

    private static Toleration toleration(JsonNode toleration) {
        return new Toleration(
                text(toleration, "key"),
                text(toleration, "operator"),
                text(toleration, "value"),
                text(toleration, "effect"));
    }

    private static ClaimConstraint constraint(JsonNode constraint) {
        return new ClaimConstraint(
                stream(constraint.path("requests")).map(JsonNode::asText).toList(),
                known(constraint, "matchAttribute"),
                known(constraint, "distinctAttribute"));
    }

    static ClaimAllocation allocation(JsonNode allocation, ReadingProblems problems) {
        return new ClaimAllocation(
                node(allocation.path("nodeSelector")),
                list(
                        allocation.path("devices").path("results"),
                        "allocated devices",
                        problems,
                        result -> result(result, problems)));
    }

    private static ClaimAllocation.Result result(JsonNode result, ReadingProblems problems) {
        return new ClaimAllocation.Result(
                text(result, "request"),
                new DeviceId(text(result, "driver"), text(result, "pool"), text(result, "device")),
                known(result, "shareID"),
                amounts(result.path("consumedCapacity"), problems),
                result.path("adminAccess").asBoolean());
    }

    /** kube-scheduler selects one node by a field (dynamic-resource-allocation/structured, createNodeSelector). */
    private static Optional<String> node(JsonNode selector) {
        JsonNode terms = selector.path("nodeSelectorTerms");
        return stream(terms.path(0).path("matchFields"))
                .filter(field -> terms.size() == 1
                        && text(field, "key").equals("metadata.name")
                        && text(field, "operator").equals("In")
                        && field.path("values").size() == 1)
                .map(field -> field.path("values").path(0).asText())
                .findFirst();
    }

    private static SortedMap<String, RequestedAmount> amounts(JsonNode quantities, ReadingProblems problems) {
        SortedMap<String, RequestedAmount> amounts = new TreeMap<>();
        for (Map.Entry<String, JsonNode> each : quantities.properties()) {
            try {
                if (amounts.size() < MAX_ENTRIES) {
                    amounts.put(
                            each.getKey(), RequestedAmount.parse(each.getValue().asText()));
                }
            } catch (IllegalArgumentException e) {
                problems.add("the capacity '%s' cannot be read", each.getKey());
            }
        }
        return amounts;
    }

    /** @throws IllegalArgumentException if it has no name */
    public static DeviceClass deviceClass(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        JsonNode spec = object.path("spec");
        if (text(metadata, "name").isEmpty()) {
            throw new IllegalArgumentException("a DeviceClass has no metadata.name");
        }
        return new DeviceClass(
                text(metadata, "name"),
                selectors(spec, new ReadingProblems()),
                known(spec, "extendedResourceName"),
                known(metadata, "creationTimestamp").flatMap(ClaimReader::time));
    }

    private static Optional<Instant> time(String text) {
        try {
            return Optional.of(Instant.parse(text));
        } catch (DateTimeParseException unknown) {
            return Optional.empty();
        }
    }

    private static <T> List<T> list(JsonNode all, String what, ReadingProblems problems, Function<JsonNode, T> read) {
        if (all.size() > MAX_ENTRIES) {
            problems.add("it has more than %s " + what, Integer.toString(MAX_ENTRIES));
        }
        return stream(all).map(read).collect(Collectors.toUnmodifiableList());
    }

    private static Stream<JsonNode> stream(JsonNode all) {
        return StreamSupport.stream(all.spliterator(), false).limit(MAX_ENTRIES);
    }

    private static String text(JsonNode object, String field) {
        return object.path(field).asText();
    }

    private static Optional<String> known(JsonNode object, String field) {
        return Optional.of(text(object, field)).filter(text -> !text.isEmpty());
    }
}

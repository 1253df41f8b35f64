package io.numaledger.bridge.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.numaledger.bridge.objects.NodeConstraints.Taint;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * What a pod demands of its node beside resources: node selector, required node affinity and tolerations, as kube-scheduler
 * decides them (component-helpers, scheduling/corev1).
 *
 * @param unmodelled what kube-scheduler considers beside these
 * @param antiAffinity which other pods it keeps from its place once it runs
 */
public record PodConstraints(
        JsonNode nodeSelector,
        JsonNode requiredAffinity,
        JsonNode tolerations,
        Set<UnmodelledConstraint> unmodelled,
        List<AntiAffinityTerm> antiAffinity) {

    static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

    public static final PodConstraints NONE = new PodConstraints(
            MissingNode.getInstance(), MissingNode.getInstance(), MissingNode.getInstance(), Set.of(), List.of());

    private static final Taint CORDON = new Taint("node.kubernetes.io/unschedulable", "", "NoSchedule");

    static PodConstraints of(PodObject.Spec spec) {
        JsonNode affinity = present(spec.affinity());
        PodConstraints constraints = new PodConstraints(
                present(spec.nodeSelector()),
                affinity.path("nodeAffinity").path(REQUIRED).path("nodeSelectorTerms"),
                present(spec.tolerations()),
                UnmodelledConstraint.of(spec),
                AntiAffinityTerm.of(affinity));
        return constraints.equals(NONE) ? NONE : constraints;
    }

    /** What still counts once the pod has a node: what it does to others there. */
    static PodConstraints ofBound(PodObject.Spec spec) {
        List<AntiAffinityTerm> antiAffinity = AntiAffinityTerm.of(present(spec.affinity()));
        return antiAffinity.isEmpty()
                ? NONE
                : new PodConstraints(
                        NONE.nodeSelector, NONE.requiredAffinity, NONE.tolerations, Set.of(), antiAffinity);
    }

    /** How much there is to compare with a node. */
    public int terms() {
        return size(nodeSelector) + size(requiredAffinity) + size(tolerations);
    }

    private static int size(JsonNode node) {
        int size = node.size();
        for (JsonNode child : node) {
            size += size(child);
        }
        return size;
    }

    /** Whether other pods, volumes, claims or something else decides about its node as well. */
    public boolean tied() {
        return !unmodelled.isEmpty();
    }

    /** A pod with these may run wherever one with the others may. */
    public boolean allow(PodConstraints other) {
        return !tied()
                && isSame(nodeSelector, other.nodeSelector)
                && isSame(requiredAffinity, other.requiredAffinity)
                && isSame(tolerations, other.tolerations);
    }

    /**
     * Fields in any order: the API server and kube-scheduler write them in different ones. Values by their text: an int node
     * and a long node of one number are not equal, and it depends on the reader which one it is.
     */
    private static boolean isSame(JsonNode one, JsonNode other) {
        return one.equals(Comparator.comparing(JsonNode::toString), other);
    }

    private static JsonNode present(@Nullable JsonNode node) {
        return node == null ? MissingNode.getInstance() : node;
    }

    /** Why this node is none for the pod, a sentence each; empty: nothing here is against it. */
    public List<String> conflicts(String nodeName, NodeConstraints node) {
        List<String> conflicts = new ArrayList<>();
        if (node.unschedulable() && !tolerates(CORDON)) {
            conflicts.add("the node is cordoned");
        }
        for (Taint taint : node.taints()) {
            if (!tolerates(taint) && !taint.key().equals(CORDON.key())) {
                conflicts.add("the pod does not tolerate the taint " + taint);
            }
        }
        nodeSelector.properties().forEach(wanted -> {
            Optional<String> label = Optional.ofNullable(node.labels().get(wanted.getKey()));
            if (!label.equals(Optional.of(wanted.getValue().asText()))) {
                conflicts.add("the pod selects nodes with %s=%s; this node has %s"
                        .formatted(
                                wanted.getKey(),
                                wanted.getValue().asText(),
                                label.map(value -> wanted.getKey() + "=" + value)
                                        .orElse("no such label")));
            }
        });
        if (!requiredAffinity.isMissingNode()
                && each(requiredAffinity).noneMatch(term -> matches(term, nodeName, node))) {
            conflicts.add("the pod's required node affinity does not match this node");
        }
        return conflicts;
    }

    /** Whether its required node affinity names this node only, as one to which the bridge has tied it. */
    public boolean requiresNode(String nodeName) {
        return !requiredAffinity.isEmpty()
                && each(requiredAffinity)
                        .allMatch(term -> each(term.path("matchFields")).anyMatch(field -> names(field, nodeName)));
    }

    private static boolean names(JsonNode field, String nodeName) {
        JsonNode values = field.path("values");
        return field.path("key").asText().equals("metadata.name")
                && field.path("operator").asText().equals("In")
                && values.size() == 1
                && values.path(0).asText().equals(nodeName);
    }

    /** Whether the pod may run on cordoned nodes. */
    public boolean toleratesCordon() {
        return tolerates(CORDON);
    }

    private boolean tolerates(Taint taint) {
        return each(tolerations).anyMatch(toleration -> {
            String effect = toleration.path("effect").asText();
            String key = toleration.path("key").asText();
            String operator = toleration.path("operator").asText();
            boolean exists = operator.equals("Exists");
            boolean equal = operator.isEmpty() || operator.equals("Equal"); // numbers are not compared: Lt, Gt
            return (effect.isEmpty() || effect.equals(taint.effect()))
                    && (key.isEmpty() ? exists : key.equals(taint.key()))
                    && (exists || (equal && toleration.path("value").asText().equals(taint.value())));
        });
    }

    private static boolean matches(JsonNode term, String nodeName, NodeConstraints node) {
        boolean some = !term.path("matchExpressions").isEmpty()
                || !term.path("matchFields").isEmpty();
        return some
                && each(term.path("matchExpressions"))
                        .allMatch(expression -> matches(
                                expression,
                                Optional.ofNullable(
                                        node.labels().get(expression.path("key").asText()))))
                && each(term.path("matchFields")).allMatch(field -> matches(field, Optional.of(nodeName)));
    }

    private static boolean matches(JsonNode expression, Optional<String> value) {
        List<String> values =
                each(expression.path("values")).map(JsonNode::asText).toList();
        return switch (expression.path("operator").asText()) {
            case "In" -> value.filter(values::contains).isPresent();
            case "NotIn" -> value.filter(values::contains).isEmpty();
            case "Exists" -> value.isPresent();
            case "DoesNotExist" -> value.isEmpty();
            case "Gt" -> compared(value, values) > 0;
            case "Lt" -> compared(value, values) < 0;
            default -> false;
        };
    }

    /** 0 also where one of them is no whole number. */
    private static int compared(Optional<String> value, List<String> values) {
        try {
            return value.isPresent() && values.size() == 1
                    ? Long.compare(Long.parseLong(value.get()), Long.parseLong(values.get(0)))
                    : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static Stream<JsonNode> each(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false);
    }
}

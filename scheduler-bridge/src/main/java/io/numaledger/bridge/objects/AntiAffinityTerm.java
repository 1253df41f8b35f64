package io.numaledger.bridge.objects;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Pods that kube-scheduler does not place beside a running one: a term of its required pod anti-affinity.
 *
 * @param selector absent: it selects no pod
 * @param namespaces whose pods it selects; empty: those of its own pod's namespace
 * @param anyNamespace namespaces are selected by labels, which are not read: each counts
 * @param topologyKey nodes with equal values of this label are one place
 */
public record AntiAffinityTerm(
        Optional<LabelSelector> selector, Set<String> namespaces, boolean anyNamespace, String topologyKey) {

    static List<AntiAffinityTerm> of(JsonNode affinity) {
        List<AntiAffinityTerm> terms = new ArrayList<>();
        affinity.path("podAntiAffinity")
                .path(PodConstraints.REQUIRED)
                .forEach(term -> terms.add(new AntiAffinityTerm(
                        Optional.of(term.path("labelSelector"))
                                .filter(JsonNode::isObject)
                                .map(AntiAffinityTerm::selector),
                        texts(term.path("namespaces")).collect(Collectors.toUnmodifiableSet()),
                        term.path("namespaceSelector").isObject(),
                        term.path("topologyKey").asText())));
        return List.copyOf(terms);
    }

    private static LabelSelector selector(JsonNode json) {
        LabelSelectorBuilder selector = new LabelSelectorBuilder();
        json.path("matchLabels")
                .properties()
                .forEach(label -> selector.addToMatchLabels(
                        label.getKey(), label.getValue().asText()));
        json.path("matchExpressions")
                .forEach(expression -> selector.addNewMatchExpression()
                        .withKey(expression.path("key").asText())
                        .withOperator(expression.path("operator").asText())
                        .withValues(texts(expression.path("values")).toList())
                        .endMatchExpression());
        return selector.build();
    }

    private static Stream<String> texts(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false).map(JsonNode::asText);
    }

    /** @param owner the pod that has the term */
    public boolean selects(PodFacts pod, PodFacts owner) {
        boolean inNamespace = anyNamespace
                || (namespaces.isEmpty()
                        ? pod.namespace().equals(owner.namespace())
                        : namespaces.contains(pod.namespace()));
        return inNamespace
                && selector.filter(each -> DisruptionBudget.matches(each, pod.labels()))
                        .isPresent();
    }
}

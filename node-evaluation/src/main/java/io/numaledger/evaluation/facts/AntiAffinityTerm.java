package io.numaledger.evaluation.facts;

import java.util.Optional;
import java.util.Set;

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

    /** @param owner the pod that has the term */
    public boolean selects(PodFacts pod, PodFacts owner) {
        boolean inNamespace = anyNamespace
                || (namespaces.isEmpty()
                        ? pod.namespace().equals(owner.namespace())
                        : namespaces.contains(pod.namespace()));
        return inNamespace
                && selector.filter(each -> each.matches(pod.labels())).isPresent();
    }
}

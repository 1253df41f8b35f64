package io.numaledger.evaluation.facts;

import io.numaledger.evaluation.facts.NodeConstraints.Taint;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

import static io.numaledger.topology.Sorted.sorted;

/**
 * What a pod demands of its node beside resources: node selector, required node affinity and tolerations, as kube-scheduler
 * decides them (component-helpers, scheduling/corev1).
 *
 * @param requiredAffinity terms of which one has to match; absent: there is no required node affinity
 * @param unmodelled what kube-scheduler considers beside these
 * @param antiAffinity which other pods it keeps from its place once it runs
 * @param hostPorts those of containers that run as long as the pod
 */
public record PodConstraints(
        SortedMap<String, String> nodeSelector,
        Optional<List<NodeSelectorTerm>> requiredAffinity,
        List<Toleration> tolerations,
        Set<UnmodelledConstraint> unmodelled,
        List<AntiAffinityTerm> antiAffinity,
        List<HostPort> hostPorts) {

    public static final PodConstraints NONE =
            new PodConstraints(new TreeMap<>(), Optional.empty(), List.of(), Set.of(), List.of(), List.of());

    private static final Taint CORDON = new Taint("node.kubernetes.io/unschedulable", "", "NoSchedule");

    public PodConstraints {
        nodeSelector = sorted(nodeSelector);
        requiredAffinity = requiredAffinity.map(List::copyOf);
        tolerations = List.copyOf(tolerations);
        antiAffinity = List.copyOf(antiAffinity);
        hostPorts = List.copyOf(hostPorts);
    }

    /** The constraints of a bound pod: only what it does to others on its node. */
    public static PodConstraints ofBound(List<AntiAffinityTerm> antiAffinity, List<HostPort> hostPorts) {
        return antiAffinity.isEmpty() && hostPorts.isEmpty()
                ? NONE
                : new PodConstraints(NONE.nodeSelector, Optional.empty(), List.of(), Set.of(), antiAffinity, hostPorts);
    }

    /** How much there is to compare with a node. */
    public int terms() {
        return nodeSelector.size()
                + tolerations.size()
                + requiredTerms().stream().mapToInt(NodeSelectorTerm::size).sum();
    }

    private List<NodeSelectorTerm> requiredTerms() {
        return requiredAffinity.orElse(List.of());
    }

    /** Whether other pods, volumes, claims or something else decides about its node as well. */
    public boolean tied() {
        return !unmodelled.isEmpty();
    }

    /** A pod with these may run wherever one with the others may. */
    public boolean allow(PodConstraints other) {
        return !tied()
                && nodeSelector.equals(other.nodeSelector)
                && requiredAffinity.equals(other.requiredAffinity)
                && tolerations.equals(other.tolerations);
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
        nodeSelector.forEach((label, wanted) -> {
            String value = node.labels().get(label);
            if (!wanted.equals(value)) {
                conflicts.add("the pod selects nodes with %s=%s; this node has %s"
                        .formatted(label, wanted, value == null ? "no such label" : label + "=" + value));
            }
        });
        if (requiredAffinity.isPresent() && requiredTerms().stream().noneMatch(term -> term.matches(nodeName, node))) {
            conflicts.add("the pod's required node affinity does not match this node");
        }
        return conflicts;
    }

    /** Whether one of its host ports is among these. */
    public boolean lackPortBeside(Collection<HostPort> taken) {
        if (hostPorts.isEmpty()) {
            return false;
        }
        Set<Integer> numbers = hostPorts.stream().map(HostPort::port).collect(Collectors.toSet());
        return taken.stream()
                .anyMatch(each ->
                        numbers.contains(each.port()) && hostPorts.stream().anyMatch(each::conflictsWith));
    }

    /** Whether its required node affinity names this node only, as one to which the bridge has tied it. */
    public boolean requiresNode(String nodeName) {
        return !requiredTerms().isEmpty() && requiredTerms().stream().allMatch(term -> term.requires(nodeName));
    }

    /** Whether the pod may run on cordoned nodes. */
    public boolean toleratesCordon() {
        return tolerates(CORDON);
    }

    private boolean tolerates(Taint taint) {
        return tolerations.stream().anyMatch(each -> each.tolerates(taint));
    }
}

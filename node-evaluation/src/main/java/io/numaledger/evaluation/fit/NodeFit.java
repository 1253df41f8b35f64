package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.facts.HostPort;
import io.numaledger.evaluation.facts.NodeConstraints;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodConstraints;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.placement.Amounts;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;
import io.numaledger.resource.Quantity;
import io.numaledger.resource.ResourceKind;
import io.numaledger.resource.Saturating;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Whether a node as a whole takes a pod, zones apart: as kube-scheduler's plugins NodeResourcesFit, NodePorts, NodeUnschedulable,
 * TaintToleration and NodeAffinity decide. Other plugins are not considered.
 */
public final class NodeFit {

    private static final String LACKS_PORT = "another pod has a host port of the pod";

    private static final String PODS = "pods";

    private static final Optional<Refused> NOT_SELECTED =
            refused("the node's labels or taints keep the pod from it", true);
    private static final Optional<Refused> PORT_TAKEN = refused(LACKS_PORT, false);
    private static final Optional<Refused> NO_ROOM = refused("the node as a whole lacks room", false);

    private NodeFit() {}

    private static Optional<Refused> refused(String summary, boolean unresolvable) {
        return Optional.of(Refused.of(RefusalReason.NODE_DOES_NOT_FIT, summary, unresolvable));
    }

    /**
     * The first thing that keeps a pod from a node; absent: there are no {@link #reasons}.
     *
     * @param request see {@link #requested(PodRequest)}
     * @param requested by the other pods
     * @param ports of the other pods
     */
    public static Optional<Refused> obstacle(
            NodeFacts node,
            PodConstraints pod,
            SortedMap<String, Long> request,
            SortedMap<String, Long> requested,
            Collection<HostPort> ports) {
        if (!pod.conflicts(node.name(), node.constraints()).isEmpty()) {
            return NOT_SELECTED;
        }
        if (pod.lackPortBeside(ports)) {
            return PORT_TAKEN;
        }
        return hasRoom(node, request, requested) ? Optional.empty() : NO_ROOM;
    }

    /**
     * Why the node does not take the pod, a sentence each; empty if it does.
     *
     * @param others the other pods on the node
     */
    public static List<String> reasons(NodeFacts node, PodFacts pod, Collection<PodFacts> others) {
        NodeConstraints constraints = node.constraints();
        List<String> reasons = new ArrayList<>(pod.constraints().conflicts(node.name(), constraints));
        if (pod.constraints().lackPortBeside(hostPorts(beside(pod, others)))) {
            reasons.add(LACKS_PORT);
        }
        if (constraints.allocatable().isEmpty()) {
            return reasons;
        }
        SortedMap<String, Long> requested = requestedBeside(pod, others);
        requested(pod.nodeLevel()).forEach((resource, need) -> {
            Long all = constraints.allocatable().get(resource);
            if (all != null) {
                shortage(resource, need, all, requested).ifPresent(reasons::add);
            } else if (isMissing(constraints, resource)) {
                reasons.add("the node has no " + resource);
            }
        });
        return reasons;
    }

    private static List<PodFacts> beside(PodFacts pod, Collection<PodFacts> others) {
        return others.stream().filter(other -> !other.key().equals(pod.key())).toList();
    }

    private static SortedMap<String, Long> requestedBeside(PodFacts pod, Collection<PodFacts> others) {
        return requested(beside(pod, others));
    }

    /** The ports of the node that these pods have. */
    public static List<HostPort> hostPorts(Collection<PodFacts> pods) {
        return pods.stream()
                .filter(NodeFit::counts)
                .flatMap(pod -> pod.constraints().hostPorts().stream())
                .toList();
    }

    /** Whether a pod counts, as schedulers count: pods that have ended, or that the API server shows no more, have nothing. */
    private static boolean counts(PodFacts pod) {
        return !pod.ended() && !pod.isDeleted();
    }

    private static Optional<String> shortage(String resource, long need, long all, SortedMap<String, Long> requested) {
        long left = Math.max(0, Saturating.subtract(all, requested.getOrDefault(resource, 0L)));
        if (need > all) {
            return Optional.of(
                    "needs %s; the node has %s allocatable".formatted(text(resource, need), amount(resource, all)));
        }
        return need > left
                ? Optional.of("needs %s; other pods request all but %s of %s"
                        .formatted(text(resource, need), amount(resource, left), amount(resource, all)))
                : Optional.empty();
    }

    /**
     * Why the kubelet would refuse the pod for what it requests of the node as a whole, such as with {@code OutOfcpu}; absent: it would not.
     * The kubelet ignores extended resources that the node does not report (removeMissingExtendedResources, lifecycle/predicate.go).
     *
     * @param others the other pods on the node
     */
    public static Optional<String> outOf(NodeFacts node, PodFacts pod, Collection<PodFacts> others) {
        SortedMap<String, Long> allocatable = node.constraints().allocatable();
        SortedMap<String, Long> requested = requestedBeside(pod, others);
        return requested(pod.nodeLevel()).entrySet().stream()
                .filter(need -> allocatable.containsKey(need.getKey()))
                .flatMap(need ->
                        shortage(need.getKey(), need.getValue(), allocatable.getOrDefault(need.getKey(), 0L), requested)
                                .stream())
                .findFirst();
    }

    /**
     * Whether the node has room for a request beside others; its constraints apart. The same as no reasons for amounts.
     *
     * @param requested by the other pods
     */
    public static boolean hasRoom(NodeFacts node, SortedMap<String, Long> request, SortedMap<String, Long> requested) {
        SortedMap<String, Long> allocatable = node.constraints().allocatable();
        for (Map.Entry<String, Long> need : request.entrySet()) {
            Long all = allocatable.get(need.getKey());
            boolean fits = all == null
                    ? allocatable.isEmpty() || !isMissing(node.constraints(), need.getKey())
                    : need.getValue() <= Saturating.subtract(all, requested.getOrDefault(need.getKey(), 0L));
            if (!fits) {
                return false;
            }
        }
        return true;
    }

    /**
     * How many times the node has room for a request beside others.
     *
     * @param requested by the other pods
     * @param most the result at most
     */
    public static int copies(
            NodeFacts node, SortedMap<String, Long> request, SortedMap<String, Long> requested, int most) {
        SortedMap<String, Long> allocatable = node.constraints().allocatable();
        long copies = most;
        for (Map.Entry<String, Long> need : request.entrySet()) {
            Long all = allocatable.get(need.getKey());
            if (all != null) {
                long left = Saturating.subtract(all, requested.getOrDefault(need.getKey(), 0L));
                copies = Math.min(copies, Math.max(0, left) / need.getValue());
            } else if (!allocatable.isEmpty() && isMissing(node.constraints(), need.getKey())) {
                return 0;
            }
        }
        return (int) copies;
    }

    /**
     * How much of its CPUs and memory is not requested, on average in thousandths: kube-scheduler prefers nodes with more
     * (noderesources/least_allocated.go).
     *
     * @param requested by its pods
     */
    public static long freeShare(NodeFacts node, SortedMap<String, Long> requested) {
        long shares = 0;
        for (String resource : List.of(Amounts.CPU, "memory")) {
            long all = node.constraints().allocatable().getOrDefault(resource, 0L);
            long left = all - requested.getOrDefault(resource, 0L);
            shares += left <= 0 ? 0 : left / Math.max(1, all / 1000);
        }
        return shares / 2;
    }

    /**
     * What these pods request together, as {@link PodFacts#nodeLevel} says, by resource: CPUs in milli-CPU, bytes, counts, and {@code pods}.
     */
    public static SortedMap<String, Long> requested(Collection<PodFacts> pods) {
        SortedMap<String, Long> sums = new TreeMap<>();
        pods.stream()
                .filter(NodeFit::counts)
                .forEach(pod -> requested(pod.nodeLevel())
                        .forEach((resource, amount) -> sums.merge(resource, amount, Saturating::add)));
        return sums;
    }

    /** Whether the node lacks a resource that it does not report. The devices of DRA-backed ones are not counted here. */
    private static boolean isMissing(NodeConstraints node, String resource) {
        return !isKnownToEveryNode(resource) && !node.draBacked().contains(resource);
    }

    /** Every kubelet reports these; where one is missing, the Node object is incomplete. */
    private static boolean isKnownToEveryNode(String resource) {
        ResourceKind kind = ResourceKind.of(resource);
        return resource.equals(PODS)
                || resource.equals("memory")
                || kind == ResourceKind.CPU
                || kind == ResourceKind.STORAGE;
    }

    /**
     * The largest total request at any time of the pod's life with its overhead, and one pod. Resources of the pod itself replace those of
     * its containers (component-helpers, resource/helpers.go, PodRequests).
     */
    public static SortedMap<String, Long> requested(PodRequest pod) {
        SortedMap<String, Long> lasting = new TreeMap<>();
        SortedMap<String, Long> peak = new TreeMap<>();
        for (ContainerRequest init : pod.initContainers()) {
            SortedMap<String, Long> now = new TreeMap<>(lasting);
            add(now, init.resources());
            now.forEach((resource, amount) -> peak.merge(resource, amount, Math::max));
            if (init.kind() == Kind.SIDECAR) {
                lasting.putAll(now);
            }
        }
        pod.containers().forEach(container -> add(lasting, container.resources()));
        lasting.forEach((resource, amount) -> peak.merge(resource, amount, Math::max));
        pod.podLevel()
                .ifPresent(resources -> resources
                        .requests()
                        .forEach((resource, amount) -> peak.put(resource, value(resource, amount))));
        pod.overhead().forEach((resource, amount) -> peak.merge(resource, value(resource, amount), Saturating::add));
        peak.values().removeIf(amount -> amount == 0);
        peak.put(PODS, 1L);
        return peak;
    }

    private static void add(SortedMap<String, Long> sum, Resources resources) {
        resources
                .requests()
                .forEach((resource, amount) -> sum.merge(resource, value(resource, amount), Saturating::add));
    }

    private static long value(String resource, RequestedAmount amount) {
        return resource.equals(Amounts.CPU) ? amount.millis() : amount.whole();
    }

    private static String text(String resource, long amount) {
        return resource.equals(PODS) ? "a place for one more pod" : amount(resource, amount) + " " + resource;
    }

    private static String amount(String resource, long amount) {
        return Quantity.readable(resource, Amounts.text(resource, amount));
    }
}

package io.numaledger.evaluation.facts;

import io.numaledger.pod.PodRequest;

import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * What matters of a Pod object.
 *
 * @param records those that the annotations have; none for a pod without a node: nothing is allocated to it yet
 * @param group to which group it belongs
 * @param request named by {@link #key}: what its kubelet has allocated, or its spec before that
 * @param nodeLevel what schedulers count for the node as a whole; the same unless an in-place resize is under way
 */
public record PodFacts(
        PodIdentity identity,
        PodLifecycle lifecycle,
        PlacementRecords records,
        PodScheduling scheduling,
        PodGroupMembership group,
        PodRequest request,
        PodRequest nodeLevel) {

    /** What the API server sets where a pod names no scheduler. */
    public static final String DEFAULT_SCHEDULER = "default-scheduler";

    /** The node on which the pod of a gated group is to run. Written together with a node affinity for it. */
    public static final String PLANNED_NODE = "numaledger.io/planned-node";

    /** Marks a pod that a kubelet runs from a file, and shows to the API server. */
    public static final String MIRROR = "kubernetes.io/config.mirror";

    private static final String DELETED = " (deleted)";
    private static final String REPLACEMENT = " (replacement)";

    /** The order in which the kubelet is assumed to have admitted them. */
    public static final Comparator<PodFacts> BY_AGE = Comparator.comparing(
                    (PodFacts pod) -> pod.startedAt().orElse(Instant.MIN))
            .thenComparing(PodFacts::key);

    /** This pod, bound to a node. */
    public PodFacts onNode(String nodeName) {
        return new PodFacts(identity, lifecycle.onNode(nodeName), records, scheduling, group, request, nodeLevel);
    }

    /** This pod, nominated for a node. */
    public PodFacts nominatedFor(String nodeName) {
        return new PodFacts(identity, lifecycle, records, scheduling.nominatedFor(nodeName), group, request, nodeLevel);
    }

    /** This pod with another request. */
    public PodFacts requesting(PodRequest other) {
        return new PodFacts(identity, lifecycle, records, scheduling, group, other, other);
    }

    /** This pod with other annotations, and the same records. */
    public PodFacts withAnnotations(SortedMap<String, String> others) {
        return new PodFacts(
                identity.withAnnotations(others), lifecycle, records, scheduling, group, request, nodeLevel);
    }

    /** This pod with another text as its predicted placement. */
    PodFacts withPredicted(String text) {
        return with(records.withPredicted(text, request));
    }

    /** This pod, of which nothing was observed or predicted. */
    public PodFacts withoutRecords() {
        return with(PlacementRecords.NONE);
    }

    private PodFacts with(PlacementRecords others) {
        return new PodFacts(identity, lifecycle, others, scheduling, group, request, nodeLevel);
    }

    /** This pod, deleted without its kubelet's confirmation. Another pod may have its name. */
    public PodFacts deleted() {
        String deleted = deletedKey(key());
        return new PodFacts(
                identity.named(name() + DELETED),
                lifecycle.ending(),
                records,
                scheduling,
                group,
                request.named(deleted),
                nodeLevel.named(deleted));
    }

    /** A pod like this one that is to take its place, and has no name and no node yet. */
    public PodFacts replacement() {
        PodRequest replacing = request.named(key() + REPLACEMENT);
        return new PodFacts(
                identity.plus(REPLACEMENT),
                lifecycle.pending(),
                PlacementRecords.NONE,
                scheduling.notTried(),
                group,
                replacing,
                replacing);
    }

    /** The pod that a controller makes when this one is evicted, under its name. */
    public PodFacts madeAnew() {
        return new PodFacts(
                identity, lifecycle.pending(), PlacementRecords.NONE, scheduling.notTried(), group, request, request);
    }

    /** Whether the API server shows it no more: it holds zones until its kubelet confirms that, and counts for no sums. */
    public boolean isDeleted() {
        return name().endsWith(DELETED);
    }

    /** The name that a pod had before {@link #deleted}; absent: this is no name of such a pod. */
    public static Optional<String> nameOfDeleted(String name) {
        return name.endsWith(DELETED)
                ? Optional.of(name.substring(0, name.length() - DELETED.length()))
                : Optional.empty();
    }

    /** The key of a pod after {@link #deleted}. */
    public static String deletedKey(String key) {
        return key + DELETED;
    }

    public String namespace() {
        return identity.namespace();
    }

    public String name() {
        return identity.name();
    }

    /** The UID; absent for a manifest that was never created. */
    public Optional<String> uid() {
        return identity.uid();
    }

    public SortedMap<String, String> labels() {
        return identity.labels();
    }

    public SortedMap<String, String> annotations() {
        return identity.annotations();
    }

    /** The node to which the pod is bound; absent: not yet. */
    public Optional<String> node() {
        return lifecycle.node();
    }

    public PodPhase phase() {
        return lifecycle.phase();
    }

    public Optional<String> reason() {
        return lifecycle.reason();
    }

    public Optional<String> message() {
        return lifecycle.message();
    }

    public boolean terminating() {
        return lifecycle.terminating();
    }

    public Optional<Instant> startedAt() {
        return lifecycle.startedAt();
    }

    public boolean startingAgent() {
        return lifecycle.agent() == PodLifecycle.AgentPod.NOT_READY;
    }

    public boolean isAgent() {
        return lifecycle.agent() != PodLifecycle.AgentPod.NONE;
    }

    /** An agent of its node that runs and is ready. */
    public boolean readyAgent() {
        return lifecycle.agent() == PodLifecycle.AgentPod.READY && !terminating() && !ended();
    }

    public PodClaims claims() {
        return lifecycle.claims();
    }

    public PodPriority priority() {
        return scheduling.priority();
    }

    public String scheduler() {
        return scheduling.scheduler();
    }

    public PodConstraints constraints() {
        return scheduling.constraints();
    }

    public SchedulingAttempt attempt() {
        return scheduling.attempt();
    }

    /** {@code namespace/name}. */
    public String key() {
        return request.name();
    }

    /** Equal pods have equal keys. All components together would take longer than a plan of their group may. */
    @Override
    public int hashCode() {
        return key().hashCode();
    }

    /** Whether they are one instance, and not two with the same name. */
    public boolean isSameAs(PodFacts other) {
        return uid().equals(other.uid());
    }

    /** Nodes refused it in kube-scheduler's last attempt because of their zones. */
    public boolean refusedForZones() {
        return attempt().result() == SchedulingAttempt.Result.REFUSED_FOR_ZONES;
    }

    /** Whether the pod's scheduler found no node for it in the last attempt. */
    public boolean unschedulable() {
        return attempt().result() != SchedulingAttempt.Result.NONE;
    }

    /** Whether the kubelet may align its resources: it is Guaranteed, or it requests devices. */
    public boolean needsAlignment() {
        return needsAlignment(Set.of());
    }

    /** Whether the kubelet may align the pod's resources on a node where it leaves some to Dynamic Resource Allocation. */
    public boolean needsAlignment(Set<String> draBacked) {
        return request.isGuaranteed()
                || request.inAllocationOrder().stream()
                        .flatMap(container -> container.resources().requests().entrySet().stream())
                        .anyMatch(each -> each.getKey().contains("/")
                                && each.getValue().whole() > 0
                                && !draBacked.contains(each.getKey()));
    }

    /** Whether no scheduler has bound the pod: its kubelet runs it from a file. */
    public boolean isStatic() {
        return annotations().containsKey(MIRROR);
    }

    /** Whether the pod's phase is Succeeded or Failed. Then it holds nothing. */
    public boolean ended() {
        return phase() == PodPhase.SUCCEEDED || phase() == PodPhase.FAILED;
    }

    /** The kubelet has started it. */
    public boolean running() {
        return phase() == PodPhase.RUNNING;
    }

    /** An agent or another exporter observed its placement. */
    public boolean observed() {
        return records.observed().isPresent() || records.placement().isPresent();
    }

    public Optional<String> annotation(String name) {
        return Optional.ofNullable(annotations().get(name)).filter(text -> !text.isEmpty());
    }
}

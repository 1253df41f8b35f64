package io.numaledger.bridge.objects;

import io.numaledger.pod.PodRequest;

import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * What matters of a Pod object.
 *
 * @param uid absent for a manifest that was never created
 * @param node where it is bound; absent: not yet
 * @param reason of its status, such as {@code TopologyAffinityError}
 * @param message why it has failed, in one short line; absent for a pod that has not
 * @param terminating it has a deletion time; it holds its resources until it has ended
 * @param startedAt the start time of its status, when its kubelet admitted it; before that, its creation time; absent for a
 *     manifest that was never created
 * @param labels all of them
 * @param annotations those that matter here, without the placement records
 * @param records those that the annotations have; none for a pod without a node: nothing is allocated to it yet
 * @param startingAgent it is an agent that is not ready yet
 * @param priority how important it is
 * @param scheduler the name of its scheduler
 * @param constraints what it demands of its node beside resources; none for a pod that has a node, unless they were to be kept
 * @param group to which group it belongs
 * @param attempt how its scheduler's last attempt ended
 * @param request named by {@link #key}: what its kubelet has allocated, or its spec before that
 * @param nodeLevel what schedulers count for the node as a whole; the same unless an in-place resize is under way
 */
public record PodFacts(
        String namespace,
        String name,
        Optional<String> uid,
        Optional<String> node,
        PodPhase phase,
        Optional<String> reason,
        Optional<String> message,
        boolean terminating,
        Optional<Instant> startedAt,
        SortedMap<String, String> labels,
        SortedMap<String, String> annotations,
        PlacementRecords records,
        boolean startingAgent,
        PodPriority priority,
        String scheduler,
        PodConstraints constraints,
        PodGroupMembership group,
        SchedulingAttempt attempt,
        PodRequest request,
        PodRequest nodeLevel) {

    /** What the API server sets where a pod names no scheduler. */
    public static final String DEFAULT_SCHEDULER = "default-scheduler";

    /** On which node the pod of a gated group is to run. Written together with a node affinity for it. */
    public static final String PLANNED_NODE = "numaledger.io/planned-node";

    /** On a pod that a kubelet runs from a file, and shows to the API server. */
    public static final String MIRROR = "kubernetes.io/config.mirror";

    private static final String DELETED = " (deleted)";

    /** The order in which the kubelet is assumed to have admitted them. */
    public static final Comparator<PodFacts> BY_AGE = Comparator.comparing(
                    (PodFacts pod) -> pod.startedAt().orElse(Instant.MIN))
            .thenComparing(PodFacts::key);

    public PodFacts {
        annotations = sorted(annotations);
    }

    /** The same pod, bound to this node. */
    public PodFacts onNode(String nodeName) {
        return copy(Optional.of(nodeName), annotations, records, request, nodeLevel);
    }

    /** The same pod with another request. */
    public PodFacts requesting(PodRequest other) {
        return copy(node, annotations, records, other, other);
    }

    /** The same pod with these annotations, and the same records. */
    public PodFacts withAnnotations(SortedMap<String, String> others) {
        return copy(node, others, records, request, nodeLevel);
    }

    /** The same pod with this text as its predicted placement. */
    PodFacts withPredicted(String text) {
        return copy(node, annotations, records.withPredicted(text, request), request, nodeLevel);
    }

    /** The same pod, of which nothing was observed or predicted. */
    public PodFacts withoutRecords() {
        return copy(node, annotations, PlacementRecords.NONE, request, nodeLevel);
    }

    /** The same pod, deleted without its kubelet's confirmation. Another pod may have its name. */
    public PodFacts deleted() {
        return new PodFacts(
                namespace,
                name + DELETED,
                uid,
                node,
                phase,
                reason,
                message,
                true,
                startedAt,
                labels,
                annotations,
                records,
                startingAgent,
                priority,
                scheduler,
                constraints,
                group,
                attempt,
                request.named(deletedKey(key())),
                nodeLevel.named(deletedKey(key())));
    }

    /** A pod like this one that is to take its place, and has no name and no node yet. */
    public PodFacts replacement() {
        String suffix = " (replacement)";
        return new PodFacts(
                namespace,
                name + suffix,
                uid.map(id -> id + suffix),
                Optional.empty(),
                PodPhase.PENDING,
                Optional.empty(),
                Optional.empty(),
                false,
                startedAt,
                labels,
                annotations,
                PlacementRecords.NONE,
                false,
                priority,
                scheduler,
                constraints,
                group,
                SchedulingAttempt.NONE,
                request.named(key() + suffix),
                request.named(key() + suffix));
    }

    /** Whether the API server shows it no more: it holds zones until its kubelet confirms that, and counts for no sums. */
    public boolean isDeleted() {
        return name.endsWith(DELETED);
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

    private PodFacts copy(
            Optional<String> on,
            SortedMap<String, String> texts,
            PlacementRecords read,
            PodRequest requested,
            PodRequest counted) {
        return new PodFacts(
                namespace,
                name,
                uid,
                on,
                phase,
                reason,
                message,
                terminating,
                startedAt,
                labels,
                texts,
                read,
                startingAgent,
                priority,
                scheduler,
                constraints,
                group,
                attempt,
                requested,
                counted);
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
        return uid.equals(other.uid);
    }

    /** Nodes refused it in kube-scheduler's last attempt because of their zones. */
    public boolean refusedForZones() {
        return attempt.result() == SchedulingAttempt.Result.REFUSED_FOR_ZONES;
    }

    /** Its scheduler found no node for it in the last attempt. */
    public boolean unschedulable() {
        return attempt.result() != SchedulingAttempt.Result.NONE;
    }

    /** Whether the kubelet may align its resources: it is Guaranteed, or it requests devices. */
    public boolean needsAlignment() {
        return request.isGuaranteed()
                || request.inAllocationOrder().stream()
                        .flatMap(container -> container.resources().requests().entrySet().stream())
                        .anyMatch(each ->
                                each.getKey().contains("/") && each.getValue().whole() > 0);
    }

    /** No scheduler has bound it: its kubelet runs it from a file. */
    public boolean isStatic() {
        return annotations.containsKey(MIRROR);
    }

    /** Its phase is Succeeded or Failed. It holds nothing. */
    public boolean ended() {
        return phase == PodPhase.SUCCEEDED || phase == PodPhase.FAILED;
    }

    /** The kubelet has started it. */
    public boolean running() {
        return phase == PodPhase.RUNNING;
    }

    /** An agent or another exporter observed its placement. */
    public boolean observed() {
        return records.observed().isPresent() || records.placement().isPresent();
    }

    public Optional<String> annotation(String name) {
        return Optional.ofNullable(annotations.get(name)).filter(text -> !text.isEmpty());
    }
}

package io.numaledger.objects;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.numaledger.evaluation.facts.PodGroupMembership;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.PodGroupName.Kind;
import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

import static java.util.Objects.requireNonNullElse;

/** Reads from a pod's labels, annotations and specification to which group it belongs. */
final class GroupMembershipReader {

    private static final String JOB = "batch.kubernetes.io/controller-uid";
    private static final String KAI = "pod-group-name";
    private static final String KAI_SUB_GROUP = "kai.scheduler/subgroup-name";
    private static final String COSCHEDULING = "scheduling.x-k8s.io/pod-group";
    private static final String KUEUE = "kueue.x-k8s.io/pod-group-name";
    private static final String KUEUE_SIZE = "kueue.x-k8s.io/pod-group-total-count";
    private static final String JOB_SET = "jobset.sigs.k8s.io/jobset-name";
    private static final String LEADER_WORKER_SET = "leaderworkerset.sigs.k8s.io/name";
    private static final String LEADER_WORKER_SET_GROUP = "leaderworkerset.sigs.k8s.io/group-index";
    private static final String LEADER_WORKER_SET_SIZE = "leaderworkerset.sigs.k8s.io/size";

    /** No object's name is longer. */
    private static final int MAX_NAME = 253;

    private GroupMembershipReader() {}

    static PodGroupMembership of(String namespace, ObjectMeta meta, PodObject.Spec spec) {
        Map<String, String> labels = requireNonNullElse(meta.getLabels(), Map.of());
        Map<String, String> annotations = requireNonNullElse(meta.getAnnotations(), Map.of());
        Set<String> gates = spec.schedulingGates().stream()
                .map(PodObject.SchedulingGate::name)
                .collect(Collectors.toSet());
        Optional<PodGroupName> group =
                name(spec, labels, annotations).map(found -> new PodGroupName(found.kind(), namespace, found.name()));
        PodGroupMembership membership = new PodGroupMembership(
                group,
                number(
                        annotations.get(PodGroupMembership.MIN_MEMBER),
                        annotations.get(LEADER_WORKER_SET_SIZE),
                        annotations.get(KUEUE_SIZE)),
                group.flatMap(any -> Optional.ofNullable(labels.get(KAI_SUB_GROUP))),
                group.flatMap(any -> Optional.ofNullable(labels.get(JOB))),
                gates);
        return membership.equals(PodGroupMembership.NONE) ? PodGroupMembership.NONE : membership;
    }

    private record Found(Kind kind, String name) {}

    private static Optional<Found> name(
            PodObject.Spec spec, Map<String, String> labels, Map<String, String> annotations) {
        String leaderWorkerSet = text(labels.get(LEADER_WORKER_SET));
        return found(Kind.NATIVE, spec.schedulingGroup().podGroupName())
                .or(() -> found(Kind.LABEL, labels.get(PodGroupMembership.LABEL)))
                .or(() -> found(Kind.KAI, annotations.get(KAI)))
                .or(() -> found(Kind.COSCHEDULING, labels.get(COSCHEDULING)))
                .or(() -> leaderWorkerSet.isEmpty()
                        ? Optional.empty()
                        : found(
                                Kind.LEADER_WORKER_SET,
                                leaderWorkerSet + "-" + text(labels.get(LEADER_WORKER_SET_GROUP))))
                .or(() -> found(Kind.JOB_SET, labels.get(JOB_SET)))
                .or(() -> found(Kind.KUEUE, labels.get(KUEUE)));
    }

    private static Optional<Found> found(Kind kind, @Nullable String name) {
        return text(name).isEmpty() || text(name).length() > MAX_NAME
                ? Optional.empty()
                : Optional.of(new Found(kind, text(name)));
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    /** The first of these texts that is a number from 1 on. */
    private static OptionalInt number(@Nullable String... texts) {
        for (String text : texts) {
            try {
                int number = text == null ? 0 : Integer.parseInt(text);
                if (number > 0) {
                    return OptionalInt.of(number);
                }
            } catch (NumberFormatException e) {
                return OptionalInt.empty();
            }
        }
        return OptionalInt.empty();
    }
}

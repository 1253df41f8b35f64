package io.numaledger.evaluation.facts;

import java.util.Comparator;

/**
 * A group of pods that run together or not at all.
 *
 * @param name of the object or label that makes the pods a group, see {@link Kind}
 */
public record PodGroupName(Kind kind, String namespace, String name) implements Comparable<PodGroupName> {

    private static final Comparator<PodGroupName> ORDER = Comparator.comparing(PodGroupName::namespace)
            .thenComparing(PodGroupName::name)
            .thenComparing(PodGroupName::kind);

    /** How pods say to which group they belong; the first kind that a pod has counts. */
    public enum Kind {
        /** {@code spec.schedulingGroup}: a PodGroup of {@code scheduling.k8s.io}. kube-scheduler plans such groups itself. */
        NATIVE,
        /** Our label {@code numaledger.io/pod-group}. */
        LABEL,
        /** Annotation {@code pod-group-name}: a PodGroup of KAI-Scheduler. */
        KAI,
        /** Label {@code scheduling.x-k8s.io/pod-group}: a PodGroup of the coscheduling plugin. */
        COSCHEDULING,
        /** Labels of LeaderWorkerSet: its name and the index of the group. */
        LEADER_WORKER_SET,
        /** Label {@code jobset.sigs.k8s.io/jobset-name}: all pods of a JobSet. */
        JOB_SET,
        /** Label {@code kueue.x-k8s.io/pod-group-name}: plain pods that Kueue admits together. */
        KUEUE
    }

    @Override
    public int compareTo(PodGroupName other) {
        return ORDER.compare(this, other);
    }

    /** {@code namespace/name}. */
    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}

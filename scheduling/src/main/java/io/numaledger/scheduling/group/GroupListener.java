package io.numaledger.scheduling.group;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.evaluation.facts.PodGroupName;

import java.util.List;
import java.util.Optional;

/** Port: is told what becomes of groups, for events, metrics and logs. */
public interface GroupListener {

    /** What became of an attempt to plan a group. */
    enum Outcome {
        /** The group's nodes are reserved for its pods. */
        PLANNED,
        /** The group would fit without pods of lower priority, which kube-scheduler is about to choose. */
        PLANNED_WITHOUT_LOWER_PRIORITY,
        REFUSED,
        /** The group's pods were not bound in time. */
        EXPIRED
    }

    /**
     * A group.
     *
     * @param object absent where only its pods say that they are a group
     * @param pod one of its pods
     */
    record Group(PodGroupName name, Optional<PodGroup> object, PodFacts pod) {}

    /**
     * A group was planned, or not.
     *
     * @param needed how many pods have to run together, beside those that run already
     * @param result how many could
     */
    default void planned(Group group, Outcome outcome, int needed, PlanningResult result) {}

    /** A pod of a group was not bound, and others of its group may be. */
    default void memberNotBound(Group group, String node, String why) {}

    /** Nothing says how many pods of a gated group have to run together. */
    default void sizeUnknown(Group group) {}

    /**
     * A pod of a gated group has an invalid annotation: the group is not planned.
     *
     * @param why a sentence
     */
    default void invalid(Group group, String why) {}

    /**
     * A group did not come up in time, and its pods are evicted.
     *
     * @param placed how many of its pods ran, or were tied to a node
     */
    default void gaveUp(Group group, int placed, int least) {}

    /** No pod of a gated group waits any more. */
    default void gone(PodGroupName group) {}

    /** A group could not be checked, which is a bug. It is checked again with the next round. */
    default void failed(Group group, Throwable failure) {}

    /** Pods of lower priority are evicted for a group. */
    default void preempting(Group group, List<PodFacts> victims) {}
}

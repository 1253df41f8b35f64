package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.RefusalReason;

import java.util.Set;

/**
 * A pod for which a node is reserved and which does not run there yet. Pods in flight are none of these, nor are pods that another scheduler
 * is about to bind: they count among the pods of their nodes.
 *
 * @param plan the number of its plan: a group may have several, side by side; 0 for a pod that is not planned
 * @param binding kube-scheduler binds the pods of the plan
 * @param awaited the UIDs of pods that have to end before it fits
 */
public record Reservation(PodFacts pod, Reason reason, long plan, boolean binding, Set<String> awaited) {

    // They name no pod: kube-scheduler retries a pod whenever the text of its refusal changes.
    private static final Refused FOR_GROUP = Refused.of(
            RefusalReason.RESERVED_FOR_GROUP, "reserved for pods of a group that are about to be bound", false);
    private static final Refused FOR_NOMINATED = Refused.of(
            RefusalReason.RESERVED_FOR_NOMINATED_POD, "reserved for a pod that is nominated for the node", false);
    private static final Refused FOR_OLDER_POD =
            Refused.of(RefusalReason.RESERVED_FOR_OLDER_POD, "reserved for an older pending pod", false);

    /** Why a node is reserved. */
    public enum Reason {
        /** Pods of a group are to run there. */
        GROUP,
        /** The pod is nominated for the node: others are evicted there for it, or the bridge has found room. */
        NOMINATED,
        /** The pod has been pending for long, and fits the node now. */
        OLDER_POD;

        /** The refusal of a pod that would take the place. */
        public Refused refusal() {
            return switch (this) {
                case GROUP -> FOR_GROUP;
                case NOMINATED -> FOR_NOMINATED;
                case OLDER_POD -> FOR_OLDER_POD;
            };
        }
    }

    static Reservation planned(PodFacts pod, long plan, Set<String> awaited) {
        return new Reservation(pod, Reason.GROUP, plan, false, awaited);
    }

    static Reservation nominated(PodFacts pod) {
        return new Reservation(pod, Reason.NOMINATED, 0, false, Set.of());
    }

    /** The reservation for a pod that waits. */
    public static Reservation older(PodFacts pod) {
        return new Reservation(pod, Reason.OLDER_POD, 0, false, Set.of());
    }

    /** Whether another pod must not take its place: unless that pod has a higher priority, and this one is not being bound. */
    public boolean goesBefore(PodFacts other) {
        return binding || pod.priority().value() >= other.priority().value();
    }

    /** Whether pods have to end before it fits. */
    boolean awaitsOthers() {
        return reason == Reason.NOMINATED || !awaited.isEmpty();
    }

    Reservation beingBound() {
        return new Reservation(pod, reason, plan, true, awaited);
    }
}

package io.numaledger.evaluation.facts;

/**
 * What decides about a pod's node beside its requests. The pods of a workload share it.
 *
 * @param priority how important it is
 * @param scheduler the name of its scheduler
 * @param constraints what it demands of its node beside resources; none for a pod that has a node, unless they were to be kept
 * @param attempt how its scheduler's last attempt ended
 */
public record PodScheduling(
        PodPriority priority, String scheduler, PodConstraints constraints, SchedulingAttempt attempt) {

    PodScheduling nominatedFor(String node) {
        return new PodScheduling(priority.nominatedFor(node), scheduler, constraints, attempt);
    }

    PodScheduling notTried() {
        return new PodScheduling(priority, scheduler, constraints, SchedulingAttempt.NONE);
    }
}

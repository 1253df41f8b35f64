package io.numaledger.scheduling.gang;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.gang.Gang.State;
import io.numaledger.scheduling.group.GroupPlan;

import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A plan that kube-scheduler is about to carry out, in the states of {@link Gang} that have one. Its gang's lock guards it. */
final class ActivePlan {

    private final long number;
    private final GroupPlan plan;
    private final BitSet feasible;
    private State state;
    private long usedAt;

    private final Map<String, String> nodeByUid = new HashMap<>();
    private final Set<String> answered = new HashSet<>();
    private final Set<String> nominatedElsewhere = new HashSet<>();

    /**
     * A new plan.
     *
     * @param feasible the slots of the nodes that filter calls named, for the pods that are like the first one
     * @param state {@link State#RESERVED} or {@link State#AWAITS_EVICTIONS}
     * @param now in nanoseconds of a clock that does not jump
     */
    ActivePlan(long number, GroupPlan plan, BitSet feasible, State state, long now) {
        this.number = number;
        this.plan = plan;
        this.feasible = feasible;
        this.state = state;
        this.usedAt = now;
        plan.byNode()
                .forEach((node, pods) ->
                        pods.forEach(pod -> nodeByUid.put(pod.uid().orElse(""), node)));
    }

    long number() {
        return number;
    }

    GroupPlan plan() {
        return plan;
    }

    BitSet feasible() {
        return feasible;
    }

    State state() {
        return state;
    }

    /** The node where a pod is to run. */
    Optional<String> node(PodFacts pod) {
        return pod.uid().map(nodeByUid::get);
    }

    boolean hasAnswered(PodFacts pod) {
        return pod.uid().filter(answered::contains).isPresent();
    }

    /** A filter call for a pod is answered with its planned node. */
    void answered(PodFacts pod, long now) {
        pod.uid().ifPresent(answered::add);
        usedAt = now;
    }

    /** One of the plan's pods is to be bound. */
    void bindCalled(long now) {
        usedAt = now;
    }

    /** When a filter call was last answered by the plan, or a bind was called, in nanoseconds. */
    long usedAt() {
        return usedAt;
    }

    /** The pods of lower priority have ended, and its nodes are reserved. */
    void reserved() {
        state = State.RESERVED;
    }

    /** Other pods took its place before the first bind. */
    void displaced() {
        state = State.DISPLACED;
    }

    /** The plan's pods are bound from now on. */
    void binding() {
        state = State.BINDING;
    }

    /** A pod is planned for another node than it is nominated for. Returns whether that is new. */
    boolean isNominatedElsewhere(PodFacts pod) {
        return pod.uid().filter(nominatedElsewhere::add).isPresent();
    }
}

package io.numaledger.bridge.group;

import io.numaledger.bridge.objects.PodFacts;

import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A plan that kube-scheduler is about to carry out. Its group's lock guards it. */
final class ActivePlan {

    final long number;
    final GroupPlan plan;

    /** The slots of the nodes that may be used. A call about other nodes means another plan. */
    final BitSet domain;

    /** It does not fit yet: pods of lower priority have to end first. */
    boolean awaitsEvictions;

    /** When a pod was last asked about or bound, in nanoseconds of a clock that does not jump. */
    long usedAt;

    private final Map<String, String> nodeByUid = new HashMap<>();
    private final Set<String> answered = new HashSet<>();

    ActivePlan(long number, GroupPlan plan, BitSet domain, boolean awaitsEvictions, long now) {
        this.number = number;
        this.plan = plan;
        this.domain = domain;
        this.awaitsEvictions = awaitsEvictions;
        this.usedAt = now;
        plan.byNode()
                .forEach((node, pods) ->
                        pods.forEach(pod -> nodeByUid.put(pod.uid().orElse(""), node)));
    }

    /** Where a pod is to run. */
    Optional<String> node(PodFacts pod) {
        return pod.uid().map(nodeByUid::get);
    }

    /** Whether it may be the plan that a call about these nodes means. */
    boolean isAbout(BitSet nodes) {
        BitSet others = (BitSet) nodes.clone();
        others.andNot(domain);
        return others.isEmpty();
    }

    boolean hasAnswered(PodFacts pod) {
        return pod.uid().filter(answered::contains).isPresent();
    }

    void answered(PodFacts pod, long now) {
        pod.uid().ifPresent(answered::add);
        usedAt = now;
    }
}

package io.numaledger.bridge.gang;

import io.numaledger.bridge.group.GroupPlan;
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

    /** The slots of the nodes about which kube-scheduler has asked, for the pods that are like the first one. */
    final BitSet candidates;

    /** It does not fit yet: pods of lower priority have to end first. */
    boolean awaitsEvictions;

    /** Its pods are being bound. */
    boolean taken;

    /** Other pods took its place before the first bind. */
    boolean displaced;

    /** When a pod was last asked about or bound, in nanoseconds of a clock that does not jump. */
    long usedAt;

    private final Map<String, String> nodeByUid = new HashMap<>();
    private final Set<String> answered = new HashSet<>();
    private final Set<String> nominatedElsewhere = new HashSet<>();

    ActivePlan(long number, GroupPlan plan, BitSet candidates, boolean awaitsEvictions, long now) {
        this.number = number;
        this.plan = plan;
        this.candidates = candidates;
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

    boolean hasAnswered(PodFacts pod) {
        return pod.uid().filter(answered::contains).isPresent();
    }

    void answered(PodFacts pod, long now) {
        pod.uid().ifPresent(answered::add);
        usedAt = now;
    }

    /** A pod is planned for another node than it is nominated for. Returns whether that is new. */
    boolean isNominatedElsewhere(PodFacts pod) {
        return pod.uid().filter(nominatedElsewhere::add).isPresent();
    }
}

package io.numaledger.scheduling.gang;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.state.ClusterState;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Waits for pods of a gang that kube-scheduler knows and the bridge's own watch has not shown yet. Thread-safe. */
final class LateMembers {

    /** How long the watch may need to show a group that kube-scheduler knows already. */
    private static final Duration WATCH_TIMEOUT = Duration.ofMillis(500);

    private final ClusterState cluster;
    private final PodGroups groups;
    private final Gangs.Waiting waiting;

    /** How many pods of a group were known when the others were awaited in vain. */
    private final Map<PodGroupName, Integer> awaitedWith = new ConcurrentHashMap<>();

    LateMembers(ClusterState cluster, PodGroups groups, Gangs.Waiting waiting) {
        this.cluster = cluster;
        this.groups = groups;
        this.waiting = waiting;
    }

    /**
     * kube-scheduler tries a group when it has enough pods; the bridge's own watch may be a moment behind. Not again before that has shown
     * more of them: kube-scheduler tries no other pod meanwhile.
     */
    void await(PodGroupName name, PodFacts pod) {
        if (!isComplete(name, pod)
                && !Integer.valueOf(ready(name, pod)).equals(awaitedWith.get(name))
                && !waiting.uninterrupted(() -> isComplete(name, pod), WATCH_TIMEOUT)) {
            awaitedWith.put(name, ready(name, pod));
        }
    }

    private boolean isComplete(PodGroupName name, PodFacts pod) {
        return groups.get(name)
                .filter(group -> ready(name, pod) >= group.minMember().orElse(0))
                .isPresent();
    }

    /** How many pods kube-scheduler has bound, or may try. */
    private int ready(PodGroupName name, PodFacts called) {
        long others = cluster.pods().ofGroup(name).stream()
                .filter(member -> !member.isSameAs(called) && !Gang.isGated(member))
                .count();
        return (int) others + 1;
    }

    /** Forgets groups without pods. */
    void expire() {
        awaitedWith.keySet().removeIf(name -> cluster.pods().ofGroup(name).isEmpty());
    }
}

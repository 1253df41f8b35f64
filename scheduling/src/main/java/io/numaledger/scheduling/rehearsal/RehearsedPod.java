package io.numaledger.scheduling.rehearsal;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.rehearsal.TentativeCluster.Placed;

import java.util.Optional;

/**
 * What becomes of one pod.
 *
 * @param node where it runs; empty: it is pending
 * @param target the node that takes it, or its next pod; absent: none does, or it stays
 * @param why one sentence; empty: it goes without saying
 */
public record RehearsedPod(PodFacts pod, String node, Fate fate, Optional<String> target, String why) {

    static RehearsedPod of(PodFacts pod, String node, Fate fate, String why) {
        return new RehearsedPod(pod, node, fate, Optional.empty(), why);
    }

    static RehearsedPod stays(PodFacts pod, String node, String why) {
        return of(pod, node, Fate.STAYS, why);
    }

    /** This pod, for whose next one a node was looked for. */
    RehearsedPod placed(Placed found) {
        return found.node().isPresent()
                ? new RehearsedPod(pod, node, Fate.MOVES, found.node(), why)
                : of(pod, node, Fate.PENDING, why.isEmpty() ? found.why() : why + "; " + found.why());
    }

    /** This pod, whose next one a node takes when it is back. */
    RehearsedPod takenLater(String by) {
        return new RehearsedPod(pod, node, Fate.WAITS, Optional.of(by), why);
    }
}

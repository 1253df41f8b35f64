package io.numaledger.bridge.verdict;

import io.numaledger.bridge.score.Ranking;
import io.numaledger.bridge.verdict.Verdict.Code;

import java.util.Optional;

/**
 * What holds of one shape of pod on all nodes of one signature. Small: there are many of them.
 *
 * @param code absent: it fits
 * @param sentence why not, without holders
 * @param never it does not fit the empty node either
 * @param rank how good the node is for it, see {@link io.numaledger.bridge.score.Ranking}; 0 where it does not fit
 */
public record Outcome(Optional<Code> code, String sentence, boolean never, long rank) {

    /** Of a node that the API server does not show: no reason to keep a pod off it. */
    public static final Outcome NOT_SHOWN = new Outcome(Optional.empty(), "", false, Ranking.UNRANKED);

    /** It fits, but others come first. Without their names: kube-scheduler asks again whenever the text changes. */
    public static final Outcome HELD =
            new Outcome(Optional.of(Code.HELD), "held for pods that have waited longer", false, Ranking.UNRANKED);

    public boolean fits() {
        return code.isEmpty();
    }
}

package io.numaledger.bridge.verdict;

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

    public boolean fits() {
        return code.isEmpty();
    }
}

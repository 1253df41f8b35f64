package io.numaledger.scheduling.stranded;

import java.util.Optional;

/**
 * How many more pods of one size a node takes.
 *
 * @param byZones as its kubelet would admit them one after the other
 * @param bySums as requests and allocatable amounts of the whole node say
 * @param reason why the next one is refused by zones; absent where no room is stranded
 */
public record NodeCount(ReferencePod reference, int byZones, int bySums, Optional<StrandedReason> reason) {

    public int stranded() {
        return bySums - byZones;
    }
}

package io.numaledger.agent.run;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A clock that stands still while the API server is away: a kubelet that restarts meanwhile does not learn of its pods. */
final class ReachableTime {

    private Optional<Instant> last = Optional.empty();
    private Duration away = Duration.ZERO;

    Instant at(Instant now, boolean outOfTouch) {
        if (outOfTouch) {
            away = away.plus(Duration.between(last.orElse(now), now));
        }
        last = Optional.of(now);
        return now.minus(away);
    }
}

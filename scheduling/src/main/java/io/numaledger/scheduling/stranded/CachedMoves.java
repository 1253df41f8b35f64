package io.numaledger.scheduling.stranded;

import io.numaledger.scheduling.stranded.MoveSearch.Proposal;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Finds moves, and answers the same again while nothing was counted, or for some seconds: many callers cost one search. Thread-safe. */
public final class CachedMoves implements MoveSearch.Finder {

    /** An answer may be as old as counts may be. */
    private static final Duration FRESH = Duration.ofSeconds(5);

    /** Disruption budgets, and what pods demand of nodes, may change although no node is counted. */
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final MoveSearch.Finder search;
    private final Supplier<StrandedReport> counts;
    private final LongSupplier nanoTime;
    private final Map<String, Answers> answers = new ConcurrentHashMap<>();

    /** @param counts those that a search begins with; another object after nodes were counted */
    public CachedMoves(MoveSearch.Finder search, Supplier<StrandedReport> counts, LongSupplier nanoTime) {
        this.search = search;
        this.counts = counts;
        this.nanoTime = nanoTime;
    }

    @Override
    public List<Proposal> find(String reference) {
        return answers.computeIfAbsent(reference, any -> new Answers()).find(reference);
    }

    private record Answer(StrandedReport counts, long foundAt, List<Proposal> proposals) {

        @SuppressWarnings("ReferenceEquality") // equal counts may follow from other pods
        boolean isValid(StrandedReport now, long nanos) {
            return nanos - foundAt < (now == counts ? LONGEST : FRESH).toNanos();
        }
    }

    /** About one reference pod. */
    private final class Answers {

        private Optional<Answer> last = Optional.empty();

        /** Callers wait for a search that another one has begun. */
        synchronized List<Proposal> find(String reference) {
            StrandedReport now = counts.get();
            if (last.filter(known -> known.isValid(now, nanoTime.getAsLong())).isEmpty()) {
                List<Proposal> found = search.find(reference);
                last = Optional.of(new Answer(now, nanoTime.getAsLong(), found));
            }
            return last.get().proposals();
        }
    }
}

package io.numaledger.agent.run;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Collection;
import java.util.Optional;
import java.util.TreeSet;

/** Logs each problem once when it appears, and once when it has gone. For one thread. */
final class ProblemLog {

    private static final Logger log = LoggerFactory.getLogger(ProblemLog.class);

    /** The source of the invalid values, such as {@code machine}; absent: the problems are failed reconciliations. */
    private final Optional<String> source;

    private TreeSet<String> present = new TreeSet<>();

    private ProblemLog(Optional<String> source) {
        this.source = source;
    }

    /** @param source of the invalid values, such as {@code machine} */
    static ProblemLog ofInputs(String source) {
        return new ProblemLog(Optional.of(source));
    }

    static ProblemLog ofReconciliations() {
        return new ProblemLog(Optional.empty());
    }

    /** @param problems all that exist now; one sentence for each */
    void report(Collection<String> problems) {
        TreeSet<String> now = new TreeSet<>(problems);
        for (String problem : now) {
            if (!present.contains(problem)) {
                appeared(problem);
            }
        }
        for (String problem : present) {
            if (!now.contains(problem)) {
                gone(problem);
            }
        }
        present = now;
    }

    private void appeared(String problem) {
        if (source.isPresent()) {
            log.warn("event=input.ignored source={} problem='{}'", source.get(), problem);
        } else {
            log.warn("event=reconciliation.failed problem='{}'", problem);
        }
    }

    private void gone(String problem) {
        if (source.isPresent()) {
            log.info("event=input.accepted source={} problem='{}'", source.get(), problem);
        } else {
            log.info("event=reconciliation.recovered problem='{}'", problem);
        }
    }
}

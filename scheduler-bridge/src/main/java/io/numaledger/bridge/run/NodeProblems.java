package io.numaledger.bridge.run;

import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** One kind of problem that nodes may have: in a metric, and in the log when it begins and ends. For one thread. */
final class NodeProblems {

    private static final Logger log = LoggerFactory.getLogger(NodeProblems.class);

    /** The most lines at once: more would hide everything else in the log; the metric has all nodes. */
    private static final int MAX_LINES = 20;

    /**
     * The problem of one node.
     *
     * @param reason a label of the metric, if it has one
     * @param count value of the metric
     * @param message one sentence
     */
    record Problem(String reason, int count, String message) {

        Problem(String reason, String message) {
            this(reason, 1, message);
        }
    }

    /** Writes the log line when a node begins to have the problem, or another one of this kind. */
    @FunctionalInterface
    interface Begun {

        /** @param nodes how many have such a problem now */
        void log(String node, Problem problem, int nodes);
    }

    private final Optional<MultiGauge> gauge;
    private final String label;
    private final Begun begun;
    private final String ended;
    private SortedMap<String, Problem> reported = new TreeMap<>();

    /**
     * @param gauge has a row for each node with the problem
     * @param label of the gauge that tells the reason; empty: none
     * @param ended the log line for a node whose problem has ended, and how many nodes still have it
     */
    NodeProblems(Optional<MultiGauge> gauge, String label, Begun begun, String ended) {
        this.gauge = gauge;
        this.label = label;
        this.begun = begun;
        this.ended = ended;
    }

    /** @param now all problems, by node */
    void report(SortedMap<String, Problem> now) {
        if (now.equals(reported)) {
            return;
        }
        gauge.ifPresent(rows -> rows.register(rows(now), true));
        now.entrySet().stream()
                .filter(each -> !each.getValue().equals(reported.get(each.getKey())))
                .limit(MAX_LINES)
                .forEach(each -> begun.log(each.getKey(), each.getValue(), now.size()));
        reported.keySet().stream()
                .filter(node -> !now.containsKey(node))
                .limit(MAX_LINES)
                .forEach(node -> log.info(ended, node, now.size()));
        reported = new TreeMap<>(now);
    }

    private List<MultiGauge.Row<?>> rows(SortedMap<String, Problem> now) {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        now.forEach((node, problem) -> {
            Tags tags = Tags.of("node", node);
            rows.add(MultiGauge.Row.of(label.isEmpty() ? tags : tags.and(label, problem.reason()), problem.count()));
        });
        return rows;
    }
}

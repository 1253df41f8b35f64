package io.numaledger.bridge.run;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/** One kind of problem that nodes may have: in a metric, and in the log when it begins and ends. For one thread. */
final class NodeProblems {

    /** More lines at once would hide everything else in the log; the metric has all nodes. */
    private static final int MAX_LINES = 20;

    /**
     * The problem of one node.
     *
     * @param reason a label of the metric
     * @param message one sentence
     */
    record Problem(String reason, String message) {}

    /** Writes log lines. */
    interface Lines {

        /** @param nodes how many have such a problem now */
        void begun(String node, Problem problem, int nodes);

        void ended(String node, int nodes);
    }

    private final Consumer<SortedMap<String, String>> metric;
    private final Lines lines;
    private SortedMap<String, Problem> reported = new TreeMap<>();

    /** @param metric takes the reasons by node */
    NodeProblems(Consumer<SortedMap<String, String>> metric, Lines lines) {
        this.metric = metric;
        this.lines = lines;
    }

    /** @param now all problems, by node */
    void report(SortedMap<String, Problem> now) {
        if (now.equals(reported)) {
            return;
        }
        SortedMap<String, String> reasons = new TreeMap<>();
        now.forEach((node, problem) -> reasons.put(node, problem.reason()));
        metric.accept(reasons);
        now.entrySet().stream()
                .filter(each -> !each.getValue().equals(reported.get(each.getKey())))
                .limit(MAX_LINES)
                .forEach(each -> lines.begun(each.getKey(), each.getValue(), now.size()));
        reported.keySet().stream()
                .filter(node -> !now.containsKey(node))
                .limit(MAX_LINES)
                .forEach(node -> lines.ended(node, now.size()));
        reported = new TreeMap<>(now);
    }
}

package io.numaledger.e2e.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What came of one node's pods.
 *
 * @param refused reason → how many
 * @param drawn pods whose devices the kubelet drew from several NUMA nodes, compared but for the draw
 * @param byChance pods of which not all could be compared, because devices drawn by chance decided on the rest
 * @param simulated pods on which the simulated kubelet was compared, too
 * @param differences from the model's answers, a sentence each
 * @param simulatedDifferences from the simulated kubelet's answers
 */
record LiveReport(
        String node,
        int admitted,
        SortedMap<String, Integer> refused,
        int removed,
        int drawn,
        int byChance,
        int simulated,
        List<String> differences,
        List<String> simulatedDifferences,
        Duration took) {

    int compared() {
        return admitted + refused.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** One line, for the measured figures. */
    @Override
    public String toString() {
        return "node=%s compared=%d admitted=%d refused=%s removed=%d drawn=%d by_chance=%d simulated=%d wrong=%d took_ms=%d"
                .formatted(
                        node,
                        compared(),
                        admitted,
                        refused,
                        removed,
                        drawn,
                        byChance,
                        simulated,
                        differences.size(),
                        took.toMillis());
    }

    /** Counts while the pods come. */
    static final class Counter {

        private final String node;
        private final long begin = System.nanoTime();
        private final SortedMap<String, Integer> refused = new TreeMap<>();
        private final List<String> differences = new ArrayList<>();
        private final List<String> simulatedDifferences = new ArrayList<>();
        private int admitted;
        private int removed;
        private int drawn;
        private int byChance;
        private int simulated;

        Counter(String node) {
            this.node = node;
        }

        void compared(LiveVerdict verdict, List<String> found) {
            if (verdict.isAdmitted()) {
                admitted++;
            } else {
                refused.merge(verdict.reason(), 1, Integer::sum);
            }
            differences.addAll(found);
        }

        void comparedSimulated(List<String> found) {
            simulated++;
            simulatedDifferences.addAll(found);
        }

        void removed() {
            removed++;
        }

        void drawn() {
            drawn++;
        }

        void byChance() {
            byChance++;
        }

        LiveReport report() {
            return new LiveReport(
                    node,
                    admitted,
                    refused,
                    removed,
                    drawn,
                    byChance,
                    simulated,
                    differences,
                    simulatedDifferences,
                    Duration.ofNanos(System.nanoTime() - begin));
        }
    }
}

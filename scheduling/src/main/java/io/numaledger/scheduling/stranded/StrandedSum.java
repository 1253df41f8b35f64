package io.numaledger.scheduling.stranded;

import io.numaledger.scheduling.stranded.StrandedReport.Row;

import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** The sum of the counts of nodes by one reference pod in one pool. For one thread. */
final class StrandedSum {

    private final SortedMap<String, Integer> nodesBySize = new TreeMap<>();
    private final Map<StrandedReason, Long> reasons = new EnumMap<>(StrandedReason.class);
    private int nodes;
    private long byZones;
    private long bySums;

    /** @param sign 1 to add the count, -1 to take it away */
    void add(NodeCount count, int sign) {
        nodes += sign;
        byZones += (long) sign * count.byZones();
        bySums += (long) sign * count.bySums();
        count.reason().ifPresent(reason -> reasons.merge(reason, (long) sign * count.stranded(), Long::sum));
        reasons.values().removeIf(sum -> sum == 0);
        nodesBySize.merge(count.reference().size(), sign, Integer::sum);
        nodesBySize.values().removeIf(sum -> sum == 0);
    }

    boolean isEmpty() {
        return nodes == 0;
    }

    Row row(String reference, String pool) {
        return new Row(
                reference, pool, new TreeSet<>(nodesBySize.keySet()), nodes, byZones, bySums, new TreeMap<>(reasons));
    }
}

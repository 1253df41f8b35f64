package io.numaledger.benchmarks.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Events by time; those of the same time happen in the order in which they were added. */
public final class SimulatedTime {

    private final TreeMap<Long, List<Runnable>> events = new TreeMap<>();
    private long now;

    public long now() {
        return now;
    }

    public void at(long time, Runnable event) {
        events.computeIfAbsent(time, any -> new ArrayList<>()).add(event);
    }

    /** The time of the last event that is known. */
    public long last() {
        return events.lastKey();
    }

    /** Returns when no event is left. Events may add others. */
    public void run() {
        while (!events.isEmpty()) {
            Map.Entry<Long, List<Runnable>> next = events.pollFirstEntry();
            now = next.getKey();
            next.getValue().forEach(Runnable::run);
        }
    }
}

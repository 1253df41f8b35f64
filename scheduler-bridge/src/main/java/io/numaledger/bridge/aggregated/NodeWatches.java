package io.numaledger.bridge.aggregated;

import io.numaledger.bridge.aggregated.NodeEvents.Form;
import io.numaledger.bridge.aggregated.NodeResourceVersions.Change;
import io.numaledger.bridge.server.AnswerStream;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeIndex;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * The open watches of NumaNodes. Twice a second, the nodes that have changed are rendered, and sent to those who watch. Nothing is done while
 * nobody does.
 */
final class NodeWatches {

    static final int MOST = 100;
    static final int MOST_OF_CALLER = 10;

    private static final Logger log = LoggerFactory.getLogger(NodeWatches.class);
    private static final Duration PERIOD = Duration.ofMillis(500);

    /** Within this time, each node is compared, changed or not. */
    private static final Duration ROUND = WatchQuery.LONGEST;

    private static final int PERIODS = (int) ROUND.dividedBy(PERIOD);
    private static final byte[] NOTHING = {};

    private final ClusterState cluster;
    private final NodeResourceVersions versions;
    private final NodeEvents events;
    private final Map<String, Integer> callers = new HashMap<>();
    private int count;

    // ---- of the thread

    private final Map<NodeWatch, String> watches = new LinkedHashMap<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "numanode-watch");
        made.setDaemon(true);
        return made;
    });
    private @Nullable Future<?> running;
    private int comparedAgain;

    NodeWatches(ClusterState cluster, NodeResourceVersions versions) {
        this.cluster = cluster;
        this.versions = versions;
        this.events = new NodeEvents(cluster);
    }

    /** Answers with events. */
    Answer begin(String caller, WatchQuery query, Form form) {
        if (query.since().isPresent() && !versions.know(query.since().getAsLong())) {
            return Answer.text(410, "The resourceVersion for the provided watch is too old.");
        }
        if (!take(caller)) {
            return Answer.text(
                    429,
                    "too many watches: limit=%d for each user, %d for all; retry later"
                            .formatted(MOST_OF_CALLER, MOST));
        }
        return new Answer(
                200,
                "application/json",
                NOTHING,
                Optional.of(stream -> thread.execute(() -> {
                    try {
                        add(caller, query, form, stream);
                    } catch (RuntimeException e) { // else it would count for ever
                        log.error("event=numanodes.watch_failed watches=1", e);
                        stream.cut();
                        giveBack(caller);
                    }
                })));
    }

    private synchronized boolean take(String caller) {
        int own = callers.getOrDefault(caller, 0);
        if (own >= MOST_OF_CALLER || count >= MOST) {
            return false;
        }
        callers.put(caller, own + 1);
        count++;
        return true;
    }

    synchronized int count() {
        return count;
    }

    private synchronized void giveBack(String caller) {
        callers.merge(caller, -1, Integer::sum);
        callers.remove(caller, 0);
        count--;
    }

    private void add(String caller, WatchQuery query, Form form, AnswerStream stream) {
        long version = versions.update(events);
        List<Change> all = query.since().isEmpty() ? versions.all() : List.of();
        NodeWatch watch = new NodeWatch(query, form, stream, version, all, System.nanoTime());
        watches.put(watch, caller);
        Runnable sendWaiting = () -> send(watch, versions::since, version);
        stream.onWritable(() -> thread.execute(sendWaiting));
        sendWaiting.run();
        if (running == null) {
            running = thread.scheduleWithFixedDelay(
                    this::sendAll, PERIOD.toMillis(), PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void sendAll() {
        Map<Long, List<Change>> since = new HashMap<>();
        try {
            compareSome();
            long now = versions.update(events);
            List.copyOf(watches.keySet())
                    .forEach(watch -> send(watch, known -> since.computeIfAbsent(known, versions::since), now));
        } catch (RuntimeException e) { // else nobody would get an event again
            log.error("event=numanodes.watch_failed watches={}", watches.size(), e);
            watches.keySet().forEach(NodeWatch::cut);
        }
        watches.entrySet().removeIf(watch -> {
            boolean closed = !watch.getKey().isOpen();
            if (closed) {
                giveBack(watch.getValue());
            }
            return closed;
        });
        if (watches.isEmpty() && running != null) {
            running.cancel(false);
            running = null;
            events.clear();
        }
    }

    private void send(NodeWatch watch, LongFunction<List<Change>> since, long now) {
        try {
            watch.send(events, since, now, System.nanoTime());
        } catch (RuntimeException e) {
            log.warn("event=numanodes.watch_ended error=\"{}\"", e.toString());
            watch.cut();
        }
    }

    private void compareSome() {
        NodeIndex index = cluster.index();
        int some = index.size() / PERIODS + 1;
        for (int i = 0; i < some && index.size() > 0; i++) {
            comparedAgain = (comparedAgain + 1) % index.size();
            versions.compareAgain(index.name(comparedAgain), events);
        }
    }
}

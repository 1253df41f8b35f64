package io.numaledger.bridge.aggregated;

import io.numaledger.bridge.aggregated.NodeEvents.Form;
import io.numaledger.bridge.aggregated.NodeResourceVersions.Change;
import io.numaledger.bridge.server.AnswerStream;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;

/** One watch of NumaNodes. Events are made when the caller can take them: one that reads slowly gets fewer. Used by one thread. */
final class NodeWatch {

    /** The bytes of events that are sent together. */
    private static final int PART_BYTES = 32 << 10;

    private static final long BOOKMARK_NANOS = Duration.ofMinutes(1).toNanos();

    /** A caller that reads nothing for so long loses its connection, as at other requests. */
    private static final long SILENCE_NANOS = Duration.ofSeconds(15).toNanos();

    private final WatchQuery query;
    private final Form form;
    private final AnswerStream stream;
    private final long begunNanos;
    private final Deque<Change> waiting = new ArrayDeque<>();

    /** All before it are sent or waiting. */
    private long version;

    private boolean initialEnd;
    private long bookmarkNanos;
    private long readNanos;

    /** @param version the current one, of which the caller gets all nodes, unless it knows one */
    NodeWatch(WatchQuery query, Form form, AnswerStream stream, long version, List<Change> all, long nowNanos) {
        this.query = query;
        this.form = form;
        this.stream = stream;
        this.begunNanos = nowNanos;
        this.bookmarkNanos = nowNanos;
        this.readNanos = nowNanos;
        this.version = query.since().orElse(version);
        this.initialEnd = query.initialEnd();
        if (query.since().isEmpty()) {
            add(all);
        }
    }

    private void add(List<Change> changes) {
        changes.stream()
                .filter(change ->
                        query.node().filter(name -> !name.equals(change.node())).isEmpty())
                .forEach(waiting::add);
    }

    /**
     * Sends what the caller can take now.
     *
     * @param since what has changed since a version
     * @param now the current version
     */
    void send(NodeEvents events, LongFunction<List<Change>> since, long now, long nowNanos) {
        if (stream.isWritable()) {
            readNanos = nowNanos;
        }
        if (waiting.isEmpty() && version < now) {
            List<Change> changes = since.apply(version);
            add(changes);
            version = changes.isEmpty()
                    ? now
                    : Math.max(now, changes.get(changes.size() - 1).version());
        }
        while (!waiting.isEmpty() && stream.isWritable()) {
            stream.send(part(events));
        }
        boolean over = nowNanos - begunNanos >= query.timeout().toNanos();
        if (stream.isWritable()) {
            bookmark(over, nowNanos);
        } else if (over || nowNanos - readNanos > SILENCE_NANOS) {
            stream.cut();
        }
    }

    private byte[] part(NodeEvents events) {
        ByteArrayOutputStream part = new ByteArrayOutputStream();
        while (!waiting.isEmpty() && part.size() < PART_BYTES) {
            Optional<byte[]> line = events.line(waiting.remove(), form);
            line.ifPresent(part::writeBytes);
        }
        return part.toByteArray();
    }

    private void bookmark(boolean over, long nowNanos) {
        if (initialEnd || (query.bookmarks() && (over || nowNanos - bookmarkNanos > BOOKMARK_NANOS))) {
            stream.send(NodeEvents.bookmark(version, form.table(), initialEnd));
            initialEnd = false;
            bookmarkNanos = nowNanos;
        }
        if (over) {
            stream.end();
        }
    }

    boolean isOpen() {
        return stream.isOpen();
    }

    /** Ends the watch without a last event: the caller begins again. */
    void cut() {
        stream.cut();
    }
}

package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.kubectl.zones.Zones;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** The cluster that the page shows: its nodes as last read, and its zones for other questions. */
public final class ShownCluster {

    /** Reading takes at most this part of the time. */
    private static final int SHARE = 10;

    /** After a watch that has failed, nodes are read for so long. */
    private static final Duration UNWATCHED = Duration.ofMinutes(1);

    /** Labels are not watched: they are read at first, and when there are other nodes. */
    private static final class NodesWithLabels {

        private final Zones zones;
        private Set<String> names = Set.of();
        private Map<String, SortedMap<String, String>> labels = Map.of();

        NodesWithLabels(Zones zones) {
            this.zones = zones;
        }

        Nodes with(List<JsonNode> nodes) throws IOException {
            Set<String> now =
                    nodes.stream().map(node -> node.path("node").asText()).collect(Collectors.toSet());
            if (!now.equals(names)) {
                names = now;
                labels = zones.labels();
            }
            return new Nodes(nodes, labels);
        }
    }

    /** Where zones come from. */
    @FunctionalInterface
    public interface Source {
        Zones zones() throws IOException;
    }

    /** Nodes and their labels, read at one time. */
    record Nodes(List<JsonNode> statuses, Map<String, SortedMap<String, String>> labels) {}

    private final Source source;
    private final Changes changes;
    private final Liveness liveness;
    private final InstantSource clock;
    private Optional<Instant> readAt = Optional.empty();
    private Optional<Zones> zones = Optional.empty();
    private Optional<Nodes> nodes = Optional.empty();
    private Optional<String> failure = Optional.empty();

    ShownCluster(Source source, Changes changes, Liveness.Question question, InstantSource clock) {
        this.source = source;
        this.changes = changes;
        this.liveness = new Liveness(question, clock);
        this.clock = clock;
    }

    public Changes changes() {
        return changes;
    }

    /** The zones that the nodes were read from. */
    public synchronized Zones zones() throws IOException {
        if (zones.isEmpty()) {
            zones = Optional.of(source.zones());
        }
        return zones.get();
    }

    synchronized Nodes nodes() throws IOException {
        if (nodes.isEmpty()) {
            nodes = Optional.of(read(zones()));
            readAt = Optional.of(clock.instant());
        }
        return nodes.get();
    }

    /** Why the cluster cannot be read now; the nodes are then those of before. */
    synchronized Optional<String> problem() {
        return liveness.problem().or(() -> failure);
    }

    /** The last time at which what is known was known to be so. */
    synchronized Optional<Instant> readAt() {
        return liveness.answeredAt().or(() -> readAt);
    }

    /** Asks for as long as a page listens whether the cluster answers. */
    void askAgainAndAgain(Duration interval) throws InterruptedException {
        while (true) {
            changes.awaitListener();
            if (liveness.ask()) {
                changes.changed();
            }
            Thread.sleep(interval.toMillis());
        }
    }

    private static Nodes read(Zones zones) throws IOException {
        return new Nodes(zones.nodes(), zones.labels());
    }

    /**
     * Watches the nodes for as long as a page listens. Where they cannot be watched, they are read again.
     *
     * @param interval how often they are read
     */
    void follow(Duration interval) throws InterruptedException {
        Duration between = interval.compareTo(Duration.ofSeconds(1)) < 0 ? interval : Duration.ofSeconds(1);
        long watchesAt = System.nanoTime();
        while (true) {
            changes.awaitListener();
            long before = System.nanoTime();
            if (before - watchesAt >= 0 && !watch(between)) {
                watchesAt = System.nanoTime() + UNWATCHED.toNanos();
            }
            if (before - watchesAt < 0) {
                readAgain();
                long took = (System.nanoTime() - before) / 1_000_000;
                Thread.sleep(Math.max(interval.toMillis(), took * SHARE));
            }
        }
    }

    /** Returns false if another watch would not be better at once. */
    private boolean watch(Duration between) throws InterruptedException {
        long before = System.nanoTime();
        try {
            Zones now = zones();
            NodesWithLabels all = new NodesWithLabels(now);
            boolean watched = now.watch(nodes -> {
                if (keep(now, all.with(nodes))) {
                    changes.changed();
                }
                Thread.sleep(between.toMillis());
            });
            return watched && System.nanoTime() - before > between.toNanos();
        } catch (IOException e) {
            return false; // reading tells why, if it fails, too
        }
    }

    private void readAgain() {
        boolean changed;
        try {
            Zones now = source.zones();
            changed = keep(now, read(now));
        } catch (IOException e) {
            changed = failed(Optional.of(String.valueOf(e.getMessage())));
        }
        if (changed) {
            changes.changed();
        }
    }

    /** Returns whether it differs from what was known. */
    private synchronized boolean failed(Optional<String> now) {
        boolean changed = !failure.equals(now);
        failure = now;
        return changed;
    }

    private synchronized boolean keep(Zones now, Nodes read) {
        boolean worksAgain = failed(Optional.empty());
        zones = Optional.of(now);
        readAt = Optional.of(clock.instant());
        if (nodes.filter(read::equals).isPresent()) {
            return worksAgain;
        }
        nodes = Optional.of(read);
        return true;
    }
}

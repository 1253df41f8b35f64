package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.kubectl.zones.Zones;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/** The cluster that the page shows: its nodes as last read, and its zones for other questions. */
public final class ShownCluster {

    /** Reading takes at most this part of the time. */
    private static final int SHARE = 10;

    /** Where zones come from. */
    @FunctionalInterface
    public interface Source {
        Zones zones() throws IOException;
    }

    /** Nodes and their labels, read at one time. */
    record Nodes(List<JsonNode> statuses, Map<String, SortedMap<String, String>> labels) {}

    private final Source source;
    private final Changes changes;
    private Optional<Zones> zones = Optional.empty();
    private Optional<Nodes> nodes = Optional.empty();
    private Optional<String> failure = Optional.empty();

    ShownCluster(Source source, Changes changes) {
        this.source = source;
        this.changes = changes;
    }

    public Changes changes() {
        return changes;
    }

    /** Those that the nodes were read from. */
    public synchronized Zones zones() throws IOException {
        if (zones.isEmpty()) {
            zones = Optional.of(source.zones());
        }
        return zones.get();
    }

    synchronized Nodes nodes() throws IOException {
        if (nodes.isEmpty()) {
            nodes = Optional.of(read(zones()));
        }
        return nodes.get();
    }

    /** Why the cluster cannot be read now; the nodes are then those of before. */
    synchronized Optional<String> failure() {
        return failure;
    }

    private static Nodes read(Zones zones) throws IOException {
        return new Nodes(zones.nodes(), zones.labels());
    }

    /** Reads the cluster again for as long as a page listens. */
    void follow(Duration interval) throws InterruptedException {
        while (true) {
            changes.awaitListener();
            long before = System.nanoTime();
            readAgain();
            long took = (System.nanoTime() - before) / 1_000_000;
            Thread.sleep(Math.max(interval.toMillis(), took * SHARE));
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
        if (nodes.filter(read::equals).isPresent()) {
            return worksAgain;
        }
        nodes = Optional.of(read);
        return true;
    }
}

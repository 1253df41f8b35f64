package io.numaledger.bridge.aggregated;

import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeIndex;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static java.util.Objects.requireNonNull;

/**
 * The resourceVersion of each NumaNode. Each change of a node takes the next number. Only the last change of a node is known, and some
 * deletions, so that memory is bounded. Thread-safe.
 *
 * <p>Versions begin at a random number of each process: one of another replica, or of one that has ended, is not known, and its caller
 * lists again. They are decimal numbers of 63 bits, because clients may compare those of a server.
 */
final class NodeResourceVersions {

    static final int MOST_DELETED = 1_000;

    /** The bits of a change's number, enough for 1,000 changes a second in two years. */
    private static final int NUMBER_BITS = 36;

    private static final int START_BITS = Long.SIZE - 1 - NUMBER_BITS;

    /** What happened to a node. */
    enum EventType {
        ADDED,
        MODIFIED,
        DELETED
    }

    /** How answers are compared. Called within {@link #update}. */
    interface Comparison {

        /** For callers who do not need to know whether an answer has changed. */
        Comparison NONE = new Comparison() {
            @Override
            public Optional<ByteBuffer> digest(NodeSnapshot node) {
                return Optional.empty();
            }

            @Override
            public void done(String node, long version) {}
        };

        /** The digest of a node's answer. */
        Optional<ByteBuffer> digest(NodeSnapshot node);

        /** The answer whose digest was asked for last has this version. */
        void done(String node, long version);
    }

    /** @param version of the node afterwards, and of all nodes if it is the last one */
    record Change(long version, EventType type, String node) {}

    /**
     * A node that there is.
     *
     * @param state version of the node's state when its answer was last compared
     * @param digest of the answer; absent: nobody watched
     */
    private record Known(long state, long added, long changed, Optional<ByteBuffer> digest) {}

    private record Deleted(String node, long added, long deleted) {}

    private final ClusterState cluster;
    private final Map<String, Known> known = new HashMap<>();
    private final Deque<Deleted> deleted = new ArrayDeque<>();
    private long last;
    private long oldest;
    private Optional<NodeIndex> seenIndex = Optional.empty();
    private long seenState;

    NodeResourceVersions(ClusterState cluster) {
        this.cluster = cluster;
        this.last = (1L + new SecureRandom().nextInt((1 << START_BITS) - 1)) << NUMBER_BITS;
        this.oldest = last;
    }

    /** The current version. What has changed since the last call has a new one, unless its answer is known to be the same. */
    synchronized long update(Comparison answers) {
        long state = cluster.versions().last(); // first: what changes meanwhile is seen the next time
        NodeIndex index = cluster.index();
        boolean members = !seenIndex.equals(Optional.of(index));
        if (!members && state == seenState) {
            return last;
        }
        for (int at = 0; at < index.size(); at++) {
            compare(index.name(at), cluster.versions().get(index.slot(at)), answers);
        }
        if (members) {
            Set<String> names =
                    IntStream.range(0, index.size()).mapToObj(index::name).collect(Collectors.toSet());
            known.keySet().stream()
                    .filter(name -> !names.contains(name))
                    .sorted()
                    .toList()
                    .forEach(this::delete);
        }
        seenIndex = Optional.of(index);
        seenState = state;
        return last;
    }

    private void compare(String name, long state, Comparison answers) {
        Known before = known.get(name);
        if (before != null && before.state() == state) {
            return;
        }
        Optional<NodeSnapshot> snapshot = cluster.snapshot(name);
        if (snapshot.isPresent()) {
            put(name, state, snapshot.get(), answers);
        } else if (before != null) {
            delete(name);
        }
    }

    private void put(String name, long state, NodeSnapshot snapshot, Comparison answers) {
        Optional<Known> before = Optional.ofNullable(known.get(name));
        Optional<ByteBuffer> digest = answers.digest(snapshot);
        long changed = before.filter(each -> digest.isPresent() && each.digest().equals(digest))
                .map(Known::changed)
                .orElseGet(() -> ++last);
        known.put(name, new Known(state, before.map(Known::added).orElse(changed), changed, digest));
        answers.done(name, changed);
    }

    /**
     * Compares the answer of a node although its state is the same: not everything that is in the answer changes the state. An answer that
     * was not compared before counts as changed: who has listed may have an older one.
     */
    synchronized void compareAgain(String name, Comparison answers) {
        Optional<NodeSnapshot> snapshot = cluster.snapshot(name);
        Known before = known.get(name);
        if (before != null && snapshot.isPresent()) {
            put(name, before.state(), snapshot.get(), answers);
        }
    }

    private void delete(String name) {
        Known gone = requireNonNull(known.remove(name));
        deleted.add(new Deleted(name, gone.added(), ++last));
        if (deleted.size() > MOST_DELETED) {
            oldest = deleted.remove().deleted();
        }
    }

    /** Whether {@link #since} can tell what has changed since then. */
    synchronized boolean know(long version) {
        return version >= oldest && version <= last;
    }

    /** The version of each node. */
    synchronized Map<String, Long> byNode() {
        Map<String, Long> versions = new HashMap<>();
        known.forEach((name, node) -> versions.put(name, node.changed()));
        return versions;
    }

    /** What a caller that knows this version does not know, in order. */
    synchronized List<Change> since(long version) {
        List<Change> changes = new ArrayList<>();
        for (Deleted each : deleted) {
            if (each.deleted() > version && each.added() <= version) {
                changes.add(new Change(each.deleted(), EventType.DELETED, each.node()));
            }
        }
        known.forEach((name, node) -> {
            if (node.added() > version) {
                changes.add(new Change(node.added(), EventType.ADDED, name));
            }
            if (node.changed() > Math.max(version, node.added())) {
                changes.add(new Change(node.changed(), EventType.MODIFIED, name));
            }
        });
        return inOrder(changes);
    }

    /** All nodes as additions, for a caller that knows nothing, in the order of their versions. */
    synchronized List<Change> all() {
        List<Change> changes = new ArrayList<>();
        known.forEach((name, node) -> changes.add(new Change(node.changed(), EventType.ADDED, name)));
        return inOrder(changes);
    }

    private static List<Change> inOrder(List<Change> changes) {
        changes.sort(Comparator.comparingLong(Change::version));
        return changes;
    }
}

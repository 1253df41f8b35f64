package io.numaledger.nrt;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Keeps a node's stored NodeResourceTopology equal to the present one, and writes only where they differ. Two publishers of one
 * object would overwrite each other for ever: we give way to one that keeps changing it back.
 *
 * <table>
 * <caption>what becomes of a difference</caption>
 * <tr><th>who wrote what is stored</th><th>then</th></tr>
 * <tr><td>no other client: there is no object, or the agent wrote it</td><td>written</td></tr>
 * <tr><td>another, and not for the {@link #CHANGES_BACK}th time within {@link #MEMORY}</td><td>written: drift</td></tr>
 * <tr><td>another client, again</td><td>contested: not written until the content is right, the object is deleted, or the other client no longer owns it; retried every {@link #MEMORY}, because a client that has stopped changes nothing</td></tr>
 * </table>
 */
public final class TopologyPublisher {

    /** So many changes back within {@link #MEMORY} are no person's mistake. */
    static final int CHANGES_BACK = 3;

    /** How long we remember who changed the object, and how long we give way. */
    static final Duration MEMORY = Duration.ofMinutes(10);

    /** What one publication came to. */
    public enum Outcome {
        /** The object had the content that the agent last wrote, or did not exist. */
        WRITTEN,
        /** Somebody else had changed what we had written, or deleted it. */
        REPAIRED,
        UNCHANGED,
        /** Another publisher writes the same object; it was left alone. */
        CONTESTED
    }

    private final TopologyStore store;
    private final String fieldManager;
    private Optional<NodeTopology> lastWritten = Optional.empty();
    private Optional<String> contender = Optional.empty();
    private Instant firstChange = Instant.EPOCH;
    private Instant nextTry = Instant.EPOCH;
    private int changes;

    /** @param fieldManager the name under which the store writes */
    public TopologyPublisher(TopologyStore store, String fieldManager) {
        this.store = store;
        this.fieldManager = fieldManager;
    }

    public Outcome publish(NodeTopology topology, Instant now) throws IOException {
        Optional<StoredTopology> stored = store.stored(topology.node());
        if (stored.isPresent() && stored.get().says(topology)) {
            contender = Optional.empty();
            lastWritten = Optional.of(topology);
            return Outcome.UNCHANGED;
        }
        boolean drifted = lastWritten.isPresent()
                && stored.map(found -> !found.says(lastWritten.get())).orElse(true);
        if (drifted && givesWay(stored, now)) {
            return Outcome.CONTESTED;
        }
        write(topology);
        return drifted ? Outcome.REPAIRED : Outcome.WRITTEN;
    }

    /** The field manager of the other publisher to which we give way. */
    public Optional<String> contender() {
        return contender;
    }

    /** What was last written, or what an earlier process wrote, without annotations. */
    public Optional<NodeTopology> last(String node) throws IOException {
        return lastWritten.isPresent()
                ? lastWritten
                : store.stored(node)
                        .map(StoredTopology::topology)
                        .map(stored -> new NodeTopology(
                                node,
                                stored.owner(),
                                new TreeMap<>(),
                                stored.attributes(),
                                stored.topologyPolicies(),
                                stored.zones()));
    }

    /** True if the written object no longer exists: its owner may have been deleted, too. */
    public boolean deleted(String node) throws IOException {
        return lastWritten.isPresent() && store.stored(node).isEmpty();
    }

    private boolean givesWay(Optional<StoredTopology> stored, Instant now) {
        Optional<String> other = stored.flatMap(this::otherPublisher);
        if (other.isEmpty()) {
            contender = Optional.empty();
            changes = 0;
            return false;
        }
        if (contender.isPresent()) {
            return stillGivesWay(now);
        }
        if (!now.isBefore(firstChange.plus(MEMORY))) {
            changes = 0;
        }
        if (changes++ == 0) {
            firstChange = now;
        }
        if (changes >= CHANGES_BACK) {
            contender = other;
            nextTry = now.plus(MEMORY);
        }
        return contender.isPresent();
    }

    private boolean stillGivesWay(Instant now) {
        if (now.isBefore(nextTry)) {
            return true;
        }
        nextTry = now.plus(MEMORY);
        return false;
    }

    private Optional<String> otherPublisher(StoredTopology stored) {
        SortedSet<String> others = new TreeSet<>(stored.publishers());
        others.remove(fieldManager);
        return others.stream().findFirst();
    }

    private void write(NodeTopology topology) throws IOException {
        store.apply(topology);
        lastWritten = Optional.of(topology);
        boolean leftover = topology.topologyPolicies().isEmpty()
                && store.stored(topology.node())
                        .map(written -> !written.topology().topologyPolicies().isEmpty())
                        .orElse(false);
        if (leftover) {
            store.dropTopologyPolicies(topology.node());
        }
    }
}

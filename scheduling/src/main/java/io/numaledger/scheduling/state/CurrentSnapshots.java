package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.NodeUnknowns;
import io.numaledger.scheduling.state.PossibleSnapshots.ClassifiedSnapshot;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The snapshots of one node, and what is used of the node, until the node changes. The node's lock guards everything but {@link #valid}
 * and {@link #knownUse}.
 */
final class CurrentSnapshots {

    private final NodeParts parts;
    private final NodeSnapshots builds;
    private final PossibleStates possible;
    private final NodeVersions versions;
    private final int slot;
    private final Runnable beforeBuild;
    private volatile Optional<PossibleSnapshots> snapshots = Optional.empty();
    private volatile Optional<NodeUse> use = Optional.empty();

    /** @param beforeBuild applies what has changed with time */
    CurrentSnapshots(NodeParts parts, NodeSnapshots builds, Runnable beforeBuild) {
        this.parts = parts;
        this.builds = builds;
        this.possible = builds.possible();
        this.versions = parts.shared().versions();
        this.slot = parts.slot();
        this.beforeBuild = beforeBuild;
    }

    /** Forgets the snapshots, then raises the version: a thread that reads the new version finds no old snapshots. */
    void changed() {
        snapshots = Optional.empty();
        versions.raise(slot);
    }

    /** The node's zones are the same, but not what its pods request of the node as a whole. */
    void requestsChanged() {
        versions.raise(slot);
    }

    /** Replaces snapshots that a change does not concern otherwise: the version stays the same. */
    void update(UnaryOperator<Optional<PossibleSnapshots>> change) {
        snapshots = change.apply(snapshots);
    }

    /** Whether there are snapshots that are no longer valid. */
    boolean areExpired() {
        return snapshots.isPresent() && valid().isEmpty();
    }

    Optional<PossibleSnapshots> valid() {
        return snapshots.filter(now -> now.isValidAt(parts.shared().clock().instant()));
    }

    /** What is used of the node, if nothing has changed since it was last computed. */
    Optional<NodeUse> knownUse() {
        Optional<NodeUse> known = use.filter(this::isCurrent);
        return known.isPresent() && valid().isPresent() ? known : Optional.empty();
    }

    private boolean isCurrent(NodeUse known) {
        return known.version() == versions.get(slot)
                && known.reserved().equals(parts.reservations().all());
    }

    /** What is used of the node; absent for a node that the API server does not show. */
    Optional<NodeUse> use() {
        if (parts.objects().node().isEmpty()) {
            return Optional.empty();
        }
        PossibleSnapshots now = upToDate();
        if (use.filter(this::isCurrent).isEmpty()) {
            long version = versions.get(slot);
            List<Reservation> reserved = parts.reservations().all();
            SortedMap<String, PodFacts> all = new TreeMap<>(parts.pods().all());
            possible.reservations().forEach((key, reservation) -> all.putIfAbsent(key, reservation.pod()));
            parts.rejections().inFlight().forEach(pod -> all.putIfAbsent(pod.key(), pod));
            all.values().removeIf(PodFacts::ended);
            use = Optional.of(NodeUse.of(
                    version,
                    now,
                    List.copyOf(all.values()),
                    reserved,
                    parts.shared().claims()));
        }
        return use;
    }

    /** Builds the snapshots anew if they are not valid any more. */
    PossibleSnapshots upToDate() {
        Optional<PossibleSnapshots> valid = valid();
        if (valid.isPresent()) {
            return valid.get();
        }
        if (!versions.isValidAt(versions.second(), slot)) {
            changed();
        }
        beforeBuild.run();
        NodeObjects objects = parts.objects();
        NodePods pods = parts.pods();
        NodeUnknowns unknowns = objects.unknowns(() -> pods.areObserved() || pods.includeStartingAgent());
        List<ClassifiedSnapshot> built = builds.build(unknowns);
        Optional<Instant> validUntil = Stream.concat(
                        pods.nextChanges(),
                        Stream.of(
                                        possible.validUntil(),
                                        objects.heldUntil(unknowns),
                                        parts.rejections().nextEnd(),
                                        parts.doubtful().nextEnd(),
                                        objects.nextOutdated())
                                .flatMap(Optional::stream))
                .min(Comparator.naturalOrder());
        PossibleSnapshots made = new PossibleSnapshots(
                built.get(0),
                built.subList(1, built.size()),
                builds.releases(built),
                possible.isIncomplete(),
                parts.rejections().waiting(),
                validUntil);
        versions.end(slot, validUntil);
        if (made.isDecidedByLikeliest() && made.likeliest().snapshot().isDecidedByModel()) {
            made.likeliest()
                    .nodeClass()
                    .ifPresent(only -> parts.shared().classBySlot().put(slot, versions.get(slot), only));
        }
        snapshots = Optional.of(made);
        use = Optional.empty();
        return made;
    }
}

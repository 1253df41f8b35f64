package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.PlacementSource;
import io.numaledger.evaluation.snapshot.PodHolding;
import io.numaledger.evaluation.snapshot.RecordCheck;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.placement.Placement;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The records of a node's pods that contradict what its agent publishes. One that does so for {@link #LIMIT} is set aside, until it
 * changes or the agent publishes what agrees with it. Not thread-safe.
 */
final class DoubtfulRecords {

    /** An agent publishes records and zones within a second. */
    static final Duration LIMIT = Duration.ofSeconds(5);

    private final InstantSource clock;
    private final SortedMap<String, Doubt> doubts = new TreeMap<>();

    DoubtfulRecords(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * Why a pod's record is doubted.
     *
     * @param claim what the record names
     */
    private record Doubt(PodFacts pod, Placement claim, Instant since) {

        Instant end() {
            return since.plus(LIMIT);
        }

        boolean isAbout(PodFacts other) {
            return pod.isSameAs(other)
                    && pod.records().placement().equals(other.records().placement())
                    && pod.records().observed().equals(other.records().observed());
        }
    }

    boolean isEmpty() {
        return doubts.isEmpty();
    }

    /** The keys of the pods whose records are set aside now. */
    Set<String> setAside() {
        Set<String> keys = new TreeSet<>();
        doubts.forEach((key, doubt) -> {
            if (!doubt.end().isAfter(clock.instant())) {
                keys.add(key);
            }
        });
        return keys;
    }

    /** When another record is set aside if nothing changes. */
    Optional<Instant> nextEnd() {
        return doubts.values().stream()
                .map(Doubt::end)
                .filter(end -> end.isAfter(clock.instant()))
                .min(Comparator.naturalOrder());
    }

    /** Forgets pods that have ended and records that have changed. */
    void keep(SortedMap<String, PodFacts> pods) {
        doubts.values().removeIf(doubt -> {
            PodFacts now = pods.get(doubt.pod().key());
            return now == null || now.ended() || !doubt.isAbout(now);
        });
    }

    /** Compares the records with the published zones. The snapshot was built without those that are set aside. */
    void check(NodeTopology topology, SortedMap<String, PodFacts> pods, NodeSnapshot snapshot) {
        SortedMap<String, Placement> claims = new TreeMap<>();
        Set<String> holders = new TreeSet<>(doubts.keySet());
        for (PodHolding held : snapshot.pods()) {
            holders.add(held.key());
            if (held.source() == PlacementSource.OBSERVED_EXACTLY || held.source() == PlacementSource.OBSERVED) {
                claims.put(held.key(), held.placement());
            }
        }
        setAside()
                .forEach(
                        key -> Optional.ofNullable(doubts.get(key)).ifPresent(doubt -> claims.put(key, doubt.claim())));
        Collection<PodFacts> holding =
                List.copyOf(pods.values().stream().filter(pod -> !pod.ended()).toList());
        RecordCheck.contradicting(topology, holding, claims, holders, snapshot.cpusCountedTwice())
                .ifPresent(found -> {
                    doubts.keySet().retainAll(found);
                    found.forEach(key -> Optional.ofNullable(pods.get(key))
                            .ifPresent(pod -> doubts.putIfAbsent(
                                    key, new Doubt(pod, claims.getOrDefault(key, Placement.EMPTY), clock.instant()))));
                });
    }
}

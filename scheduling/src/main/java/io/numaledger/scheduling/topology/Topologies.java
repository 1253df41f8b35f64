package io.numaledger.scheduling.topology;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** The Topology objects of the cluster. Thread-safe. */
public final class Topologies {

    /** The system whose kind an object is. */
    public enum Kind {
        KAI,
        KUEUE
    }

    private final Map<Kind, Map<String, TopologyLevels>> byName =
            Map.of(Kind.KAI, new ConcurrentSkipListMap<>(), Kind.KUEUE, new ConcurrentSkipListMap<>());

    private final AtomicLong version = new AtomicLong();

    public void put(Kind kind, String name, TopologyLevels levels) {
        of(kind).put(name, levels);
        version.incrementAndGet();
    }

    public void remove(Kind kind, String name) {
        of(kind).remove(name);
        version.incrementAndGet();
    }

    /** Rises with every change. */
    public long version() {
        return version.get();
    }

    private Map<String, TopologyLevels> of(Kind kind) {
        return byName.getOrDefault(kind, Map.of());
    }

    /** @throws IllegalArgumentException as a sentence, if there is none of this name */
    TopologyLevels kai(String name) {
        return Optional.ofNullable(of(Kind.KAI).get(name))
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no Topology of KAI-Scheduler with the name %s".formatted(name)));
    }

    /** The levels of the first Topology of Kueue that has all of these, by name. */
    Optional<TopologyLevels> kueueWith(List<String> levels) {
        return with(Kind.KUEUE, levels);
    }

    /** The levels of the first Topology that has all of these: of KAI-Scheduler, or else of Kueue. */
    Optional<TopologyLevels> with(List<String> levels) {
        return with(Kind.KAI, levels).or(() -> with(Kind.KUEUE, levels));
    }

    private Optional<TopologyLevels> with(Kind kind, List<String> levels) {
        return of(kind).values().stream()
                .filter(each ->
                        levels.stream().allMatch(level -> each.find(level).isPresent()))
                .findFirst();
    }
}

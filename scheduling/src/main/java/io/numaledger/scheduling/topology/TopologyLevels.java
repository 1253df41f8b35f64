package io.numaledger.scheduling.topology;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The levels of a topology.
 *
 * @param levels the outermost first; at least one
 */
public record TopologyLevels(List<Level> levels) {

    /** KAI-Scheduler and Kueue allow 16. */
    private static final int MAX_LEVELS = 32;

    /** A prefix of 253 characters, a slash and a name of 63. */
    private static final int MAX_LABEL = 317;

    /**
     * One level of a topology.
     *
     * @param label of nodes; its value names the domain within the domain of the level above
     * @param alias another name of the level; absent: it has none
     */
    public record Level(String label, Optional<String> alias) {}

    /** @throws IllegalArgumentException as a sentence, if there is none, or there are too many, or one comes twice */
    public TopologyLevels {
        if (levels.size() > MAX_LEVELS) {
            throw new IllegalArgumentException(
                    "a topology has at most %d levels, not %d".formatted(MAX_LEVELS, levels.size()));
        }
        levels = List.copyOf(levels);
        Set<String> labels = new HashSet<>();
        for (Level level : levels) {
            if (level.label().length() > MAX_LABEL) {
                throw new IllegalArgumentException("a label of a topology level has at most %d characters, not %d"
                        .formatted(MAX_LABEL, level.label().length()));
            }
            if (level.label().isEmpty() || !labels.add(level.label())) {
                throw new IllegalArgumentException(
                        "a topology level needs a label of its own, not '%s'".formatted(level.label()));
            }
        }
        if (levels.isEmpty()) {
            throw new IllegalArgumentException("a topology needs levels");
        }
    }

    static TopologyLevels ofLabels(List<String> labels) {
        return new TopologyLevels(
                labels.stream().map(label -> new Level(label, Optional.empty())).toList());
    }

    /** The index of a level, 0 for the outermost; absent if none has this label or alias. */
    OptionalInt find(String name) {
        return IntStream.range(0, levels.size())
                .filter(i -> levels.get(i).label().equals(name)
                        || levels.get(i).alias().equals(Optional.of(name)))
                .findFirst();
    }

    public List<String> labels() {
        return levels.stream().map(Level::label).toList();
    }
}

package io.numaledger.scheduling.group;

import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.scheduling.topology.Topologies;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The PodGroup objects of the cluster, and the Topology objects to which they refer. Thread-safe. */
public final class PodGroups {

    private final Map<PodGroupName, PodGroup> byName = new ConcurrentHashMap<>();
    private final Set<PodGroupName.Kind> watched = ConcurrentHashMap.newKeySet();

    private final Topologies topologies = new Topologies();
    private final Runnable onPut;
    private final Consumer<PodGroup> onRemoved;

    /**
     * Knows no groups yet.
     *
     * @param onPut runs after each change of an object
     * @param onRemoved gets each object that was deleted
     */
    public PodGroups(Runnable onPut, Consumer<PodGroup> onRemoved) {
        this.onPut = onPut;
        this.onRemoved = onRemoved;
    }

    public PodGroups() {
        this(() -> {}, any -> {});
    }

    public Topologies topologies() {
        return topologies;
    }

    /** From now on, all objects of this kind are known. */
    public void watched(PodGroupName.Kind kind) {
        watched.add(kind);
    }

    public void put(PodGroup group) {
        byName.put(group.name(), group);
        onPut.run();
    }

    public void remove(PodGroupName name) {
        Optional.ofNullable(byName.remove(name)).ifPresent(onRemoved);
    }

    public Optional<PodGroup> get(PodGroupName name) {
        return Optional.ofNullable(byName.get(name));
    }

    public boolean isWatched(PodGroupName.Kind kind) {
        return watched.contains(kind);
    }
}

package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.PodAllocation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What the observed pods of a node hold, kept from one snapshot to the next. An event changes one pod: then only this one is removed or added,
 * and the pods after it that hold devices of the same resources.
 */
public final class ObservedPods {

    private List<PodFacts> pods = List.of();
    private Optional<AllocationReconstruction> held = Optional.empty();

    /**
     * A reconstruction with exactly these pods, which the caller may change.
     *
     * @param observed pods with exact records that are not terminating, in the order of their age
     */
    AllocationReconstruction of(List<PodFacts> observed, KubeletModel kubelet, NodeTopology topology) {
        AllocationReconstruction now = held.filter(kept -> kept.isFor(kubelet, topology))
                .map(kept -> kept.on(topology))
                .filter(kept -> update(kept, observed))
                .orElseGet(() -> {
                    AllocationReconstruction made = new AllocationReconstruction(kubelet, topology);
                    observed.forEach(made::addObserved);
                    return made;
                });
        pods = observed;
        held = Optional.of(now);
        return now.copy();
    }

    /** Returns whether the result is the same as that of adding all anew. */
    private boolean update(AllocationReconstruction kept, List<PodFacts> observed) {
        Changes changes = new Changes(pods, observed);
        if (changes.removed.isEmpty() && !changes.isBeforeOthers) {
            changes.added.forEach(kept::addObserved);
            return true;
        }
        if (kept.isOrdered()) {
            return false;
        }
        kept.remove(changes.removed);
        changes.added.forEach(kept::addObserved);
        kept.sort(observed);
        return !kept.isOrdered();
    }

    /** How one list of pods becomes another. Both are in the order of their age. */
    private static final class Changes {

        private final SortedSet<String> removed = new TreeSet<>();
        private final List<PodFacts> added = new ArrayList<>();
        private final Set<String> resources = new HashSet<>();
        private boolean isBeforeOthers;

        private Changes(List<PodFacts> before, List<PodFacts> after) {
            int at = 0;
            for (PodFacts pod : after) {
                while (at < before.size() && PodFacts.BY_AGE.compare(before.get(at), pod) < 0) {
                    remove(before.get(at++));
                }
                if (at < before.size() && before.get(at).key().equals(pod.key())) {
                    keep(before.get(at++), pod);
                } else {
                    add(pod);
                }
            }
            before.subList(at, before.size()).forEach(this::remove);
        }

        private void remove(PodFacts pod) {
            removed.add(pod.key());
            resources.addAll(devices(pod));
        }

        private void add(PodFacts pod) {
            added.add(pod);
            resources.addAll(devices(pod));
        }

        /** Compares the pods by identity, because comparing what they say takes longer than adding them. */
        @SuppressWarnings("ReferenceEquality")
        private void keep(PodFacts before, PodFacts after) {
            isBeforeOthers |= !added.isEmpty();
            if (before != after || (!resources.isEmpty() && !Collections.disjoint(resources, devices(after)))) {
                remove(before);
                add(after);
            }
        }

        /** The resources of the devices that the pod's record names. */
        private static Set<String> devices(PodFacts pod) {
            return pod.records().placement().flatMap(record -> record.believed()).stream()
                    .map(PodAllocation::containers)
                    .flatMap(List::stream)
                    .flatMap(container -> container.devices().stream())
                    .map(DeviceAllocation::resource)
                    .collect(Collectors.toSet());
        }
    }
}

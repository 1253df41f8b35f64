package io.numaledger.agent.run;

import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.annotation.PodView;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Where each pod lay when the kubelet spoke of it last. What this process saw itself counts more than the pod's annotation, which
 * has less detail with {@code --kai-strict} and which any client with the right to patch pods can write.
 */
final class KnownPlacements {

    private SortedMap<String, Placement> seenByUid = new TreeMap<>();
    private final List<String> warnings = new ArrayList<>();

    /** Pod key → what is known of that instance, for pods that run here. */
    SortedMap<String, Placement> of(Collection<PodView> pods) {
        warnings.clear();
        TreeMap<String, Placement> known = new TreeMap<>();
        for (PodView pod : pods) {
            if (pod.started() && !pod.terminal()) {
                Placement seen = seenByUid.get(pod.uid());
                if (seen != null) {
                    known.put(pod.key(), seen);
                } else if (pod.observed().isPresent()) {
                    addRecorded(pod, pod.observed().get(), known);
                }
            }
        }
        return known;
    }

    private void addRecorded(PodView pod, String text, SortedMap<String, Placement> into) {
        try {
            into.put(pod.key(), ObservedPlacementText.read(text));
        } catch (IllegalArgumentException e) {
            warnings.add("pod=%s: %s; it is written again".formatted(pod.key(), e.getMessage()));
        }
    }

    /** Annotations that the last call of {@link #of} could not read, a sentence each. */
    List<String> warnings() {
        return warnings;
    }

    /** Keeps what was seen of pods that are listed once, and what was known of those that are not listed. */
    void remember(Collection<PodView> pods, Observation seen) {
        SortedMap<String, List<Placement>> listed = new TreeMap<>();
        for (int i = 0; i < seen.placements().size(); i++) {
            PodAllocation pod = seen.pods().get(i);
            listed.computeIfAbsent(pod.key(), key -> new ArrayList<>())
                    .add(seen.placements().get(i));
        }
        TreeMap<String, Placement> byUid = new TreeMap<>();
        for (PodView pod : pods) {
            List<Placement> placements = listed.getOrDefault(pod.key(), List.of());
            if (pod.started() && placements.size() == 1) {
                byUid.put(pod.uid(), placements.get(0));
            } else if (seenByUid.containsKey(pod.uid())) {
                byUid.put(pod.uid(), seenByUid.get(pod.uid()));
            }
        }
        seenByUid = byUid;
    }
}

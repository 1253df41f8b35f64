package io.numaledger.bridge.snapshot;

import io.numaledger.annotation.AllocationText;
import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;

import java.util.HashMap;
import java.util.Map;

/** The parsed records of one node's pods: each text is parsed once while its pod exists. Not thread-safe. */
public final class RecordCache {

    /** One of each kind, and as many again that may be outdated. */
    private static final int MAX_RECORDS_PER_POD = 4;

    private record Text(String pod, String text) {}

    private record Read(Map<Text, PodAllocation> allocations, Map<String, Placement> placements) {

        Read() {
            this(new HashMap<>(), new HashMap<>());
        }
    }

    private final ObservedPods observed = new ObservedPods();
    private Read before = new Read();
    private Read now = new Read();

    ObservedPods observed() {
        return observed;
    }

    /**
     * Starts a build for so many pods. Records that no build has read for a while are dropped; builds do not read those of {@link
     * ObservedPods}.
     */
    void startBuild(int pods) {
        if (now.allocations().size() + now.placements().size() > MAX_RECORDS_PER_POD * pods) {
            before = now;
            now = new Read();
        }
    }

    /** @throws IllegalArgumentException as {@link AllocationText#read} */
    PodAllocation allocation(PodFacts pod, String text) {
        Text key = new Text(pod.key(), text);
        return now.allocations().computeIfAbsent(key, any -> {
            PodAllocation known = before.allocations().get(key);
            return known == null ? AllocationText.read(pod.namespace(), pod.name(), text) : known;
        });
    }

    /** @throws IllegalArgumentException as {@link ObservedPlacementText#read} */
    Placement placement(String text) {
        return now.placements().computeIfAbsent(text, any -> {
            Placement known = before.placements().get(text);
            return known == null ? ObservedPlacementText.read(text) : known;
        });
    }
}

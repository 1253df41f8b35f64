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

    private record Text(String pod, String text) {}

    private record Read(Map<Text, PodAllocation> allocations, Map<String, Placement> placements) {

        Read() {
            this(new HashMap<>(), new HashMap<>());
        }
    }

    private Read before = new Read();
    private Read now = new Read();

    /** Starts a build: records that are not read until the next one are dropped then. */
    void startBuild() {
        before = now;
        now = new Read();
    }

    /** @throws IllegalArgumentException as {@link AllocationText#read} */
    PodAllocation allocation(PodFacts pod, String text) {
        Text key = new Text(pod.key(), text);
        PodAllocation known = before.allocations().get(key);
        PodAllocation read = known == null ? AllocationText.read(pod.namespace(), pod.name(), text) : known;
        now.allocations().put(key, read);
        return read;
    }

    /** @throws IllegalArgumentException as {@link ObservedPlacementText#read} */
    Placement placement(String text) {
        Placement known = before.placements().get(text);
        Placement read = known == null ? ObservedPlacementText.read(text) : known;
        now.placements().put(text, read);
        return read;
    }
}

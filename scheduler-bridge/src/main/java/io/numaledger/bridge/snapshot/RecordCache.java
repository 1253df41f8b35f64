package io.numaledger.bridge.snapshot;

import io.numaledger.annotation.AllocationText;
import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The parsed records of one node's pods: each text is parsed once while its pod exists. Not thread-safe. */
public final class RecordCache {

    /** One of each kind, and as many again that may be outdated. */
    private static final int MAX_RECORDS_PER_POD = 4;

    private record Text(String pod, String text) {}

    private record Read(
            Map<Text, PodAllocation> allocations, Map<String, Placement> placements, Map<String, ExactRecord> exact) {

        Read() {
            this(new HashMap<>(), new HashMap<>(), new HashMap<>());
        }
    }

    /**
     * A pod's record of exactly what it holds, within the bounds of its requests.
     *
     * @param missing as {@link PartialRecords#missing}
     */
    record ExactRecord(PodFacts pod, KubeletModel kubelet, PodAllocation held, SortedMap<String, Long> missing) {

        ExactRecord {
            missing = Collections.unmodifiableSortedMap(new TreeMap<>(missing));
        }

        /** The same objects, because comparing pods takes longer than reading their requests. */
        @SuppressWarnings("ReferenceEquality")
        private boolean isFor(PodFacts other, KubeletModel model) {
            return pod == other && kubelet == model;
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

    /** @param read reads the record, if it has not been read for these objects */
    ExactRecord exact(PodFacts pod, KubeletModel kubelet, Supplier<ExactRecord> read) {
        ExactRecord known = now.exact().getOrDefault(pod.key(), before.exact().get(pod.key()));
        ExactRecord current = known != null && known.isFor(pod, kubelet) ? known : read.get();
        now.exact().put(pod.key(), current);
        return current;
    }
}

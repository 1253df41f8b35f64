package io.numaledger.bridge.snapshot;

import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.placement.PodAllocation;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Supplier;

import static io.numaledger.topology.Sorted.sorted;

/** What a build finds in the records of one node's pods, kept for the next build. Not thread-safe. */
public final class RecordCache {

    /** One of each pod, and as many again that may be outdated. */
    private static final int MAX_RECORDS_PER_POD = 2;

    /**
     * A pod's record of exactly what it holds, within the bounds of its requests.
     *
     * @param missing as {@link PartialRecords#missing}
     */
    record ExactRecord(PodFacts pod, KubeletModel kubelet, PodAllocation held, SortedMap<String, Long> missing) {

        ExactRecord {
            missing = sorted(missing);
        }

        /** The same objects, because comparing pods takes longer than reading their requests. */
        @SuppressWarnings("ReferenceEquality")
        private boolean isFor(PodFacts other, KubeletModel model) {
            return pod == other && kubelet == model;
        }
    }

    private final ObservedPods observed = new ObservedPods();
    private final Map<String, ExactRecord> exact = new HashMap<>();

    ObservedPods observed() {
        return observed;
    }

    /** Starts a build for so many pods. Records are dropped if most of them are of pods that are gone. */
    void startBuild(int pods) {
        if (exact.size() > MAX_RECORDS_PER_POD * pods) {
            exact.clear();
        }
    }

    /** @param read reads the record, if it has not been read for these objects */
    ExactRecord exact(PodFacts pod, KubeletModel kubelet, Supplier<ExactRecord> read) {
        ExactRecord known = exact.get(pod.key());
        ExactRecord current = known != null && known.isFor(pod, kubelet) ? known : read.get();
        exact.put(pod.key(), current);
        return current;
    }
}

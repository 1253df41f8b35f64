package io.numaledger.agent.run;

import io.numaledger.annotation.PodRecords;
import io.numaledger.annotation.PodView;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Distinguishes records that another client changed from records that are new because allocations changed. */
final class Drift {

    private Map<String, PodRecords> inPlace = new TreeMap<>();

    /**
     * The number of pods whose records differ from those after the last reconciliation, although these are still right.
     *
     * @param failed uids of the pods that could not be written now
     */
    int repaired(Collection<PodView> pods, SortedMap<String, PodRecords> decisions, Set<String> failed) {
        int repaired = 0;
        Map<String, PodRecords> now = new TreeMap<>();
        for (PodView pod : pods) {
            PodRecords decision = decisions.get(pod.uid());
            if (decision == null || failed.contains(pod.uid())) {
                continue;
            }
            now.put(pod.uid(), decision);
            if (!decision.equals(pod.records()) && decision.equals(inPlace.get(pod.uid()))) {
                repaired++;
            }
        }
        inPlace = now;
        return repaired;
    }
}

package io.numaledger.agent.run;

import io.numaledger.annotation.PodRecords;
import io.numaledger.annotation.PodView;

import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Tells a record that somebody else changed from one that is new because the kubelet changed its mind. */
final class Drift {

    private Map<String, PodRecords> inPlace = new TreeMap<>();

    /** How many pods said something else than what stood there at the last look and is still right. */
    int repaired(Collection<PodView> pods, SortedMap<String, PodRecords> decisions) {
        int repaired = 0;
        Map<String, PodRecords> now = new TreeMap<>();
        for (PodView pod : pods) {
            PodRecords decision = decisions.get(pod.uid());
            if (decision != null) {
                if (decision.equals(pod.records())) {
                    now.put(pod.uid(), decision);
                } else if (decision.equals(inPlace.get(pod.uid()))) {
                    repaired++;
                }
            }
        }
        inPlace = now;
        return repaired;
    }
}

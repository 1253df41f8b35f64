package io.numaledger.benchmarks.soak;

import io.numaledger.simulator.workload.SeededPods;

/** What can happen to a node in one step of a soak, and how often. */
enum SoakEvent {
    POD_CREATED(30),
    POD_DELETED(16),
    POD_FORCE_DELETED(6),
    POD_REPLACED(8),
    CONTAINER_ENDED(4),
    RECORD_FORGED(8),
    RECORD_REMOVED(4),
    TOPOLOGY_TAMPERED(5),
    DEVICE_HEALTH(6),
    KUBELET_STOPPED(1),
    KUBELET_FROZEN(1),
    AGENT_CUT_OFF(2),
    AGENT_STALLED(2);

    private final int weight;

    SoakEvent(int weight) {
        this.weight = weight;
    }

    static SoakEvent draw(SeededPods random) {
        int all = 0;
        for (SoakEvent each : values()) {
            all += each.weight;
        }
        int left = random.below(all);
        for (SoakEvent each : values()) {
            left -= each.weight;
            if (left < 0) {
                return each;
            }
        }
        throw new IllegalStateException("no draw is beyond the sum of the weights");
    }
}

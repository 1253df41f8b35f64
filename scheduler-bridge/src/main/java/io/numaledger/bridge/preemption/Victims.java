package io.numaledger.bridge.preemption;

import io.numaledger.bridge.objects.PodFacts;

import java.util.List;

/**
 * The pods that have to end so that another one can run on a node.
 *
 * @param pods the least important first; empty: it could run now, or as soon as terminating pods have ended
 * @param violations how many of them a disruption budget protects
 */
public record Victims(List<PodFacts> pods, int violations) {

    public Victims {
        pods = List.copyOf(pods);
    }
}

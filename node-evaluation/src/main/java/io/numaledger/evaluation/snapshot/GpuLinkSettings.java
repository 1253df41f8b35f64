package io.numaledger.evaluation.snapshot;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How pods that demand links between their GPUs are evaluated.
 *
 * @param possible a node takes such a pod if only some of the sets that the kubelet may choose have the links
 * @param preferences resource → what its device plugin prefers on every node
 */
public record GpuLinkSettings(boolean possible, SortedMap<String, GpuPreference> preferences) {

    public static final GpuLinkSettings DEFAULT = new GpuLinkSettings(false, Collections.emptySortedMap());

    public GpuLinkSettings {
        preferences = Collections.unmodifiableSortedMap(new TreeMap<>(preferences));
    }

    public GpuPreference preference(String resource) {
        return preferences.getOrDefault(resource, GpuPreference.random);
    }
}

package io.numaledger.kubelet.device;

import java.util.Set;
import java.util.SortedSet;

/**
 * What a device plugin answers to {@code GetPreferredAllocation}. Equal requests always get equal results; a plugin that fails is
 * not modelled.
 */
@FunctionalInterface
public interface DevicePreference {

    /** The preference of a plugin that does not answer: the kubelet draws. */
    DevicePreference NONE = (available, mustInclude, size) -> Set.of();

    /**
     * Which devices to take.
     *
     * @param available ids to choose from; those that must be in are among them
     * @param mustInclude ids that the container gets anyway
     * @param size how many it gets in all
     * @return ids; fewer than {@code size} leaves the rest to the kubelet, others than the available ones do not count
     */
    Set<String> choose(SortedSet<String> available, SortedSet<String> mustInclude, int size);
}

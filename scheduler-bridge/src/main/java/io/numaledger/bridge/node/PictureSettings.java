package io.numaledger.bridge.node;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * How pictures are made.
 *
 * @param trustAvailable take the topologies' available amounts as they are, instead of allocatable less the known placements
 * @param ignoreList resources that are never aligned, as KAI's plugin argument of that name; without effect on CPU and memory
 *     where a topology tells the managers' policies
 */
public record PictureSettings(boolean trustAvailable, SortedSet<String> ignoreList) {

    public static final PictureSettings DEFAULT = new PictureSettings(false, Collections.emptySortedSet());

    public PictureSettings {
        ignoreList = Collections.unmodifiableSortedSet(new TreeSet<>(ignoreList));
    }
}

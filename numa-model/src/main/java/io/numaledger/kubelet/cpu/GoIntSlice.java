package io.numaledger.kubelet.cpu;

import java.util.Arrays;

/**
 * A slice of ints as Go's {@code append} makes it: while there is room behind it, the longer slice shares the array of the
 * shorter one and overwrites what an earlier {@code append} put there. Before 1.38 the kubelet's distribution over NUMA nodes keeps
 * such slices while it continues to append (kubernetes#141237), so that its wrong result can only be reproduced with the same sharing.
 * Room grows 1, 2, 4, 8, 16.
 */
final class GoIntSlice {

    private final int[] array;
    private final int length;

    private GoIntSlice(int[] array, int length) {
        this.array = array;
        this.length = length;
    }

    static GoIntSlice empty() {
        return new GoIntSlice(new int[0], 0);
    }

    GoIntSlice append(int value) {
        int[] target = length < array.length ? array : Arrays.copyOf(array, Math.max(1, 2 * array.length));
        target[length] = value;
        return new GoIntSlice(target, length + 1);
    }

    GoIntSlice copy() {
        return new GoIntSlice(values(), length);
    }

    /** What is in the shared array now. */
    int[] values() {
        return Arrays.copyOf(array, length);
    }
}

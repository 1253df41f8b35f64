package io.numaledger.kubelet.cpu;

import java.util.function.Predicate;

/** All combinations of k of some ints, in the kubelet's order and, before 1.38, with its sharing of slices (see {@link GoIntSlice}). */
final class Combinations {

    private final int[] values;
    private final boolean copies;
    private final Predicate<GoIntSlice> goesOn;

    private Combinations(int[] values, boolean copies, Predicate<GoIntSlice> goesOn) {
        this.values = values;
        this.copies = copies;
        this.goesOn = goesOn;
    }

    /**
     * Visits the combinations of size {@code k} until the visitor returns false.
     *
     * @param copies the visitor gets slices of its own
     */
    static void visit(int[] values, int k, boolean copies, Predicate<GoIntSlice> visitor) {
        if (k >= 1) {
            new Combinations(values, copies, visitor).visit(k, 0, GoIntSlice.empty());
        }
    }

    private boolean visit(int k, int start, GoIntSlice chosen) {
        if (k == 0) {
            return goesOn.test(copies ? chosen.copy() : chosen);
        }
        for (int i = start; i <= values.length - k; i++) {
            if (!visit(k - 1, i + 1, chosen.append(values[i]))) {
                return false;
            }
        }
        return true;
    }
}

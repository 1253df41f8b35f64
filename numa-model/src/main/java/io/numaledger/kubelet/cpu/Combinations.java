package io.numaledger.kubelet.cpu;

import java.util.function.Predicate;

/** All combinations of k of some ints, in the kubelet's order and with its sharing of slices (see {@link GoIntSlice}). */
final class Combinations {

    private final int[] values;
    private final Predicate<GoIntSlice> goesOn;

    private Combinations(int[] values, Predicate<GoIntSlice> goesOn) {
        this.values = values;
        this.goesOn = goesOn;
    }

    /** Visits the combinations of size {@code k} until the visitor returns false. */
    static void visit(int[] values, int k, Predicate<GoIntSlice> visitor) {
        if (k >= 1) {
            new Combinations(values, visitor).visit(k, 0, GoIntSlice.empty());
        }
    }

    private boolean visit(int k, int start, GoIntSlice chosen) {
        if (k == 0) {
            return goesOn.test(chosen);
        }
        for (int i = start; i <= values.length - k; i++) {
            if (!visit(k - 1, i + 1, chosen.append(values[i]))) {
                return false;
            }
        }
        return true;
    }
}

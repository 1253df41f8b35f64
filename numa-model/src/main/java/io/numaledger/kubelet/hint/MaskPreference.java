package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

import java.util.OptionalInt;

/** Which of the masks that satisfy a request are preferred. */
public interface MaskPreference {

    boolean prefers(AffinityMask mask);

    /** The only width of preferred masks; empty: there can be several. */
    OptionalInt onlyWidth();

    /** The result stays the same when these two NUMA nodes change places. */
    boolean treatsAlike(int numaNode, int other);

    /** Masks of one width. */
    static MaskPreference width(int wanted) {
        return new MaskPreference() {

            @Override
            public boolean prefers(AffinityMask mask) {
                return mask.count() == wanted;
            }

            @Override
            public OptionalInt onlyWidth() {
                return OptionalInt.of(wanted);
            }

            @Override
            public boolean treatsAlike(int numaNode, int other) {
                return true;
            }
        };
    }
}

package io.numaledger.agent.exclude;

/** Port: what is not to be published at present. */
public interface ExclusionSource {

    Exclusions current();

    /** True if {@link #current} would say something else than it did last. */
    boolean changed();

    /** The same for ever. */
    static ExclusionSource fixed(Exclusions exclusions) {
        return new ExclusionSource() {
            @Override
            public Exclusions current() {
                return exclusions;
            }

            @Override
            public boolean changed() {
                return false;
            }
        };
    }
}

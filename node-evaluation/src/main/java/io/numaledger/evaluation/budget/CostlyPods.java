package io.numaledger.evaluation.budget;

/** Port: pods whose evaluation has used up its part of a call's budget. For a while no call spends anything on them. Thread-safe. */
public interface CostlyPods {

    /** @param pod its UID */
    void add(String pod);

    /** @param pod its UID */
    boolean contains(String pod);

    /** These costly pods for a call that adds none, because it must change nothing for others. */
    default CostlyPods unchanged() {
        CostlyPods known = this;
        return new CostlyPods() {
            @Override
            public void add(String pod) {
                // it only asks
            }

            @Override
            public boolean contains(String pod) {
                return known.contains(pod);
            }
        };
    }
}

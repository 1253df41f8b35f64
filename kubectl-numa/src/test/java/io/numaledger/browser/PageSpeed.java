package io.numaledger.browser;

/**
 * How fast the page of a fleet is. Other work on the machine makes it slower.
 *
 * @param firstViewMillis from the request for the page until the fleet is drawn
 * @param scrolling frames a second
 * @param filtering frames a second, with another filter in each
 */
public record PageSpeed(long firstViewMillis, long scrolling, long filtering) {

    private static final long SLOWEST_VIEW_MILLIS = 60_000;

    /** Whether somebody could work with it, on a machine that does much else. */
    public boolean isUsable() {
        return firstViewMillis < SLOWEST_VIEW_MILLIS && scrolling > 1 && filtering > 1;
    }

    @Override
    public String toString() {
        return "first view after %d ms, %d frames/s while scrolling, %d while filtering"
                .formatted(firstViewMillis, scrolling, filtering);
    }
}

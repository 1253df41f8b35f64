package io.numaledger.agent.api;

/**
 * One object of a watched collection.
 *
 * @param key what it is known by
 * @param resourceVersion opaque but for equality, and for order where it is a number
 * @param value what we need of it
 */
record Watched<T>(String key, String resourceVersion, T value) {

    /** True if this is certainly older than the other: both versions are numbers, as the API server's have always been. */
    boolean olderThan(Watched<T> other) {
        try {
            return Long.parseUnsignedLong(resourceVersion) - Long.parseUnsignedLong(other.resourceVersion) < 0;
        } catch (NumberFormatException e) {
            return false;
        }
    }
}

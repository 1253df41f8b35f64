package io.numaledger.evaluation.claim;

import java.util.Comparator;

/** Names one device of a cluster. */
public record DeviceId(String driver, String pool, String name) implements Comparable<DeviceId> {

    private static final Comparator<DeviceId> ORDER =
            Comparator.comparing(DeviceId::driver).thenComparing(DeviceId::pool).thenComparing(DeviceId::name);

    @Override
    public int compareTo(DeviceId other) {
        return ORDER.compare(this, other);
    }

    /** The id as kube-scheduler writes it. */
    @Override
    public String toString() {
        return driver + "/" + pool + "/" + name;
    }
}

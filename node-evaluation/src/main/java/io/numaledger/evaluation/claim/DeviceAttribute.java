package io.numaledger.evaluation.claim;

import java.util.List;

/**
 * The value of an attribute of a device: one, or a list, which Kubernetes has since 1.37.
 *
 * @param values as JSON has them, without quotes, in the driver's order; exactly one unless it is a list
 */
public record DeviceAttribute(Type type, boolean list, List<String> values) {

    /** The type of the values. */
    public enum Type {
        INT,
        BOOL,
        STRING,
        VERSION
    }

    public DeviceAttribute {
        values = List.copyOf(values);
    }

    public static DeviceAttribute ofInt(long value) {
        return new DeviceAttribute(Type.INT, false, List.of(Long.toString(value)));
    }

    public static DeviceAttribute ofString(String value) {
        return new DeviceAttribute(Type.STRING, false, List.of(value));
    }
}

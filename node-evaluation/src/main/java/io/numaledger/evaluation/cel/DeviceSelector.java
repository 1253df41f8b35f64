package io.numaledger.evaluation.cel;

import io.numaledger.evaluation.claim.Device;

/**
 * A selector of devices, an expression in CEL, as far as it is simple: values and names of attributes, the driver and capacities, compared
 * with literals, joined by and, or, not. A part that is not understood may be true or false.
 */
public final class DeviceSelector {

    /** Selects any device, perhaps. */
    public static final DeviceSelector NOT_READ = new DeviceSelector(CelValues.NOT_EVALUATED, 0);

    private final CelValues.Value value;
    private final int size;

    private DeviceSelector(CelValues.Value value, int size) {
        this.value = value;
        this.size = size;
    }

    public static DeviceSelector of(String expression) {
        return CelTokens.of(expression)
                .map(tokens -> new DeviceSelector(CelParser.parse(tokens), tokens.size()))
                .orElse(NOT_READ);
    }

    /** The number of words and signs that are evaluated. */
    public int size() {
        return size;
    }

    /** Whether it selects the device. An expression that fails selects none. */
    public Match matches(Device device) {
        return value.apply(device)
                .map(result -> result instanceof Boolean known ? (known ? Match.YES : Match.NO) : Match.COULD)
                .orElse(Match.NO);
    }
}

package io.numaledger.simulator.rehearsal;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A number of devices on one NUMA node, written {@code NUMA-NODE=COUNT}. */
record NumaDevices(int numaNode, int count) {

    private static final Pattern TEXT = Pattern.compile("(\\d{1,3})=(\\d{1,4})");

    static NumaDevices parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "not a number of devices: devices=%s; expected NUMA-NODE=COUNT, such as 0=4".formatted(text));
        }
        return new NumaDevices(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
    }
}

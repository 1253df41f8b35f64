package io.numaledger.topology;

/** Names of hugepage resources: {@code hugepages-2Mi} for pages of 2097152 bytes. */
public final class HugepageSize {

    private static final String[] UNITS = {"", "Ki", "Mi", "Gi", "Ti"};

    private HugepageSize() {}

    /** The resource name of pages of this many bytes, as the kubelet spells it: BinarySI. */
    public static String resource(long pageBytes) {
        int unit = 0;
        long size = pageBytes;
        while (size >= 1024 && size % 1024 == 0 && unit < UNITS.length - 1) {
            size /= 1024;
            unit++;
        }
        return "hugepages-" + size + UNITS[unit];
    }
}

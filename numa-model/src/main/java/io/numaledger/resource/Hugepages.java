package io.numaledger.resource;

/** Names of hugepage resources, such as {@code hugepages-2Mi} for pages of 2097152 bytes. */
public final class Hugepages {

    private static final String PREFIX = "hugepages-";
    private static final String[] UNITS = {"", "Ki", "Mi", "Gi", "Ti"};

    private Hugepages() {}

    /** The resource name of pages of this many bytes, as the kubelet spells it: BinarySI. */
    public static String resource(long pageBytes) {
        int unit = 0;
        long size = pageBytes;
        while (size >= 1024 && size % 1024 == 0 && unit < UNITS.length - 1) {
            size /= 1024;
            unit++;
        }
        return PREFIX + size + UNITS[unit];
    }

    /**
     * The page size in a resource name.
     *
     * @throws IllegalArgumentException if the name has no quantity of bytes
     */
    public static long pageBytes(String resource) {
        return Quantity.whole(resource.substring(PREFIX.length()));
    }

    /** Whether this is the name of a hugepage resource. */
    public static boolean isResource(String resource) {
        return resource.startsWith(PREFIX);
    }
}

package io.numaledger.kubelet.memory;

/** Names of hugepage resources. */
public final class HugepageSize {

    private static final String PREFIXES = "KMGTPE";

    private HugepageSize() {}

    /** The resource of a page size in bytes, with the largest binary suffix that leaves a whole number: {@code hugepages-2Mi}. */
    public static String resource(long pageBytes) {
        long rest = pageBytes;
        String suffix = "";
        for (int i = 0; i < PREFIXES.length() && rest != 0 && rest % 1024 == 0; i++) {
            rest /= 1024;
            suffix = PREFIXES.charAt(i) + "i";
        }
        return "hugepages-" + rest + suffix;
    }
}

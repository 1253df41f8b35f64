package io.numaledger.gpu;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a PCI function. Its text is the name of its directory in sysfs, {@code 0000:3b:00.0}; NVML writes the same
 * four numbers as {@code 00000000:3B:00.0}, so the numbers are compared and never the text.
 *
 * @param domain 0 to 0xffffffff; above 0xffff on some virtual machines and behind volume management devices
 * @param bus 0–255
 * @param device 0–31
 * @param function 0–7
 */
public record PciAddress(long domain, int bus, int device, int function) implements Comparable<PciAddress> {

    private static final Pattern TEXT =
            Pattern.compile("([0-9a-fA-F]{4,8}):([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\\.([0-7])");

    private static final Comparator<PciAddress> ORDER = Comparator.comparingLong(PciAddress::domain)
            .thenComparingInt(PciAddress::bus)
            .thenComparingInt(PciAddress::device)
            .thenComparingInt(PciAddress::function);

    public PciAddress {
        if (domain < 0 || domain >> 32 != 0 || (bus & ~0xff) != 0 || (device & ~0x1f) != 0 || (function & ~7) != 0) {
            throw new IllegalArgumentException(
                    "a PCI address has a 32-bit domain, bus 0-255, device 0-31, function 0-7: domain=%d bus=%d device=%d function=%d; read it again"
                            .formatted(domain, bus, device, function));
        }
    }

    /** Whether {@link #parse} takes the text; a bridge's address that the driver hides, {@code FFFFFFFF:FF:FF.0}, is none. */
    public static boolean isAddress(String text) {
        Matcher parts = TEXT.matcher(text);
        return parts.matches() && Integer.parseInt(parts.group(3), 16) < 32;
    }

    /**
     * Reads the form of sysfs and that of NVML.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static PciAddress parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "not a PCI address: text='%s'; expected domain:bus:device.function such as 0000:3b:00.0"
                            .formatted(text));
        }
        return new PciAddress(
                Long.parseLong(parts.group(1), 16),
                Integer.parseInt(parts.group(2), 16),
                Integer.parseInt(parts.group(3), 16),
                Integer.parseInt(parts.group(4), 16));
    }

    @Override
    public int compareTo(PciAddress other) {
        return ORDER.compare(this, other);
    }

    /** The name in sysfs: at least four hexadecimal digits of domain. */
    @Override
    public String toString() {
        return "%04x:%02x:%02x.%x".formatted(domain, bus, device, function);
    }
}

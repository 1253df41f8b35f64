package io.numaledger.simulator.hardware;

import io.numaledger.topology.CpuSet;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Writes files of sysfs: one line each, directories made as needed. */
final class SysfsFile {

    private static final int MASK_GROUP_BITS = 32;

    private SysfsFile() {}

    static void line(Path file, Object line) throws IOException {
        text(file, line + "\n");
    }

    static void text(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** A link that is replaced when it is there already. */
    static void link(Path link, String target) throws IOException {
        Files.createDirectories(link.getParent());
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, Path.of(target));
    }

    /** The kernel's mask format: hexadecimal groups of 32 bits, the highest first, such as {@code 1,0000000f}. */
    static String mask(CpuSet cpus) {
        BigInteger bits = BigInteger.ZERO;
        for (int cpu : cpus.toArray()) {
            bits = bits.setBit(cpu);
        }
        List<String> groups = new ArrayList<>();
        do {
            groups.add("%08x".formatted(bits.intValue()));
            bits = bits.shiftRight(MASK_GROUP_BITS);
        } while (bits.signum() > 0);
        Collections.reverse(groups);
        return String.join(",", groups);
    }
}

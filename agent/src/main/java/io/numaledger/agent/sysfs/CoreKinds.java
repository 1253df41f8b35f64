package io.numaledger.agent.sysfs;

import io.numaledger.topology.CpuSet;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** The kinds of cores of a hybrid machine: each directory {@code devices/cpu_*} with a file {@code cpus}. */
public final class CoreKinds {

    private final Path devices;

    public CoreKinds(Path sysfsRoot) {
        this.devices = sysfsRoot.resolve("devices");
    }

    /** Such as {@code cpu_atom} → {@code 16-23}; what cannot be read is left out. */
    public SortedMap<String, String> read() {
        TreeMap<String, String> kinds = new TreeMap<>();
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(devices, "cpu_*")) {
            for (Path directory : directories) {
                Path cpus = directory.resolve("cpus");
                if (Files.isRegularFile(cpus)) {
                    kinds.put(
                            String.valueOf(directory.getFileName()),
                            CpuSet.parse(Files.readString(cpus).strip()).toString());
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            return Collections.emptySortedMap();
        }
        return kinds;
    }
}

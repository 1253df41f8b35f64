package io.numaledger.agent.sysfs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A sysfs tree made by hand, with {@code sys} and {@code proc} below one directory. */
public final class SysfsTree {

    private final Path root;

    public SysfsTree(Path root) {
        this.root = root;
    }

    public Path sysfsRoot() {
        return root.resolve("sys");
    }

    public Path path(String belowDevicesSystem) {
        return sysfsRoot().resolve("devices/system").resolve(belowDevicesSystem);
    }

    /** A file below {@code sys/devices/system}. */
    public SysfsTree file(String path, String text) {
        return write(path(path), text);
    }

    public SysfsTree procFile(String path, String text) {
        return write(root.resolve("proc").resolve(path), text);
    }

    public SysfsTree directory(String path) {
        try {
            Files.createDirectories(path(path));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A NUMA node with everything that the kernel shows of it. */
    public SysfsTree node(int id, String cpulist, long memoryKib, String distance) {
        return file("node/node" + id + "/cpulist", cpulist + "\n")
                .file("node/node" + id + "/meminfo", "Node %d MemTotal:  %d kB\n".formatted(id, memoryKib))
                .file("node/node" + id + "/distance", distance + "\n");
    }

    /** A CPU that shares its core with others. */
    public SysfsTree cpu(int id, String siblings, int socket) {
        return file("cpu/cpu" + id + "/topology/thread_siblings_list", siblings + "\n")
                .file("cpu/cpu" + id + "/topology/physical_package_id", socket + "\n");
    }

    public SysfsTree cache(int cpu, int index, int level, String sharedBy) {
        String directory = "cpu/cpu" + cpu + "/cache/index" + index;
        return file(directory + "/level", level + "\n").file(directory + "/shared_cpu_list", sharedBy + "\n");
    }

    /** Two NUMA nodes of two cores with two threads each, siblings two apart, one socket and one L3 cache a node. */
    public SysfsTree twoNodes() {
        file("cpu/online", "0-7\n").file("node/online", "0-1\n");
        node(0, "0-3", 8 << 20, "10 21").node(1, "4-7", 4 << 20, "21 10");
        for (int cpu = 0; cpu < 8; cpu++) {
            int first = cpu / 4 * 4;
            int core = first + cpu % 2;
            cpu(cpu, core + "," + (core + 2), cpu / 4).cache(cpu, 2, 2, core + "," + (core + 2));
            cache(cpu, 3, 3, first + "-" + (first + 3));
        }
        return file("node/node0/hugepages/hugepages-2048kB/nr_hugepages", "512\n");
    }

    ProbeResult probe() {
        return new SysfsProbe(sysfsRoot()).probe();
    }

    private SysfsTree write(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text, StandardCharsets.ISO_8859_1);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

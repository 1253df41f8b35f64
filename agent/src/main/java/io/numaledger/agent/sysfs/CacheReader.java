package io.numaledger.agent.sysfs;

import io.numaledger.topology.CpuSet;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Which CPUs share a cache of level 3 or higher, from {@code cpuN/cache/indexK}. As the kubelet does
 * (cm/cpumanager/topology/topology.go), a core has the first such cache that is listed.
 */
final class CacheReader {

    /** One cache, with the online CPUs that share it and the kernel's id for it. */
    private record Cache(CpuSet cpus, OptionalInt id) {}

    private static final int LOWEST_LEVEL = 3;

    private final SysfsReader reader;
    private final Path cpuDirectory;

    CacheReader(SysfsReader reader, Path cpuDirectory) {
        this.reader = reader;
        this.cpuDirectory = cpuDirectory;
    }

    /**
     * CPU id → a number shared by exactly the CPUs of one cache: the kernel's id where every cache has its own, else the
     * lowest CPU that shares it, since kernels before 4.11 and some architectures give no id. Looks at one CPU of each
     * core, and at none whose cache is known from another core.
     */
    Map<Integer, Integer> read(CpuSet oneCpuOfEachCore, CpuSet online) {
        List<Cache> caches = new ArrayList<>();
        CpuSet rest = oneCpuOfEachCore;
        for (int cpu : oneCpuOfEachCore.toArray()) {
            if (rest.contains(cpu)) {
                Optional<Cache> cache = lastLevelCache(cpu, online);
                cache.ifPresent(caches::add);
                rest = rest.minus(cache.map(Cache::cpus).orElse(CpuSet.EMPTY));
            }
        }
        return numbers(caches);
    }

    private static Map<Integer, Integer> numbers(List<Cache> caches) {
        long ids = caches.stream()
                .flatMapToInt(cache -> cache.id().stream())
                .distinct()
                .count();
        Map<Integer, Integer> numbers = new HashMap<>();
        for (Cache cache : caches) {
            int lowest = cache.cpus().ids().findFirst().orElseThrow();
            int number = ids == caches.size() ? cache.id().orElseThrow() : lowest;
            cache.cpus().ids().forEach(cpu -> numbers.putIfAbsent(cpu, number));
        }
        return numbers;
    }

    private Optional<Cache> lastLevelCache(int cpu, CpuSet online) {
        Path directory = cpuDirectory.resolve("cpu" + cpu).resolve("cache");
        return NumberedNames.ids("index", reader.names(directory)).stream()
                .map(index -> directory.resolve("index" + index))
                .filter(this::isLastLevel)
                .findFirst()
                .flatMap(index -> cache(index, cpu, online));
    }

    private boolean isLastLevel(Path index) {
        return reader.parsed(index.resolve("level"), SysfsText::count)
                .filter(level -> level >= LOWEST_LEVEL)
                .isPresent();
    }

    private Optional<Cache> cache(Path index, int cpu, CpuSet online) {
        OptionalInt id = reader.parsed(index.resolve("id"), SysfsText::count).stream()
                .filter(number -> number <= Integer.MAX_VALUE)
                .mapToInt(Long::intValue)
                .findFirst();
        return reader.parsed(index.resolve("shared_cpu_list"), CpuSet::parse)
                .or(() -> reader.parsed(index.resolve("shared_cpu_map"), CpuSet::parseMask))
                .map(cpus -> cpus.intersect(online).union(CpuSet.of(cpu)))
                .map(cpus -> new Cache(cpus, id));
    }
}

package io.numaledger.simulator.workload;

import io.numaledger.resource.ResourceKind;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Random pods of many shapes, the same ones for the same seed: Guaranteed, Burstable, and with devices only; with init
 * containers and sidecars in any order; with whole and fractional CPUs; with memory for one NUMA node or for several.
 */
public final class SeededPods {

    private static final long MILLIS = 1000;
    private static final long ROUND = 128;

    private final String node;
    private final Random random;
    private final int cpuStep;
    private final List<String> devices;

    /**
     * @param cpuStep most requests for whole CPUs are multiples of it
     * @param devices the device resources that pods may request
     */
    public SeededPods(String node, long seed, int cpuStep, List<String> devices) {
        this.node = node;
        this.cpuStep = cpuStep;
        this.random = new Random(seed);
        this.devices = List.copyOf(devices);
    }

    /**
     * One pod and its total request, as the scheduler counts it.
     *
     * @param total resource → milli-CPU, MiB or devices
     * @param hasPlainInit whether it has a plain init container, so that what it holds changes until it runs
     */
    public record Drawn(SimplePod pod, SortedMap<String, Long> total, boolean hasPlainInit) {}

    public Drawn next(String name) {
        SimplePod pod = SimplePod.named(name).on(node);
        if (percent(8)) {
            return deviceOnly(pod);
        }
        return percent(10) ? burstable(pod) : guaranteed(pod);
    }

    /** A random number from 0 up to, but not including, the bound. */
    public int below(int bound) {
        return random.nextInt(bound);
    }

    public boolean percent(int chance) {
        return below(100) < chance;
    }

    private Drawn deviceOnly(SimplePod pod) {
        SortedMap<String, Long> amounts = new TreeMap<>();
        amounts.put(devices.get(below(devices.size())), 1L);
        return new Drawn(pod.with("main", texts(amounts)), amounts, false);
    }

    private Drawn burstable(SimplePod pod) {
        SortedMap<String, Long> amounts = new TreeMap<>(Map.of("cpu", MILLIS * 2L, "memory", 512L));
        return new Drawn(pod.burstable("main", texts(amounts)), amounts, false);
    }

    private Drawn guaranteed(SimplePod pod) {
        SortedMap<String, Long> sidecars = new TreeMap<>();
        SortedMap<String, Long> peak = new TreeMap<>();
        boolean hasPlainInit = false;
        int initContainers = below(3);
        for (int i = 0; i < initContainers; i++) {
            SortedMap<String, Long> amounts = amounts();
            if (percent(60)) {
                pod.sidecar("side-" + i, texts(amounts));
                add(sidecars, amounts);
            } else {
                pod.initially("init-" + i, texts(amounts));
                hasPlainInit = true;
                SortedMap<String, Long> now = new TreeMap<>(sidecars);
                add(now, amounts);
                now.forEach((resource, amount) -> peak.merge(resource, amount, Math::max));
            }
        }
        int apps = percent(30) ? 2 : 1;
        for (int i = 0; i < apps; i++) {
            SortedMap<String, Long> amounts = amounts();
            pod.with("app-" + i, texts(amounts));
            add(sidecars, amounts);
        }
        sidecars.forEach((resource, amount) -> peak.merge(resource, amount, Math::max));
        return new Drawn(pod, peak, hasPlainInit);
    }

    private static void add(SortedMap<String, Long> sum, SortedMap<String, Long> amounts) {
        amounts.forEach((resource, amount) -> sum.merge(resource, amount, Long::sum));
    }

    private SortedMap<String, Long> amounts() {
        SortedMap<String, Long> amounts = new TreeMap<>();
        amounts.put("cpu", milliCpus());
        amounts.put("memory", percent(12) ? 4096L + ROUND * below(24) : ROUND * (1L + below(16)));
        if (percent(35)) {
            amounts.put("hugepages-2Mi", 64L * (1 + below(4)));
        }
        for (String resource : devices) {
            if (percent(30)) {
                amounts.put(resource, 1L + below(3));
            }
        }
        return amounts;
    }

    private long milliCpus() {
        if (percent(15)) {
            return 500L + MILLIS * below(3);
        }
        int step = percent(95) ? cpuStep : 1;
        return MILLIS * step * (1L + below(5 / step));
    }

    /** As {@link SimplePod} takes them, such as {@code cpu=3} or {@code memory=512Mi}. */
    private static String[] texts(SortedMap<String, Long> amounts) {
        List<String> texts = new ArrayList<>();
        amounts.forEach((resource, amount) -> texts.add(resource + "=" + text(resource, amount)));
        return texts.toArray(String[]::new);
    }

    private static String text(String resource, long amount) {
        if (resource.equals("cpu")) {
            return amount % MILLIS == 0 ? Long.toString(amount / MILLIS) : amount + "m";
        }
        return inMebibytes(resource) ? amount + "Mi" : Long.toString(amount);
    }

    static boolean inMebibytes(String resource) {
        return ResourceKind.of(resource) == ResourceKind.MEMORY;
    }
}

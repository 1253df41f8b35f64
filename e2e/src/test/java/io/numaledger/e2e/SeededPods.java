package io.numaledger.e2e;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Pods of many shapes, the same ones for the same seed: Guaranteed, Burstable and with devices only; with init containers
 * and sidecars before, between and after each other; whole and broken CPUs; memory for one NUMA node or for several.
 */
final class SeededPods {

    private static final long MILLIS = 1000;
    private static final long ROUND = 128;

    private final String node;
    private final Random random;
    private final int cpuStep;
    private final List<String> devices;

    /**
     * @param cpuStep whole CPUs mostly come in multiples of it
     * @param devices the resources of device plugins that pods may ask for
     */
    SeededPods(String node, long seed, int cpuStep, List<String> devices) {
        this.node = node;
        this.cpuStep = cpuStep;
        this.random = new Random(seed);
        this.devices = List.copyOf(devices);
    }

    /**
     * One pod, and what it takes of a node in the scheduler's sum.
     *
     * @param total resource → milli-CPU, MiB or devices
     * @param endsSomething has a plain init container, so that what it holds changes until it runs
     */
    record Drawn(TestPod pod, SortedMap<String, Long> total, boolean endsSomething) {}

    Drawn next(String name) {
        TestPod pod = TestPod.named(name).on(node);
        if (percent(8)) {
            return deviceOnly(pod);
        }
        return percent(10) ? burstable(pod) : guaranteed(pod);
    }

    /** A number from 0 to below the bound; decides what happens between the pods, too. */
    int below(int bound) {
        return random.nextInt(bound);
    }

    boolean percent(int chance) {
        return below(100) < chance;
    }

    private Drawn deviceOnly(TestPod pod) {
        SortedMap<String, Long> amounts = new TreeMap<>();
        amounts.put(devices.get(below(devices.size())), 1L);
        return new Drawn(pod.with("main", texts(amounts)), amounts, false);
    }

    private Drawn burstable(TestPod pod) {
        SortedMap<String, Long> amounts = new TreeMap<>(Map.of("cpu", MILLIS * 2L, "memory", 512L));
        return new Drawn(pod.burstable("main", texts(amounts)), amounts, false);
    }

    private Drawn guaranteed(TestPod pod) {
        SortedMap<String, Long> sidecars = new TreeMap<>();
        SortedMap<String, Long> peak = new TreeMap<>();
        boolean ends = false;
        int initContainers = below(3);
        for (int i = 0; i < initContainers; i++) {
            SortedMap<String, Long> amounts = amounts();
            if (percent(60)) {
                pod.sidecar("side-" + i, texts(amounts));
                add(sidecars, amounts);
            } else {
                pod.initially("init-" + i, texts(amounts));
                ends = true;
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
        return new Drawn(pod, peak, ends);
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

    /** In Kubernetes' spelling, such as {@code cpu=3} or {@code memory=512Mi}. */
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
        return resource.equals("memory") || resource.startsWith("hugepages-");
    }
}

package io.numaledger.benchmarks.churn;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.numaledger.simulator.workload.SimplePod;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Six nodes and a fixed sequence of pods for them.
 *
 * @param nodes as YAML
 * @param arrivals by time
 */
public record ChurnMix(String name, String nodes, List<Arrival> arrivals) {

    /** The name of a PriorityClass above the default, whose pods evict no others. */
    public static final String IMPORTANT = "important";

    /** Of the pods of all mixes that are run on real kubelets. */
    public static final long SEED = 20260;

    private static final int BURST = 50;

    public ChurnMix {
        arrivals = List.copyOf(arrivals);
    }

    @Override
    public String toString() {
        return name;
    }

    /**
     * A pod, when it comes, and how long it runs.
     *
     * @param at since the begin
     * @param runs empty: until the end of the churn
     * @param ends whether its containers exit; otherwise it is deleted
     */
    public record Arrival(Pod pod, Duration at, Optional<Duration> runs, boolean ends) {}

    /**
     * 200 pods with all requests in a burst. The e2e tests use it for the default scheduler and for the bridge.
     *
     * @param otherKubelet the version of one node's kubelet
     */
    public static ChurnMix baseline(String otherKubelet) {
        String zones = "[{id: 0, cores: 32, memory: 64Gi}, {id: 1, cores: 32, memory: 64Gi}]";
        String smtZones = "[{id: 0, cores: 16, threadsPerCore: 2, memory: 64Gi, hugepages: {2Mi: 2048}}, "
                + "{id: 1, cores: 16, threadsPerCore: 2, memory: 64Gi, hugepages: {2Mi: 2048}}]";
        String four = "[{id: 0, cores: 16, memory: 32Gi}, {id: 1, cores: 16, memory: 32Gi}, "
                + "{id: 2, cores: 16, memory: 32Gi}, {id: 3, cores: 16, memory: 32Gi}]";
        String nodes = "nodes:\n"
                + node("strict-1", "topologyManagerPolicy: single-numa-node", smtZones, 4)
                + node("strict-2", "topologyManagerPolicy: single-numa-node, " + FULL_CORES, smtZones, 4)
                + node("strict-pod", "topologyManagerPolicy: single-numa-node, topologyManagerScope: pod", zones, 0)
                + node("four", "topologyManagerPolicy: single-numa-node", four, 0)
                + node("restricted", "topologyManagerPolicy: restricted", zones, 0)
                + ofVersion(otherKubelet, node("old", "topologyManagerPolicy: single-numa-node", zones, 0));
        return new ChurnMix("baseline", nodes, arrivals(SEED, 200, ChurnMix::anyRequest, 65, every(10)));
    }

    /**
     * The pods of {@link #baseline} on nodes of several kubelets.
     *
     * @param kubelets a version for each; there are two nodes of each one: one allocates whole cores, the other one whole pods
     */
    public static ChurnMix mixed(List<String> kubelets) {
        StringBuilder nodes = new StringBuilder("nodes:\n");
        for (String version : kubelets) {
            String name = "kubelet-" + version.replace('.', '-');
            nodes.append(ofVersion(
                    version,
                    node(
                            name + "-cores",
                            "topologyManagerPolicy: single-numa-node, " + FULL_CORES,
                            "[{id: 0, cores: 16, threadsPerCore: 2, memory: 64Gi, hugepages: {2Mi: 2048}}, "
                                    + "{id: 1, cores: 16, threadsPerCore: 2, memory: 64Gi, hugepages: {2Mi: 2048}}]",
                            4)));
            nodes.append(ofVersion(
                    version,
                    node(
                            name + "-pods",
                            "topologyManagerPolicy: restricted, topologyManagerScope: pod",
                            "[{id: 0, cores: 24, memory: 64Gi}, {id: 1, cores: 24, memory: 64Gi}]",
                            0)));
        }
        return new ChurnMix("mixed", nodes.toString(), arrivals(SEED, 200, ChurnMix::anyRequest, 65, every(10)));
    }

    private static String ofVersion(String kubelet, String node) {
        return "- kubeletVersion: \"%s\"\n".formatted(kubelet) + node.replaceFirst("- ", "  ");
    }

    /**
     * The nodes and requests of {@link #baseline} for runs with faults: bursts of 50 pods, 12.5 seconds apart, and between them small pods
     * that fit nearly always. Nearly all of them end soon; every third has the priority {@link #IMPORTANT}.
     */
    public static ChurnMix lasting(int pods, String otherKubelet) {
        List<Arrival> arrivals = arrivals(SEED, pods, ChurnMix::anyRequest, 96, every(250));
        return new ChurnMix(
                "lasting",
                baseline(otherKubelet).nodes(),
                IntStream.range(0, pods)
                        .mapToObj(i -> inBurst(arrivals.get(i), i))
                        .sorted(Comparator.comparing(Arrival::at))
                        .toList());
    }

    private static Arrival inBurst(Arrival arrival, int i) {
        Pod pod = new PodBuilder(arrival.pod())
                .editSpec()
                .withPriorityClassName(i % 3 == 0 ? IMPORTANT : null)
                .endSpec()
                .build();
        Duration at = isSmall(pod) ? arrival.at() : every(12_500).apply(i / BURST);
        return new Arrival(pod, at, arrival.runs(), arrival.ends());
    }

    /** The same with its first pods only. */
    ChurnMix first(int pods) {
        return new ChurnMix(name, nodes, arrivals.subList(0, Math.min(pods, arrivals.size())));
    }

    /** Whether it needs no zone. */
    static boolean isSmall(Pod pod) {
        return pod.getSpec().getContainers().get(0).getResources().getLimits().isEmpty();
    }

    /** 160 Guaranteed pods with CPUs and memory, on equal nodes. */
    public static ChurnMix simple(long seed) {
        return new ChurnMix("simple", alike(), arrivals(seed, 160, ChurnMix::simpleRequest, 80, every(100)));
    }

    /** Whether all pods fit, so that only the speed of binding is measured. */
    boolean isOfSpeed() {
        return name.equals("arriving");
    }

    /** 160 pods of one CPU, ten per second as in the other mixes, so that the CPUs of the machine are not the limit. They fit on any node. */
    static ChurnMix arriving() {
        return new ChurnMix(
                "arriving",
                alike(),
                arrivals(SEED, 160, (pod, random) -> pod.with("main", "cpu=1", "memory=128Mi"), 0, every(100)));
    }

    private static IntFunction<Duration> every(long millis) {
        return i -> Duration.ofMillis(millis * i);
    }

    private static String alike() {
        StringBuilder nodes = new StringBuilder("nodes:\n");
        for (int i = 1; i <= 6; i++) {
            nodes.append(node(
                    "n" + i,
                    "topologyManagerPolicy: single-numa-node",
                    "[{id: 0, cores: 17, memory: 32Gi}, {id: 1, cores: 16, memory: 32Gi}]",
                    0));
        }
        return nodes.toString();
    }

    /** 160 pods with GPUs, NICs and init containers; most nodes allocate whole cores only. */
    public static ChurnMix devices(long seed) {
        StringBuilder nodes = new StringBuilder("nodes:\n");
        for (int i = 1; i <= 6; i++) {
            String scope = i % 3 == 0 ? "topologyManagerScope: pod, " : "";
            String policy = i == 5 ? "restricted" : "single-numa-node";
            nodes.append(node(
                    "n" + i,
                    scope + "topologyManagerPolicy: " + policy + (i <= 4 ? ", " + FULL_CORES : ""),
                    "[{id: 0, cores: 9, threadsPerCore: 2, memory: 32Gi}, {id: 1, cores: 8, threadsPerCore: 2, memory: 32Gi}]",
                    4));
        }
        return new ChurnMix("devices", nodes.toString(), arrivals(seed, 160, ChurnMix::deviceRequest, 70, every(100)));
    }

    private static final String FULL_CORES = "cpuManagerPolicyOptions: {full-pcpus-only: \"true\"}";

    /** @param gpus the number of GPUs in each of the first two zones; there are half as many NICs */
    private static String node(String name, String kubelet, String numaNodes, int gpus) {
        String devices = gpus == 0 ? "[]" : """
                [{resource: nvidia.com/gpu, count: %1$d, numaNodes: [0]}, {resource: nvidia.com/gpu, count: %1$d, numaNodes: [1]}, \
                {resource: example.com/nic, count: %2$d, numaNodes: [0]}, {resource: example.com/nic, count: %2$d, numaNodes: [1]}]""".formatted(gpus, gpus / 2);
        return "- name: %s\n  kubelet: {%s}\n  numaNodes: %s\n  devices: %s\n"
                .formatted(name, kubelet, numaNodes, devices);
    }

    private static List<Arrival> arrivals(
            long seed,
            int count,
            BiFunction<SimplePod, Random, SimplePod> request,
            int shortLivedPercent,
            IntFunction<Duration> times) {
        Random random = new Random(seed);
        return IntStream.range(0, count)
                .mapToObj(i -> {
                    Pod pod = request.apply(
                                    SimplePod.named("pod-%03d".formatted(i)).neverRestarted(), random)
                            .build();
                    Optional<Duration> runs = random.nextInt(100) < shortLivedPercent
                            ? Optional.of(Duration.ofMillis(1500 + random.nextInt(4500)))
                            : Optional.empty();
                    return new Arrival(pod, times.apply(i), runs, random.nextBoolean());
                })
                .toList();
    }

    private static int between(Random random, int least, int most) {
        return least + random.nextInt(most - least + 1);
    }

    private static String cpus(Random random, int least, int most) {
        return "cpu=" + between(random, least, most);
    }

    private static String memory(Random random, int most) {
        return "memory=" + between(random, 1, most) + "Gi";
    }

    private static SimplePod simpleRequest(SimplePod pod, Random random) {
        return switch (random.nextInt(10)) {
            case 0, 1, 2 -> pod.with("main", cpus(random, 1, 4), memory(random, 4));
            case 3, 4, 5, 6 -> pod.with("main", cpus(random, 5, 9), memory(random, 8));
            default -> pod.with("main", cpus(random, 10, 16), memory(random, 16));
        };
    }

    private static SimplePod deviceRequest(SimplePod pod, Random random) {
        String gpus = "nvidia.com/gpu=" + between(random, 1, 3);
        return switch (random.nextInt(10)) {
            case 0, 1 -> pod.with("main", "cpu=" + 2 * between(random, 1, 5), memory(random, 8), gpus);
            case 2, 3 ->
                pod.with("main", "cpu=" + 2 * between(random, 1, 4), memory(random, 8), gpus, "example.com/nic=1");
            case 4, 5 -> pod.with("main", "cpu=" + (1 + 2 * between(random, 0, 4)), memory(random, 8));
            case 6 -> pod.with("main", "cpu=" + (1 + 2 * between(random, 0, 3)), memory(random, 4), gpus);
            case 7 ->
                pod.initially("init", "cpu=" + 2 * between(random, 2, 6), "memory=1Gi")
                        .with("main", "cpu=" + 2 * between(random, 1, 4), memory(random, 4), gpus);
            case 8 -> pod.with("main", cpus(random, 2, 8), memory(random, 8)).with("side", "cpu=1", "memory=512Mi");
            default -> pod.with("main", "cpu=" + 2 * between(random, 4, 8), memory(random, 16));
        };
    }

    private static SimplePod anyRequest(SimplePod pod, Random random) {
        String gpus = "nvidia.com/gpu=" + between(random, 1, 3);
        return switch (random.nextInt(12)) {
            case 0, 1 -> pod.burstable("main", "cpu=200m", "memory=256Mi");
            case 2, 3 -> pod.with("main", cpus(random, 1, 5), memory(random, 6));
            case 4, 5 -> pod.with("main", cpus(random, 8, 17), memory(random, 16));
            case 6 -> pod.with("main", cpus(random, 20, 31), memory(random, 40));
            case 7 -> pod.with("main", cpus(random, 2, 8), memory(random, 8), gpus, "example.com/nic=1");
            case 8 -> pod.with("main", cpus(random, 8, 20), memory(random, 16), "nvidia.com/gpu=4");
            case 9 ->
                pod.initially("init", cpus(random, 4, 12), "memory=1Gi")
                        .with("main", cpus(random, 1, 8), memory(random, 8));
            case 10 ->
                pod.sidecar("proxy", "cpu=1", "memory=512Mi").with("main", cpus(random, 3, 12), memory(random, 8));
            default -> pod.with("main", cpus(random, 2, 6), memory(random, 4), "hugepages-2Mi=512Mi");
        };
    }
}

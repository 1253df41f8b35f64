package io.numaledger.scheduling.stranded;

import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.snapshot.ZoneAmounts;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.placement.Amounts;
import io.numaledger.pod.RequestedAmount;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The sizes that follow from a node: 1, 2, 4 and 8 of its GPUs with their share of CPUs and memory, and all CPUs of a zone. An eighth of the
 * share is left to other pods, such as those of DaemonSets.
 */
final class DefaultReferencePods {

    /** Pods with all CPUs that the smallest zone can give. */
    static final String ZONE = "cpu-zone";

    private static final int[] COUNTS = {1, 2, 4, 8};
    private static final String MEMORY = "memory";
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;

    private final NodeFacts node;
    private final KubeletModel kubelet;
    private final List<SortedMap<String, Long>> zones;

    private DefaultReferencePods(NodeFacts node, KubeletModel kubelet) {
        this.node = node;
        this.kubelet = kubelet;
        this.zones = kubelet.machine().topology().numaNodes().stream()
                .map(zone -> ZoneAmounts.free(kubelet, kubelet.empty(), zone))
                .toList();
    }

    static List<ReferencePod> of(NodeFacts node, KubeletModel kubelet) {
        return new DefaultReferencePods(node, kubelet).all();
    }

    private List<ReferencePod> all() {
        List<ReferencePod> all = new ArrayList<>();
        kubelet.machine().devices().forEach((resource, devices) -> {
            if (isGpu(resource) && !devices.isEmpty()) {
                IntStream.of(COUNTS)
                        .filter(count -> count <= devices.size())
                        .forEach(count -> all.add(ofGpus(resource, devices.size(), count)));
            }
        });
        long zoneCpus = zones.stream()
                        .mapToLong(zone -> zone.getOrDefault(Amounts.CPU, 0L))
                        .min()
                        .orElse(0)
                / 1000;
        if (zoneCpus > 0) {
            all.add(pod(ZONE, even(zoneCpus), GIB));
        }
        return all;
    }

    /** Such as {@code nvidia.com/gpu}, {@code amd.com/gpu} and {@code gpu.intel.com/xe}. */
    static boolean isGpu(String resource) {
        return resource.toLowerCase(Locale.ROOT).matches("gpu\\..*/.*|.*/.*gpu.*");
    }

    /** Such as {@code nvidia-gpu} for {@code nvidia.com/gpu}. */
    static String prefix(String resource) {
        return resource.toLowerCase(Locale.ROOT)
                .replaceFirst("\\.[a-z]+/", "/")
                .replaceAll("[^a-z0-9]+", "-")
                .replaceAll("-$", "");
    }

    private ReferencePod ofGpus(String gpu, int all, int count) {
        long cpus = share(gpu, Amounts.CPU, all) / 1000;
        long bytes = share(gpu, MEMORY, all);
        long unit = bytes >= GIB ? GIB : MIB;
        ReferencePod pod = pod(
                prefix(gpu) + "-" + count, count * even(Math.max(1, cpus)), count * Math.max(MIB, bytes / unit * unit));
        SortedMap<String, RequestedAmount> requests = new TreeMap<>(pod.requests());
        requests.put(gpu, RequestedAmount.of(count));
        return new ReferencePod(pod.name(), requests, false);
    }

    /** What each GPU of the zone with the least for it has, less an eighth. */
    private long share(String gpu, String resource, int gpus) {
        LongStream ofNode = Optional.ofNullable(node.constraints().allocatable().get(resource)).stream()
                .mapToLong(all -> all / gpus);
        LongStream ofZones = zones.stream()
                .filter(zone -> zone.getOrDefault(gpu, 0L) > 0 && zone.containsKey(resource))
                .mapToLong(zone -> zone.getOrDefault(resource, 0L) / zone.getOrDefault(gpu, 1L));
        long share = LongStream.concat(ofNode, ofZones).min().orElse(0);
        return share - share / 8;
    }

    /** Kubelets may give whole cores only. */
    private static long even(long cpus) {
        return cpus > 1 ? cpus - cpus % 2 : cpus;
    }

    private static ReferencePod pod(String name, long cpus, long bytes) {
        return new ReferencePod(
                name,
                new TreeMap<>(Map.of(
                        Amounts.CPU,
                        RequestedAmount.of(cpus),
                        MEMORY,
                        RequestedAmount.parse(bytes % GIB == 0 ? bytes / GIB + "Gi" : bytes / MIB + "Mi"))),
                false);
    }
}

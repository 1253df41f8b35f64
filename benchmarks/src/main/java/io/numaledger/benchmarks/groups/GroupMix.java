package io.numaledger.benchmarks.groups;

import io.numaledger.gpu.Gpu;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LinkKind;
import io.numaledger.gpu.LinkMatrix;
import io.numaledger.gpu.PcieLevels;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A fixed sequence of groups for eight nodes in two racks. Each node has two zones with 4 GPUs each, and with 7 and 8 CPUs that pods may
 * use. On every second node, all GPUs of a zone are linked to each other; on the others, two and two are.
 *
 * @param arrivals by time
 */
record GroupMix(long seed, List<Arrival> arrivals) {

    /** The label of nodes that names their rack. */
    static final String RACK = "example.com/rack";

    private static final int NODES = 8;
    private static final int GPUS_PER_ZONE = 4;
    private static final int MOST_PODS = 16;

    /** Half of all zones, so that each group fits one empty rack. */
    private static final int MOST_ZONES = NODES;

    /** As many as fit those nodes of one rack where all GPUs of a zone are linked. */
    private static final int MOST_LINKED_PODS = NODES;

    private static final int LINKS_OF_PAIR = 2;

    /** The mean time between two groups: more come than there is room for. */
    private static final Duration INTERVAL = Duration.ofMillis(2500);

    private static final int[] SIZES = {1, 1, 1, 2, 2, 2, 3, 4};

    GroupMix {
        arrivals = List.copyOf(arrivals);
    }

    /**
     * One group.
     *
     * @param gpus of each of its pods, 1 to 4
     * @param at since the begin
     * @param runs how long it runs after all of its pods do
     * @param inOneRack whether all pods must be in one rack
     * @param linked whether the GPUs of each pod must be linked
     */
    record Arrival(String name, List<Integer> gpus, Duration at, Duration runs, boolean inOneRack, boolean linked) {}

    static GroupMix of(long seed, int groups) {
        Random random = new Random(seed);
        List<Arrival> arrivals = new ArrayList<>();
        long at = 0;
        for (int i = 0; i < groups; i++) {
            boolean linked = i % 5 == 4;
            arrivals.add(new Arrival(
                    "group-%03d".formatted(i),
                    linked ? Collections.nCopies(1 + random.nextInt(MOST_LINKED_PODS), 2) : gpus(random),
                    Duration.ofMillis(at),
                    Duration.ofMillis(4000 + random.nextInt(8000)),
                    i % 4 == 3,
                    linked));
            at += random.nextLong(2 * INTERVAL.toMillis());
        }
        return new GroupMix(seed, arrivals);
    }

    /** Every fourth group has pods of two sizes. */
    private static List<Integer> gpus(Random random) {
        int first = SIZES[random.nextInt(SIZES.length)];
        int second = random.nextInt(4) == 0 ? SIZES[random.nextInt(SIZES.length)] : first;
        int pods = 1 + random.nextInt(MOST_PODS);
        List<Integer> gpus = new ArrayList<>();
        int share = 0;
        for (int i = 0; i < pods; i++) {
            int size = i % 2 == 0 ? first : second;
            share += GPUS_PER_ZONE / (GPUS_PER_ZONE / size);
            if (share > MOST_ZONES * GPUS_PER_ZONE) {
                break;
            }
            gpus.add(size);
        }
        return gpus;
    }

    static List<NodeSpec> nodes() {
        return NodeSpecYaml.parse("nodes:\n"
                + IntStream.rangeClosed(1, NODES).mapToObj("""
                        - name: n%d
                          kubelet: {topologyManagerPolicy: single-numa-node}
                          numaNodes: [{id: 0, cores: 8, memory: 32Gi}, {id: 1, cores: 8, memory: 32Gi}]
                          devices:
                          - {resource: nvidia.com/gpu, count: 4, numaNodes: [0]}
                          - {resource: nvidia.com/gpu, count: 4, numaNodes: [1]}
                        """::formatted).collect(Collectors.joining()));
    }

    /** The GPUs of a node; the device ids are those of its simulated device plugin. */
    static GpuTopology gpus(String node) {
        int linkedGpus = number(node) % 2 == 1 ? GPUS_PER_ZONE : 2;
        int gpus = 2 * GPUS_PER_ZONE;
        int[][] links = new int[gpus][gpus];
        for (int i = 0; i < gpus; i++) {
            for (int j = 0; j < gpus; j++) {
                links[i][j] = i != j && i / linkedGpus == j / linkedGpus ? LINKS_OF_PAIR : 0;
            }
        }
        return new GpuTopology(
                IntStream.range(0, gpus).mapToObj(GroupMix::gpu).toList(),
                LinkKind.DIRECT,
                LinkMatrix.of(links),
                PcieLevels.unknown(gpus),
                Optional.empty());
    }

    private static Gpu gpu(int index) {
        return new Gpu(
                Optional.of("gpu-" + index),
                Optional.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.of(index / GPUS_PER_ZONE),
                OptionalInt.empty(),
                true);
    }

    /** The rack of a node: the first half of them is {@code a}, the second {@code b}. */
    static String rack(String node) {
        return number(node) <= NODES / 2 ? "a" : "b";
    }

    private static int number(String node) {
        return Integer.parseInt(node.substring(1));
    }
}

package io.numaledger.kubelet.cpu;

import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.cpu.CpuTopology.Level;
import io.numaledger.topology.AffinityMask;

import java.util.Arrays;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static java.util.Objects.requireNonNull;

/** The search for the NUMA nodes whose use leaves the free CPUs most evenly spread. */
final class Balance {

    /**
     * What the search settled on. Before 1.38 the slices may have changed since they were chosen, as in the kubelet.
     *
     * @param restNodes where the CPUs come from that could not be spread evenly
     */
    record Choice(GoIntSlice nodes, Optional<GoIntSlice> restNodes) {}

    private final CpuTopology topology;
    private final int[] numaNodes;
    private final SortedMap<Integer, Integer> free = new TreeMap<>();
    private final int count;
    private final int groupSize;
    private final boolean bySocket;
    private final KubeletVersion version;

    private double bestScore = Double.MAX_VALUE;
    private boolean bestIsInOneSocket;
    private Optional<Choice> best = Optional.empty();

    Balance(DistributedCpuPicker picker, CpuAccumulator pool, int[] numaNodes, int count) {
        this.topology = picker.topology();
        this.bySocket = picker.bySocket();
        this.version = picker.version();
        this.numaNodes = numaNodes;
        this.count = count;
        this.groupSize = picker.groupSize();
        for (int node : numaNodes) {
            free.put(node, pool.free(Level.NUMA_NODE, node).size());
        }
    }

    Optional<Choice> best(int width) {
        Combinations.visit(numaNodes, width, version.copiesCombinationsOfNumaNodes(), combination -> {
            if (bestScore == 0 && (!bySocket || bestIsInOneSocket)) {
                return false;
            }
            score(combination);
            return true;
        });
        return best;
    }

    private void score(GoIntSlice combination) {
        int[] nodes = combination.values();
        int even = share(nodes);
        if (!suffices(nodes, even)) {
            return;
        }
        SortedMap<Integer, Integer> after = new TreeMap<>(free);
        for (int node : nodes) {
            after.merge(node, -even, Integer::sum);
        }
        int rest = count - even * nodes.length;
        Rest local = new Rest(after, rest);
        if (rest == 0) {
            local.score = deviation(after);
        } else {
            int[] withRoom = Arrays.stream(nodes)
                    .filter(node -> requireNonNull(after.get(node)) >= groupSize)
                    .toArray();
            for (int size = withRoom.length; size >= 1; size--) {
                Combinations.visit(withRoom, size, version.copiesCombinationsOfNumaNodes(), local::consider);
            }
        }
        boolean inOneSocket = bySocket && areInOneSocket(nodes);
        if (inOneSocket == bestIsInOneSocket ? local.score < bestScore : inOneSocket) {
            bestScore = local.score;
            bestIsInOneSocket = inOneSocket;
            best = Optional.of(new Choice(combination, local.nodes));
        }
    }

    private int share(int[] nodes) {
        int even = count / nodes.length / groupSize * groupSize;
        if (bySocket) {
            for (int node : nodes) {
                even = Math.min(even, requireNonNull(free.get(node)) / groupSize * groupSize);
            }
        }
        return even;
    }

    private boolean areInOneSocket(int[] nodes) {
        return topology.itemsOf(Level.SOCKET, topology.cpusOf(AffinityMask.of(nodes)))
                        .size()
                == 1;
    }

    private boolean suffices(int[] nodes, int even) {
        int groups = Arrays.stream(nodes)
                .map(node -> requireNonNull(free.get(node)) / groupSize)
                .sum();
        return Arrays.stream(nodes).distinct().map(node -> free.get(node)).sum() >= count
                && groups * groupSize >= count
                && Arrays.stream(nodes).allMatch(node -> requireNonNull(free.get(node)) >= even);
    }

    /** The best way to hand out what is left after the even part. */
    private final class Rest {

        private final SortedMap<Integer, Integer> after;
        private final int rest;
        private double score = Double.MAX_VALUE;
        private Optional<GoIntSlice> nodes = Optional.empty();

        private Rest(SortedMap<Integer, Integer> after, int rest) {
            this.after = after;
            this.rest = rest;
        }

        private boolean consider(GoIntSlice subset) {
            int[] chosen = subset.values();
            if (sufficesForRest(chosen)) {
                double deviation = deviation(handedOut(chosen));
                if (deviation < score) {
                    score = deviation;
                    nodes = Optional.of(subset);
                }
            }
            return true;
        }

        private boolean sufficesForRest(int[] chosen) {
            int unit = version.countsLeftoverCpusInGroups() ? groupSize : 1;
            return Arrays.stream(chosen)
                            .map(node -> requireNonNull(after.get(node)) / unit * unit)
                            .sum()
                    >= rest;
        }

        private SortedMap<Integer, Integer> handedOut(int[] chosen) {
            SortedMap<Integer, Integer> left = new TreeMap<>(after);
            int open = rest;
            while (open > 0) {
                int before = open;
                for (int node : chosen) {
                    if (open > 0 && requireNonNull(left.get(node)) >= groupSize) {
                        left.merge(node, -groupSize, Integer::sum);
                        open -= groupSize;
                    }
                }
                if (open == before) {
                    throw DistributedCpuPicker.endless(count);
                }
            }
            return left;
        }
    }

    /** The kubelet's own arithmetic: mean and population standard deviation, each rounded to three decimals. */
    private static double deviation(SortedMap<Integer, Integer> left) {
        double sum = left.values().stream().mapToInt(Integer::intValue).sum();
        double mean = thousandths(sum / left.size());
        double squares = 0;
        for (int cpus : left.values()) {
            squares += (cpus - mean) * (cpus - mean);
        }
        return thousandths(Math.sqrt(squares / left.size()));
    }

    private static double thousandths(double value) {
        return Math.round(value * 1000) / 1000.0;
    }
}

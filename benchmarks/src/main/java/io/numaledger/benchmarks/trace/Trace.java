package io.numaledger.benchmarks.trace;

import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

import static java.util.Objects.requireNonNull;

/** The lists of nodes and pods of {@code cluster-trace-gpu-v2023} (github.com/alibaba/clusterdata), packed with gzip. */
record Trace(List<Node> nodes, List<Pod> pods) {

    static final String GPU = "nvidia.com/gpu";

    private static final long MIB = 1L << 20;

    /** @param cpus whole CPUs */
    record Node(int cpus, long memoryBytes, int gpus) {

        /**
         * Its hardware: two zones with half of the CPUs, memory and GPUs each. One CPU and 1 GiB are reserved.
         *
         * @param name of the node
         */
        NodeSpec spec(String name, TopologyPolicyName policy) {
            int second = gpus / 2;
            String yaml = """
                    nodes:
                    - name: %s
                      kubelet: {topologyManagerPolicy: %s}
                      numaNodes: [{id: 0, cores: %d, memory: %d}, {id: 1, cores: %d, memory: %d}]
                      devices: [{resource: nvidia.com/gpu, count: %d, numaNodes: [0]}%s]
                    """.formatted(
                    name,
                    policy,
                    cpus - cpus / 2,
                    memoryBytes / 2,
                    cpus / 2,
                    memoryBytes / 2,
                    gpus - second,
                    second == 0 ? "" : ", {resource: nvidia.com/gpu, count: %d, numaNodes: [1]}".formatted(second));
            return NodeSpecYaml.parse(yaml).get(0);
        }
    }

    /**
     * A pod. CPUs are rounded up to whole ones, so that it gets exclusive CPUs. A share of a GPU counts as one GPU.
     *
     * @param createdAt in seconds; 0 in lists without times
     * @param runs in seconds; 0 in lists without times
     */
    record Pod(String name, int cpus, long memoryBytes, int gpus, long createdAt, long runs) {}

    /** @param list the name of a list of pods, such as {@code default} or {@code multigpu50} */
    static Trace read(Path directory, String list) throws IOException {
        return new Trace(
                rows(directory.resolve("openb_node_list_gpu_node.csv.gz")).stream()
                        .map(Trace::node)
                        .toList(),
                rows(directory.resolve("openb_pod_list_%s.csv.gz".formatted(list))).stream()
                        .map(Trace::pod)
                        .toList());
    }

    private static Node node(Map<String, String> row) {
        return new Node(cpus(row), number(row, "memory_mib") * MIB, (int) number(row, "gpu"));
    }

    private static Pod pod(Map<String, String> row) {
        long created = row.containsKey("creation_time") ? number(row, "creation_time") : 0;
        long deleted = row.containsKey("deletion_time") ? number(row, "deletion_time") : 0;
        return new Pod(
                requireNonNull(row.get("name")),
                cpus(row),
                number(row, "memory_mib") * MIB,
                (int) number(row, "num_gpu"),
                created,
                Math.max(0, deleted - created));
    }

    private static int cpus(Map<String, String> row) {
        return (int) ((number(row, "cpu_milli") + 999) / 1000);
    }

    private static long number(Map<String, String> row, String column) {
        return Long.parseLong(requireNonNull(row.get(column), column));
    }

    /** Column → value. No value has a comma. */
    private static List<Map<String, String>> rows(Path file) throws IOException {
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            List<List<String>> lines = reader.lines()
                    .map(line -> Arrays.asList(line.split(",", -1)))
                    .toList();
            return lines.stream().skip(1).map(line -> row(lines.get(0), line)).toList();
        }
    }

    private static Map<String, String> row(List<String> columns, List<String> values) {
        Map<String, String> row = new HashMap<>();
        for (int i = 0; i < columns.size(); i++) {
            row.put(columns.get(i), values.get(i));
        }
        return row;
    }
}

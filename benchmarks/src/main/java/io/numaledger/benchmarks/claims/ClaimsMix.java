package io.numaledger.benchmarks.claims;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.workload.SimplePod;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Four nodes of two zones, and pods of 2 to 6 CPUs that claim one device each. All pods fit aligned, eight CPUs a zone to spare. */
final class ClaimsMix {

    static final String DRIVER = "vf.example.com";

    private static final String TEMPLATE = "device";
    private static final String ALIGNMENT = "numaledger.io/claim-alignment";
    private static final int NODES = 4;
    private static final int ZONES = 2;
    private static final int SPARE_CPUS = 8;

    /** CPU 0. */
    private static final int RESERVED_CPUS = 1;

    private static final int MIN_CPUS = 2;
    private static final int MAX_CPUS = 6;

    private final List<Integer> cpus;
    private final boolean alternating;

    private ClaimsMix(List<Integer> cpus, boolean alternating) {
        this.cpus = List.copyOf(cpus);
        this.alternating = alternating;
    }

    /**
     * A mix.
     *
     * @param alternating whether a node's devices are listed in turn from zone 0 and 1, and not zone by zone. kube-scheduler takes the first
     *     that is free
     */
    static ClaimsMix of(long seed, int pods, boolean alternating) {
        Random random = new Random(seed);
        return new ClaimsMix(
                IntStream.range(0, pods)
                        .mapToObj(pod -> MIN_CPUS + random.nextInt(MAX_CPUS - MIN_CPUS + 1))
                        .toList(),
                alternating);
    }

    ClaimsOracle oracle() {
        return new ClaimsOracle(
                cpus, new ClaimsOracle.Nodes(NODES, List.of(cores() - RESERVED_CPUS, cores()), zonesOfDevices()));
    }

    /** What an oracle runs; all other pods wait. */
    String figures(int aligned) {
        return ClaimsRun.figures(aligned, 0, 0, cpus.size() - aligned);
    }

    /** A zone has the devices and CPUs of the pods that are its share in the order of size, so that all of them fit. */
    private int cores() {
        List<Integer> descending =
                cpus.stream().sorted((one, other) -> other - one).toList();
        return IntStream.iterate(0, i -> i < descending.size(), i -> i + NODES * ZONES)
                        .map(descending::get)
                        .sum()
                + SPARE_CPUS;
    }

    /** Of a node, in the order of its ResourceSlice. */
    private List<Integer> zonesOfDevices() {
        int perZone = (cpus.size() + NODES * ZONES - 1) / (NODES * ZONES);
        return IntStream.range(0, ZONES * perZone)
                .mapToObj(device -> alternating ? device % ZONES : device / perZone)
                .toList();
    }

    List<NodeSpec> nodes() {
        String devices = zonesOfDevices().stream()
                .map("- {count: 1, attributes: {resource.kubernetes.io/numaNode: {int: %d}}}\n"::formatted)
                .collect(Collectors.joining());
        return NodeSpecYaml.parse(IntStream.range(0, NODES)
                .mapToObj(node -> """
                        - name: node-%1$d
                          kubelet: {topologyManagerPolicy: single-numa-node, reservedSystemCPUs: "0"}
                          numaNodes: [{id: 0, cores: %2$d, memory: 256Gi}, {id: 1, cores: %2$d, memory: 256Gi}]
                          draDrivers:
                          - driver: %4$s
                            devices:
                        %3$s""".formatted(node, cores(), devices.indent(4), DRIVER))
                .collect(Collectors.joining("", "nodes:\n", "")));
    }

    /** The ResourceClaimTemplate of the pods: one device. */
    static String template() {
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: %1$s, namespace: default}
                spec: {spec: {devices: {requests: [{name: %1$s, exactly: {deviceClassName: %2$s}}]}}}
                """.formatted(TEMPLATE, DRIVER);
    }

    /** @param alignment {@code required} or {@code preferred}; empty: the pods do not ask for it */
    List<Pod> pods(Optional<String> alignment) {
        List<Pod> pods = new ArrayList<>();
        for (int i = 0; i < cpus.size(); i++) {
            SimplePod pod = SimplePod.named("pod-%03d".formatted(i))
                    .neverRestarted()
                    .claimingFrom(TEMPLATE)
                    .with("main", "cpu=" + cpus.get(i), "memory=1Gi");
            alignment.ifPresent(value -> pod.annotated(ALIGNMENT, value));
            pods.add(pod.build());
        }
        return pods;
    }
}

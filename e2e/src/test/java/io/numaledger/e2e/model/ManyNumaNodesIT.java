package io.numaledger.e2e.model;

import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.SimCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Real kubelets with {@code max-allowable-numa-nodes} on machines of 11 and 34 NUMA nodes decide as the model does, which lists no
 * masks there.
 */
class ManyNumaNodesIT {

    private static final int PODS_PER_NODE = 40;
    private static final int MAY_HANG_ON_CHANCE = 8;

    private static final String ELEVEN = """
              numaNodes:
              - {id: 0, socket: 0, cores: 8, memory: 12Gi}
              - {id: 1, socket: 1, cores: 8, memory: 12Gi}
              - {id: 2, socket: 0, cores: 0, memory: 4Gi}
              - {id: 3, socket: 0, cores: 0, memory: 4Gi}
              - {id: 4, socket: 1, cores: 0, memory: 4Gi}
              - {id: 5, socket: 1, cores: 0, memory: 4Gi}
              - {id: 6, socket: 0, cores: 0, memory: "0"}
              - {id: 7, socket: 0, cores: 0, memory: "0"}
              - {id: 8, socket: 1, cores: 0, memory: "0"}
              - {id: 9, socket: 1, cores: 0, memory: "0"}
              - {id: 10, socket: 1, cores: 0, memory: "0"}
              devices:
              - {resource: example.com/gpu, count: 3, numaNodes: [0]}
              - {resource: example.com/gpu, count: 3, numaNodes: [1]}
            """;

    private static SimCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RealKubernetes.cluster("nodes:\n"
                + eleven("best-effort-pod", "topologyManagerPolicy: best-effort, topologyManagerScope: pod", "")
                + eleven("restricted-container", "topologyManagerPolicy: restricted", "")
                + eleven("closest", "topologyManagerPolicy: best-effort", ", prefer-closest-numa-nodes: \"true\"")
                + thirtyFour());
    }

    private static String eleven(String name, String policy, String options) {
        return "- name: %s\n  kubelet: {%s, topologyManagerPolicyOptions: {max-allowable-numa-nodes: \"11\"%s}}\n"
                        .formatted(name, policy, options)
                + ELEVEN;
    }

    /** With the Memory Manager on, this kubelet would list 2³⁴ masks. */
    private static String thirtyFour() {
        StringBuilder yaml = new StringBuilder("""
                - name: thirty-four
                  kubelet:
                    topologyManagerPolicy: restricted
                    topologyManagerPolicyOptions: {max-allowable-numa-nodes: "34"}
                    memoryManagerPolicy: None
                  devices:
                  - {resource: example.com/gpu, count: 3, numaNodes: [0]}
                  - {resource: example.com/gpu, count: 3, numaNodes: [1]}
                  numaNodes:
                  - {id: 0, socket: 0, cores: 8, memory: 12Gi}
                  - {id: 1, socket: 1, cores: 8, memory: 12Gi}
                """);
        for (int id = 2; id < 34; id++) {
            yaml.append("  - {id: %d, socket: %d, cores: 0, memory: \"0\"}\n".formatted(id, (id - 2) / 16));
        }
        return yaml.toString();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"best-effort-pod", "restricted-container", "closest", "thirty-four"})
    void theKubeletDecidesAsPredicted(String node) throws Exception {
        LiveReport report;
        try (LiveNode live = new LiveNode(cluster.node(node), cluster.client(), 1)) {
            report = live.run(PODS_PER_NODE);
        }

        System.out.println("measured: " + report);
        assertThat(report.differences()).isEmpty();
        assertThat(report.simulatedDifferences()).isEmpty();
        assertThat(report.compared()).isGreaterThanOrEqualTo(PODS_PER_NODE - MAY_HANG_ON_CHANCE);
    }
}

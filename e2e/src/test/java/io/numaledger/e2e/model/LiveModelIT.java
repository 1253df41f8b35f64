package io.numaledger.e2e.model;

import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Real kubelets of every Topology Manager policy and scope decide on seeded pods, one by one: the model, and the simulated
 * kubelet that decides with it, have said the same before. All nodes go at once, each with one pod at a time.
 */
class LiveModelIT {

    private static final int PODS_PER_NODE = 43;
    private static final int MAY_HANG_ON_CHANCE = 8;

    private static final SortedMap<String, Future<LiveReport>> RUNS = new TreeMap<>();
    private static ExecutorService threads;
    private static SimCluster cluster;

    @BeforeAll
    static void start() {
        long begin = System.nanoTime();
        cluster = RealKubernetes.cluster("""
                nodes:
                - name: none
                  kubelet: {topologyManagerPolicy: none}
                  numaNodes:
                  - {id: 0, cores: 6, threadsPerCore: 2, memory: 12Gi, hugepages: {2Mi: 512}}
                  - {id: 1, cores: 6, threadsPerCore: 2, memory: 12Gi, hugepages: {2Mi: 512}}
                  devices:
                  - {resource: example.com/gpu, count: 8, numaNodes: [0]}
                  - {resource: example.com/nic, count: 6, numaNodes: [0, 1]}
                - name: best-effort-container
                  kubelet: {topologyManagerPolicy: best-effort, topologyManagerScope: container}
                  numaNodes:
                  - {id: 0, socket: 0, cores: 6, memory: 8Gi, hugepages: {2Mi: 256}}
                  - {id: 1, socket: 0, cores: 6, memory: 8Gi, hugepages: {2Mi: 256}}
                  - {id: 2, socket: 1, cores: 6, memory: 8Gi, hugepages: {2Mi: 256}}
                  - {id: 3, socket: 1, cores: 6, memory: 8Gi, hugepages: {2Mi: 256}}
                  devices:
                  - {resource: example.com/gpu, count: 4, numaNodes: [0], preferredAllocation: true}
                  - {resource: example.com/gpu, count: 4, numaNodes: [2]}
                  - {resource: example.com/nic, count: 6, numaNodes: [1]}
                - name: best-effort-pod
                  kubelet:
                    topologyManagerPolicy: best-effort
                    topologyManagerScope: pod
                    topologyManagerPolicyOptions: {prefer-closest-numa-nodes: "true"}
                  numaNodes:
                  - {id: 0, cores: 6, threadsPerCore: 2, memory: 12Gi, hugepages: {2Mi: 512}}
                  - {id: 1, cores: 6, threadsPerCore: 2, memory: 12Gi, hugepages: {2Mi: 512}}
                  devices:
                  - {resource: example.com/gpu, count: 4, numaNodes: [0]}
                  - {resource: example.com/gpu, count: 4, numaNodes: [1]}
                  - {resource: example.com/key, count: 6, numaNodes: []}
                - name: restricted-container
                  kubelet:
                    topologyManagerPolicy: restricted
                    topologyManagerScope: container
                    cpuManagerPolicyOptions: {distribute-cpus-across-numa: "true"}
                  numaNodes:
                  - {id: 0, socket: 0, cores: 6, memory: 8Gi, hugepages: {2Mi: 256}}
                  - {id: 1, socket: 0, cores: 6, memory: 8Gi, hugepages: {2Mi: 256}}
                  - {id: 2, socket: 1, cores: 6, memory: 8Gi, hugepages: {2Mi: 256}}
                  - {id: 3, socket: 1, cores: 6, memory: 8Gi, hugepages: {2Mi: 256}}
                  devices:
                  - {resource: example.com/gpu, count: 4, numaNodes: [1]}
                  - {resource: example.com/gpu, count: 4, numaNodes: [3]}
                  - {resource: example.com/nic, count: 6, numaNodes: [0, 1]}
                - name: restricted-pod
                  kubeletVersion: "%s"
                  kubelet: {topologyManagerPolicy: restricted, topologyManagerScope: pod}
                  numaNodes:
                  - {id: 0, cores: 6, threadsPerCore: 2, memory: 12Gi, hugepages: {2Mi: 512}}
                  - {id: 1, cores: 6, threadsPerCore: 2, memory: 12Gi, hugepages: {2Mi: 512}}
                  devices:
                  - {resource: example.com/gpu, count: 4, numaNodes: [0]}
                  - {resource: example.com/gpu, count: 4, numaNodes: [1]}
                  - {resource: example.com/nic, count: 6, numaNodes: [1]}
                - name: single-numa-node-container
                  kubelet:
                    topologyManagerPolicy: single-numa-node
                    topologyManagerScope: container
                    cpuManagerPolicyOptions: {full-pcpus-only: "true"}
                  numaNodes:
                  - {id: 0, cores: 8, threadsPerCore: 2, memory: 12Gi, hugepages: {2Mi: 512}}
                  - {id: 1, cores: 8, threadsPerCore: 2, memory: 12Gi, hugepages: {2Mi: 512}}
                  devices:
                  - {resource: example.com/gpu, count: 4, numaNodes: [0]}
                  - {resource: example.com/gpu, count: 4, numaNodes: [1]}
                  - {resource: example.com/nic, count: 6, numaNodes: [0, 1]}
                - name: single-numa-node-pod
                  kubelet: {topologyManagerPolicy: single-numa-node, topologyManagerScope: pod}
                  numaNodes:
                  - {id: 0, cores: 6, threadsPerCore: 2, memory: 12Gi, hugepages: {2Mi: 512}}
                  - {id: 2, cores: 6, threadsPerCore: 2, memory: 12Gi, hugepages: {2Mi: 512}}
                  devices:
                  - {resource: example.com/gpu, count: 4, numaNodes: [0]}
                  - {resource: example.com/gpu, count: 4, numaNodes: [2]}
                  - {resource: example.com/key, count: 6, numaNodes: []}
                """.formatted(RealKubernetes.otherKubelet()));
        System.out.printf("measured: 7-node cluster up in %d ms%n", (System.nanoTime() - begin) / 1_000_000);
        threads = Executors.newFixedThreadPool(cluster.nodes().size());
        long seed = 1;
        for (SimNode node : cluster.nodes()) {
            long own = seed++;
            RUNS.put(node.name(), threads.submit(() -> run(node, own)));
        }
    }

    private static LiveReport run(SimNode node, long seed) throws Exception {
        try (LiveNode live = new LiveNode(node, cluster.client(), seed)) {
            return live.run(PODS_PER_NODE);
        }
    }

    @AfterAll
    static void stop() {
        if (threads != null) {
            threads.shutdownNow();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "none",
                "best-effort-container",
                "best-effort-pod",
                "restricted-container",
                "restricted-pod",
                "single-numa-node-container",
                "single-numa-node-pod"
            })
    void theKubeletDecidesAsPredicted(String node) throws Exception {
        LiveReport report = RUNS.get(node).get();

        System.out.println("measured: " + report);
        assertThat(report.differences()).isEmpty();
        assertThat(report.simulatedDifferences()).isEmpty();
        assertThat(report.simulated()).isPositive();
        assertThat(report.compared()).isGreaterThanOrEqualTo(PODS_PER_NODE - MAY_HANG_ON_CHANCE);
    }
}

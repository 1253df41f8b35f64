package io.numaledger.e2e;

import io.numaledger.simulator.cluster.SimCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import java.nio.file.Path;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Minutes of seeded churn with faults, on two real kubelets with an agent each: {@code -Dnumaledger.soak=10} runs ten of them, and
 * {@code -Dnumaledger.soak.seed} others. With {@code NUMALEDGER_ROOTFS} the agents run from that root file system, as in their pods.
 */
@EnabledIfSystemProperty(named = SoakIT.PROPERTY, matches = "[1-9]\\d*", disabledReason = "takes minutes")
class SoakIT {

    static final String PROPERTY = "numaledger.soak";

    private static final String NODES = """
            nodes:
            - name: new
              kubelet: {topologyManagerPolicy: best-effort}
              numaNodes:
              - {id: 0, cores: 40, threadsPerCore: 2, memory: 48Gi, hugepages: {2Mi: 3072}}
              - {id: 1, cores: 40, threadsPerCore: 2, memory: 48Gi, hugepages: {2Mi: 3072}}
              devices:
              - {resource: example.com/gpu, count: 16, numaNodes: [0], preferredAllocation: true}
              - {resource: example.com/gpu, count: 16, numaNodes: [1]}
              - {resource: example.com/nic, count: 32, numaNodes: [0, 1]}
              - {resource: example.com/key, count: 32, numaNodes: []}
            - name: old
              kubeletVersion: "1.33"
              kubelet: {topologyManagerPolicy: restricted, topologyManagerScope: pod}
              numaNodes:
              - {id: 0, socket: 0, cores: 40, memory: 24Gi, hugepages: {2Mi: 1536}}
              - {id: 2, socket: 0, cores: 40, memory: 24Gi, hugepages: {2Mi: 1536}}
              - {id: 3, socket: 1, cores: 40, memory: 24Gi, hugepages: {2Mi: 1536}}
              - {id: 5, socket: 1, cores: 40, memory: 24Gi, hugepages: {2Mi: 1536}}
              devices:
              - {resource: example.com/gpu, count: 16, numaNodes: [0]}
              - {resource: example.com/gpu, count: 16, numaNodes: [3]}
            """;

    /** What one median may lie above the other by: code that was compiled late, for which there are 24 MiB at most. */
    private static final long GROWTH_KIB = 3072;

    private static final long LIVE_HEAP_GROWTH_KIB = 512;

    private final int minutes = Integer.getInteger(PROPERTY, 1);

    @Test
    void publishesWhatTheKubeletsSayAndDoesNotGrow() throws Exception {
        Optional<Path> root =
                Optional.ofNullable(System.getenv("NUMALEDGER_ROOTFS")).map(Path::of);
        try (SimCluster cluster = RealKubernetes.cluster(NODES);
                Soak soak = Soak.start(cluster, root, Long.getLong(PROPERTY + ".seed", 1))) {
            for (int minute = 1; minute <= minutes; minute++) {
                soak.runAMinute();
            }
            soak.nodes().forEach(node -> System.out.println(node.happened()));
            soak.nodes().forEach(SoakIT::assertItWasDisturbed);
            soak.nodes().forEach(this::assertItDidNotGrow);
        }
    }

    /** Else the faults missed it. */
    private static void assertItWasDisturbed(SoakedNode node) {
        SoakedAgent agent = node.agent();
        assertThat(agent.sum("numaledger_agent_drift_repaired_total", "kind=\"pod\""))
                .isPositive();
        assertThat(agent.sum("numaledger_agent_drift_repaired_total", "kind=\"nrt\""))
                .isPositive();
        assertThat(agent.sum("numaledger_agent_kubelet_call_failures_total")).isPositive();
        assertThat(agent.sum("numaledger_agent_api_requests_total", "result=\"unreachable\""))
                .isPositive();
    }

    private void assertItDidNotGrow(SoakedNode node) {
        SoakReport report = node.report();
        System.out.println(report.summary());
        if (minutes < SoakReport.WARM_UP + 4) {
            return;
        }
        assertThat(report.residentGrowthKiB()).as(report.summary()).isLessThanOrEqualTo(GROWTH_KIB);
        assertThat(report.liveHeapGrowthKiB()).as(report.summary()).isLessThanOrEqualTo(LIVE_HEAP_GROWTH_KIB);
        assertThat(report.threadGrowth()).as(report.summary()).isLessThanOrEqualTo(2);
        assertThat(report.fileGrowth()).as(report.summary()).isLessThanOrEqualTo(4);
    }
}

package io.numaledger.benchmarks.trace;

import io.numaledger.benchmarks.node.ModelNode;
import io.numaledger.benchmarks.node.NodeType;
import io.numaledger.evaluation.score.Strategy;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.kubelet.config.TopologyPolicyName;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One node with two zones of 9 CPUs and 2 GPUs; one CPU is reserved. The pods x and y leave one GPU in each zone, and z needs two: they are
 * free on the node, but not in a zone.
 */
class TraceRunTest {

    private static final long GIB = 1L << 30;

    private final ResourceIndex index = new ResourceIndex();
    private final ModelNode node = new ModelNode(
            NodeType.of(new Trace.Node(18, 64 * GIB, 4).spec("only", TopologyPolicyName.SINGLE_NUMA_NODE), index));

    private TraceReport run(NodeChoice choice, OptionalLong xRuns) {
        return new TraceRun(
                        List.of(node),
                        choice,
                        List.of(
                                pod("x", 6, 1, 0, xRuns),
                                pod("y", 6, 1, 0, OptionalLong.empty()),
                                pod("z", 2, 2, 1, OptionalLong.empty())))
                .run();
    }

    private TracePod pod(String name, int cpus, int gpus, long arrivesAt, OptionalLong runs) {
        return TracePod.of(new Trace.Pod(name, cpus, GIB, gpus, 0, 0), index, arrivesAt, runs);
    }

    @Test
    void withTheBridgeAPodWaitsUntilAZoneIsFree() {
        TraceReport report = run(NodeChoice.bridge(Strategy.LeastAllocated), OptionalLong.of(15));

        assertThat(report).isEqualTo(new TraceReport(List.of(0L, 0L, 14L), 0, 0, 0, new TraceReport.Gpus(4, 2, 2, 2)));
    }

    /** It is tried after 10 and after 20 seconds more. */
    @Test
    void byNodeLevelRequestsAPodIsRefusedAndCreatedAgain() {
        TraceReport report = run(NodeChoice.nodeLevel(false), OptionalLong.of(15));

        assertThat(report).isEqualTo(new TraceReport(List.of(0L, 0L, 30L), 1, 2, 0, new TraceReport.Gpus(4, 2, 2, 2)));
    }

    @Test
    void aPodThatIsRefusedAgainAndAgainIsGivenUp() {
        TraceReport report = run(NodeChoice.nodeLevel(true), OptionalLong.empty());

        assertThat(report.waits()).containsExactly(0L, 0L);
        assertThat(report.refusals()).isEqualTo(7);
        assertThat(report.givenUp()).isEqualTo(1);
    }
}

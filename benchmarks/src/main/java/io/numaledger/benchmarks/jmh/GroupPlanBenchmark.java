package io.numaledger.benchmarks.jmh;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.numaledger.benchmarks.fleet.GeneratedCluster;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.gated.GatedGroups;
import io.numaledger.scheduling.gated.GroupWriter;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.group.TopologyPlace;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.simulator.fleet.FleetMix;
import io.numaledger.simulator.fleet.FleetNode;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Plans a gated group in a block of racks, preferably in one rack, and keeps its nodes; nothing is written. Racks have 20 nodes, blocks 10
 * racks, and a zone 5 blocks. Each node has 10 pods.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 4)
@Measurement(iterations = 5, time = 4)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xmx3g", "-XX:+UseSerialGC"})
public class GroupPlanBenchmark {

    private static final int PODS_PER_NODE = 10;
    private static final int NODES_PER_RACK = 20;
    private static final int NODES_PER_BLOCK = 200;
    private static final int NODES_PER_ZONE = 1000;

    /** Pods and nodes. */
    @Param({"16/500", "256/5000"})
    private String size = "";

    /** Whether pods of this size were planned before: then the numbers of them that nodes take are known. */
    @Param({"true", "false"})
    private boolean known;

    private final GeneratedCluster generated = new GeneratedCluster();
    private final ClusterState cluster = generated.state();
    private int pods;
    private int round;
    private int released;
    private final GatedGroups groups = new GatedGroups(
            cluster,
            new PodGroups(),
            new PlanReservations(cluster),
            new Forgetting(),
            new GroupListener() {},
            InstantSource.system(),
            GatedGroups.Settings.of(Set.of("default-scheduler")),
            Optional.empty());

    /** The next check plans the group anew. */
    private final class Forgetting implements GroupWriter {

        @Override
        public void release(PodFacts pod, String node, Optional<TopologyPlace> place) {
            released++;
            cluster.reserved().removePlanned(node, pod);
        }

        @Override
        public void evict(PodFacts pod) {}

        @Override
        public void preempt(PodFacts victim) {}
    }

    @Setup
    public void fill() throws IOException {
        pods = Integer.parseInt(size.split("/")[0]);
        List<FleetNode> fleet = FleetMix.PLAIN.nodes(Integer.parseInt(size.split("/")[1]), PODS_PER_NODE);
        for (int i = 0; i < fleet.size(); i++) {
            generated.add(
                    fleet.get(i),
                    Map.of(
                            "example.com/zone", "zone-" + i / NODES_PER_ZONE,
                            "example.com/block", "block-" + i / NODES_PER_BLOCK,
                            "example.com/rack", "rack-" + i / NODES_PER_RACK));
        }
        cluster.warmUp();
        create();
    }

    @Setup(Level.Invocation)
    public void next() throws JsonProcessingException {
        if (!known) {
            create();
        }
        released = 0;
    }

    /** Each round, the pods request one byte more. */
    private void create() throws JsonProcessingException {
        round++;
        for (int i = 0; i < pods; i++) {
            cluster.podChanged(generated.pod("""
                    {"apiVersion": "v1", "kind": "Pod",
                     "metadata": {"name": "group-%1$d", "namespace": "default", "uid": "uid-%1$d",
                       "creationTimestamp": "2026-01-01T00:00:00Z",
                       "labels": {"numaledger.io/pod-group": "group", "batch.kubernetes.io/job-completion-index": "%1$d"},
                       "annotations": {"numaledger.io/min-member": "%2$d",
                         "numaledger.io/topology-levels": "example.com/zone,example.com/block,example.com/rack",
                         "numaledger.io/topology-required": "example.com/block",
                         "numaledger.io/topology-preferred": "example.com/rack"}},
                     "spec": {"schedulingGates": [{"name": "numaledger.io/group"}],
                       "containers": [{"name": "c", "image": "example.com/train",
                         "resources": {"limits": {"cpu": "4", "memory": "%3$d", "nvidia.com/gpu": "1"}}}]},
                     "status": {"phase": "Pending", "qosClass": "Guaranteed"}}
                    """.formatted(i, pods, (8L << 30) + round)));
        }
    }

    @Benchmark
    public int plan() {
        groups.check();
        if (released != pods) {
            throw new IllegalStateException("the group does not fit: released=%d pods=%d".formatted(released, pods));
        }
        return released;
    }
}

package io.numaledger.benchmarks.jmh;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.numaledger.benchmarks.fleet.GeneratedCluster;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.PossibleSnapshots;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import static java.util.Objects.requireNonNull;

/**
 * Applies one pod event to the cluster state, and builds the node's snapshot, which is otherwise done when the node is next evaluated.
 * Pods come and go on nodes with 10 to 20 pods; each is observed at once.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xmx1g", "-XX:+UseSerialGC", "-XX:CompileThresholdScaling=4"})
public class PodEventBenchmark {

    private static final int NODES = 200;
    private static final int FEWEST_PODS = 10;
    private static final int MOST_PODS = 20;

    /** Whether pods are added or deleted. */
    @Param({"added", "deleted"})
    private String event = "";

    private final Random random = new Random(1);
    private final List<FleetNode> fleet = FleetMix.PLAIN.nodes(NODES, FEWEST_PODS);
    private final GeneratedCluster generated = new GeneratedCluster();
    private final ClusterState cluster = generated.state();
    private Optional<PodFacts> pod = Optional.empty();

    @Setup
    public void fill() throws IOException {
        for (FleetNode node : fleet) {
            generated.add(node, Map.of());
        }
        cluster.warmUp();
    }

    /** Applies the other kind of events as well, so that the numbers of pods stay the same. */
    @Setup(Level.Invocation)
    public void next() throws JsonProcessingException {
        FleetNode node = fleet.get(random.nextInt(NODES));
        boolean adds = event.equals("added");
        if (adds && node.pods().size() >= MOST_PODS) {
            while (node.pods().size() > FEWEST_PODS) {
                cluster.podDeleted(generated.running(node.remove()));
            }
        } else if (!adds && node.pods().size() <= FEWEST_PODS) {
            while (node.pods().size() < MOST_PODS) {
                cluster.podChanged(generated.running(node.add()));
            }
        }
        requireNonNull(snapshot(node.name()));
        pod = Optional.of(generated.running(adds ? node.add() : node.remove()));
    }

    private PossibleSnapshots snapshot(String node) {
        return cluster.snapshots(node).orElseThrow();
    }

    @Benchmark
    public PossibleSnapshots update() {
        PodFacts changed = pod.orElseThrow();
        if (event.equals("added")) {
            cluster.podChanged(changed);
        } else {
            cluster.podDeleted(changed);
        }
        return snapshot(changed.node().orElseThrow());
    }
}

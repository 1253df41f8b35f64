package io.numaledger.benchmarks.soak;

import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.oracle.PublishedComparison;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import static org.awaitility.Awaitility.await;

/**
 * Minutes of churn and faults on the nodes of a cluster. Each minute ends with all faults repaired, with a wait until what is
 * published equals the kubelets' state files, and with a line of figures for each node.
 */
final class SoakRun implements AutoCloseable {

    private static final Duration CHURN = Duration.ofSeconds(48);
    private static final Duration BETWEEN_STEPS = Duration.ofMillis(250);

    /** A pod that a restarted kubelet does not take back keeps its annotation for a minute. */
    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    private static final String HEAD =
            "minute equal ms  node steps  RSS MiB  live KiB threads files  CPU ms | recorded, repaired pods and NRTs | failed calls: kubelet, API";

    private final PublishedComparison published;
    private final List<SoakNode> nodes;
    private final PrintWriter out;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private int minute;

    private SoakRun(PublishedComparison published, List<SoakNode> nodes, PrintWriter out) {
        this.published = published;
        this.nodes = nodes;
        this.out = out;
    }

    static SoakRun start(SimCluster cluster, Optional<Path> root, long seed, PrintWriter out) throws IOException {
        List<SoakNode> nodes = new ArrayList<>();
        for (SimNode node : cluster.nodes()) {
            nodes.add(SoakNode.start(cluster, node, root, seed));
        }
        out.printf(
                "soak: seed=%d agents=%s%n%s%n", seed, root.map(Path::toString).orElse("this build's classes"), HEAD);
        return new SoakRun(new PublishedComparison(cluster), nodes, out);
    }

    List<SoakNode> nodes() {
        return nodes;
    }

    void runAMinute() throws InterruptedException, ExecutionException {
        minute++;
        ScheduledFuture<?> churn = timer.scheduleWithFixedDelay(
                () -> nodes.forEach(SoakNode::step), 0, BETWEEN_STEPS.toMillis(), TimeUnit.MILLISECONDS);
        try {
            churn.get(CHURN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException over) {
            churn.cancel(false);
        }
        timer.submit(() -> nodes.forEach(SoakNode::repair)).get();
        long repaired = System.nanoTime();
        awaitEquality();
        long equal = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - repaired);
        for (SoakNode node : nodes) {
            out.printf("%6d %8d  %s%n", minute, equal, node.recordMinute());
        }
    }

    private void awaitEquality() {
        Set<String> unhealthy = new HashSet<>();
        nodes.forEach(node -> unhealthy.addAll(node.unhealthy()));
        published.expectUnhealthy(unhealthy);
        await("what is published equals the state files, minute %d".formatted(minute))
                .atMost(TIMEOUT)
                .until(
                        () -> {
                            nodes.forEach(SoakNode::requireAlive);
                            return published.differences();
                        },
                        List::isEmpty);
    }

    @Override
    public void close() {
        timer.shutdownNow();
        nodes.forEach(SoakNode::close);
    }
}

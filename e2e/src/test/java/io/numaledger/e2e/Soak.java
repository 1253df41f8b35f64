package io.numaledger.e2e;

import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Minutes of churn and faults on the nodes of a cluster. Each minute ends with what is broken mended, what is published equal to
 * the kubelets' state files, and a line of figures.
 */
final class Soak implements AutoCloseable {

    private static final Duration CHURN = Duration.ofSeconds(48);
    private static final Duration BETWEEN_STEPS = Duration.ofMillis(250);

    /** A pod that a restarted kubelet does not take back keeps its record for a minute. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final PublishedComparison published;
    private final List<SoakedNode> nodes;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private int minute;

    private Soak(PublishedComparison published, List<SoakedNode> nodes) {
        this.published = published;
        this.nodes = nodes;
    }

    static Soak start(SimCluster cluster, Optional<Path> root, long seed) throws IOException {
        List<SoakedNode> nodes = new ArrayList<>();
        for (SimNode node : cluster.nodes()) {
            nodes.add(SoakedNode.start(cluster, node, root, seed));
        }
        System.out.printf(
                "soak: seed=%d agents=%s%n", seed, root.map(Path::toString).orElse("this build's classes"));
        return new Soak(new PublishedComparison(cluster), nodes);
    }

    List<SoakedNode> nodes() {
        return nodes;
    }

    void runAMinute() throws Exception {
        minute++;
        ScheduledFuture<?> churn = timer.scheduleWithFixedDelay(
                () -> nodes.forEach(SoakedNode::step), 0, BETWEEN_STEPS.toMillis(), TimeUnit.MILLISECONDS);
        try {
            churn.get(CHURN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException over) {
            churn.cancel(false);
        }
        timer.submit(() -> nodes.forEach(SoakedNode::mend)).get();
        long mended = System.nanoTime();
        awaitEquality();
        long equal = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - mended);
        for (SoakedNode node : nodes) {
            System.out.printf("%6d %8d  %s%n", minute, equal, node.lineOfThisMinute());
        }
    }

    private void awaitEquality() {
        Set<String> unhealthy = new HashSet<>();
        nodes.forEach(node -> unhealthy.addAll(node.unhealthy()));
        published.expectUnhealthy(unhealthy);
        await("what is published equals the state files, minute %d".formatted(minute))
                .atMost(PATIENCE)
                .untilAsserted(() -> {
                    nodes.forEach(SoakedNode::requireAlive);
                    assertThat(published.differences()).isEmpty();
                });
    }

    @Override
    public void close() {
        timer.shutdownNow();
        nodes.forEach(SoakedNode::close);
    }
}

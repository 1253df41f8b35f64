package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A gated group of large pods beside a stream of small ones that wants twice the cluster. Each of the four nodes has a zone of 7 CPUs and one of
 * 8: a pod of 7 fits each, if no pod of 4 runs there.
 */
class GroupStarvationIT {

    private static final Duration LIFETIME = Duration.ofSeconds(15);
    private static final int GAP_MS = 625;

    /** More would only wait. */
    private static final int MOST_PENDING = 15;

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.shared(GroupNodes.GROUPS);

    private final ClusterPods pods = nodes.pods();
    private final ScheduledExecutorService stream = Executors.newSingleThreadScheduledExecutor();
    private final AtomicInteger created = new AtomicInteger();

    @AfterEach
    void endTheStream() throws InterruptedException {
        stream.shutdown();
        assertThat(stream.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }

    private void next() {
        List<Pod> small = pods.all().stream()
                .filter(pod -> pod.getMetadata().getName().startsWith("small-")
                        && pod.getMetadata().getDeletionTimestamp() == null)
                .toList();
        Instant over = Instant.now().minus(LIFETIME);
        small.stream()
                .filter(pod -> pod.getStatus().getStartTime() != null
                        && !Instant.parse(pod.getStatus().getStartTime()).isAfter(over))
                .forEach(pod -> pods.delete(pod.getMetadata().getName()));
        if (small.stream().filter(pod -> pod.getSpec().getNodeName() == null).count() < MOST_PENDING) {
            nodes.create(SimplePod.named("small-" + created.getAndIncrement()), 4);
        }
    }

    @Test
    void aGroupOfSixRunsThoughSmallerPodsComeWithoutEnd() {
        var unused = stream.scheduleAtFixedRate(this::next, 0, GAP_MS, TimeUnit.MILLISECONDS);
        await("the cluster is full").atMost(BridgedNodes.TIMEOUT).until(() -> nodes.running("small-") >= 11);

        long begun = System.nanoTime();
        int before = created.get();
        IntStream.range(0, 6)
                .forEach(i -> nodes.create(SimplePod.named("group-" + i).ofGatedGroup("group", 6), 7));
        await("the group runs").atMost(BridgedNodes.TIMEOUT).until(() -> nodes.running("group-") == 6);

        System.out.printf(
                "a group of 6 pods of 7 CPUs ran after %.1f s, beside %d newer pods%n",
                (System.nanoTime() - begun) / 1e9, created.get() - before);
        nodes.assertNobodyRefused();
    }
}

package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.numaledger.annotation.Annotations;
import io.numaledger.bridge.extender.ZoneRefusals;
import io.numaledger.e2e.bridge.BareCluster.Scheduler;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * kube-scheduler looks at 100 of 170 nodes. 3 CPUs are free on 150 of them, and no zone has 3. The others are full: which of them
 * kube-scheduler comes across differs from attempt to attempt.
 */
class SampledNodesIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final Duration QUIET = Duration.ofSeconds(20);
    private static final String GROUP = "zones";
    private static final String FITS = "fits";
    private static final String FITS_WITHOUT_PORT = "fits-without-port";
    private static final int SCATTERED = 150;
    private static final int FULL = 20;
    private static final int ATTEMPTS = 3;

    @TempDir
    private static Path directory;

    private static BareCluster cluster;
    private static Scheduler scheduler;

    @BeforeAll
    static void start() throws IOException {
        RealKubernetes.binaries();
        cluster = new BareCluster(directory);
        cluster.createPriority("higher", 1_000);
        cluster.createPriority("equal", 100);
        IntStream.range(0, SCATTERED).forEach(i -> {
            createNode("scattered-" + i);
            fill("scattered-" + i, "a", 2, "1-2");
            fill("scattered-" + i, "b", 2, "4-5");
        });
        IntStream.range(0, FULL).forEach(i -> {
            createNode("full-" + i);
            fill("full-" + i, "a", 3, "1-3");
            fill("full-" + i, "b", 3, "4-6");
        });
        scheduler = cluster.startScheduler("numaledger", ZoneRefusals.unresolvable);
    }

    @AfterAll
    static void stop() {
        if (scheduler != null) {
            scheduler.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    private static void createNode(String name) {
        cluster.createNode(GROUP, name);
        cluster.publishZones(name);
    }

    private static void fill(String node, String name, int count, String cpus) {
        cluster.createPod(
                SimplePod.named(node + "-" + name).on(node).with("c", "cpu=" + count, "memory=1Gi"),
                GROUP,
                "equal",
                Map.of(Annotations.OBSERVED, "{\"containers\":[{\"name\":\"c\",\"cpus\":\"%s\"}]}".formatted(cpus)));
    }

    private static SimplePod of3Cpus(String name) {
        return SimplePod.named(name).scheduledBy(scheduler.name()).with("c", "cpu=3", "memory=64Mi");
    }

    private static List<String> create(String prefix, int count, String priority) {
        List<String> names =
                IntStream.range(0, count).mapToObj(i -> prefix + "-" + i).toList();
        names.forEach(name -> cluster.createPod(of3Cpus(name), GROUP, priority, Map.of()));
        return names;
    }

    private static Optional<String> node(String pod) {
        return Optional.ofNullable(cluster.pod(pod).getSpec().getNodeName());
    }

    private static List<String> bound(List<String> pods) {
        return pods.stream().flatMap(pod -> node(pod).stream()).toList();
    }

    private static void assertQuiet(List<String> pods, int attempts) {
        await("each pod has been tried")
                .atMost(TIMEOUT)
                .until(() -> scheduler.front().attempts().keySet().containsAll(pods));
        long end = System.nanoTime() + QUIET.toNanos();
        await().atMost(TIMEOUT).until(() -> System.nanoTime() >= end);
        Map<String, Integer> tried = scheduler.front().attempts();
        System.out.printf(
                "attempts in %s: %s%n", QUIET, pods.stream().map(tried::get).toList());
        assertThat(pods).allSatisfy(pod -> assertThat(tried.get(pod)).as(pod).isLessThanOrEqualTo(attempts));
    }

    @Test
    void triesPodsThatFitNowhereNoMoreOftenThanWithAllNodes() {
        List<String> equal = create("nowhere", 5, "equal");
        try {
            assertQuiet(equal, ATTEMPTS);
            assertThat(bound(equal)).isEmpty();
        } finally {
            equal.forEach(cluster::deletePod);
        }
    }

    @Test
    void podsRunOnTheOnlyNodeThatFitsAndNobodyIsEvictedForThem() {
        createNode(FITS);
        List<String> pods = create("one-of-many", 2, "higher");
        try {
            await("its two zones are taken")
                    .atMost(TIMEOUT)
                    .untilAsserted(() -> assertThat(bound(pods)).containsExactly(FITS, FITS));
            System.out.printf(
                    "attempts: %s%n",
                    pods.stream().map(scheduler.front().attempts()::get).toList());
            IntStream.range(0, FULL)
                    .forEach(i -> assertThat(cluster.pod("full-" + i + "-a")).isNotNull());
        } finally {
            pods.forEach(cluster::deletePod);
            cluster.deleteNode(FITS);
        }
    }

    @Test
    void aPodRunsWhereRoomAppears() {
        List<String> pods = create("waits", 1, "equal");
        try {
            assertQuiet(pods, ATTEMPTS);
            cluster.deletePod("scattered-77-b");
            await("the pod runs there")
                    .atMost(TIMEOUT)
                    .untilAsserted(() -> assertThat(bound(pods)).containsExactly("scattered-77"));
        } finally {
            pods.forEach(cluster::deletePod);
            fill("scattered-77", "b", 2, "4-5");
        }
    }

    @Test
    void aPodWhoseHostPortIsTakenOnTheNodeThatFitsIsNotNominatedForIt() {
        createNode(FITS_WITHOUT_PORT);
        Pod port = withPort(SimplePod.named("port").on(FITS_WITHOUT_PORT).burstable("c", "cpu=1m"));
        cluster.createPod(port, GROUP, "equal", Map.of());
        List<String> pods = List.of("needs-port");
        try {
            cluster.createPod(withPort(of3Cpus("needs-port")), GROUP, "equal", Map.of());
            assertQuiet(pods, ATTEMPTS);
            assertThat(bound(pods)).isEmpty();
        } finally {
            pods.forEach(cluster::deletePod);
            cluster.deletePod("port");
            cluster.deleteNode(FITS_WITHOUT_PORT);
        }
    }

    private static Pod withPort(SimplePod pod) {
        return new PodBuilder(pod.build())
                .editSpec()
                .editFirstContainer()
                .addNewPort()
                .withContainerPort(8080)
                .withHostPort(8080)
                .endPort()
                .endContainer()
                .endSpec()
                .build();
    }
}

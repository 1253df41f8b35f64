package io.numaledger.benchmarks.fleet;

import io.numaledger.benchmarks.figures.Output;
import io.numaledger.bridge.extender.FilterVerb;
import io.numaledger.evaluation.claim.ClaimConstraint;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceAttribute;
import io.numaledger.evaluation.claim.DeviceClass;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.DeviceRequest;
import io.numaledger.evaluation.claim.DeviceRequest.AllocationMode;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.claim.ResourceSlice;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.queue.PendingPodQueue;
import io.numaledger.scheduling.state.ClusterState;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Pods of one tenant that are created before all others and whose claims take long to evaluate: eight devices of one card, half of which are
 * near, and a selector that is not evaluated. A scheduler tries each of them every 10 seconds, beside what is measured.
 */
final class CostlyPods implements AutoCloseable {

    private static final String DRIVER = "vf.example.com";
    private static final int DEVICES = 128;
    private static final int RETRY_SECONDS = 10;

    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicLong nanos = new AtomicLong();

    private CostlyPods() {}

    static CostlyPods start(
            int count, List<String> nodes, GeneratedCluster generated, PendingPodQueue queue, FilterVerb filter)
            throws IOException {
        CostlyPods pods = new CostlyPods();
        if (count == 0) {
            return pods;
        }
        ClusterState cluster = generated.state();
        cluster.claims()
                .classChanged(new DeviceClass(
                        "vf", List.of("device.driver == '%s'".formatted(DRIVER)), Optional.empty(), Optional.empty()));
        nodes.forEach(node ->
                cluster.claims().sliceChanged(new ResourceSlice(node, DRIVER, node, 1, 1, devices(node), List.of())));
        List<byte[]> bodies = new ArrayList<>();
        for (int at = 0; at < count; at++) {
            String name = "costly-" + at;
            cluster.claims().claimChanged(claim(name));
            PodFacts pod = generated.pod(pod(name));
            cluster.podChanged(pod);
            queue.restore(pod);
            bodies.add("{\"Pod\":%s,\"Nodes\":null,\"NodeNames\":[\"%s\"]}"
                    .formatted(pod(name), String.join("\",\"", nodes))
                    .getBytes(StandardCharsets.UTF_8));
        }
        AtomicInteger next = new AtomicInteger();
        pods.every(RETRY_SECONDS * 1_000 / count, () -> pods.call(filter, bodies.get(next.getAndIncrement() % count)));
        pods.every(PendingPodQueue.CHECK_INTERVAL.toMillis(), queue::checkPending);
        return pods;
    }

    private void every(long millis, Runnable task) {
        var unused = threads.scheduleAtFixedRate(task, millis, Math.max(1, millis), TimeUnit.MILLISECONDS);
    }

    private void call(FilterVerb filter, byte[] body) {
        long begun = System.nanoTime();
        try {
            filter.answer(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        nanos.addAndGet(System.nanoTime() - begun);
        calls.incrementAndGet();
    }

    private static List<Device> devices(String node) {
        return IntStream.range(0, DEVICES)
                .mapToObj(at -> {
                    TreeMap<String, DeviceAttribute> attributes = new TreeMap<>(Map.of(
                            DRIVER + "/card",
                            DeviceAttribute.ofInt(at / 8),
                            NumaNodes.STANDARD,
                            DeviceAttribute.ofInt(at % 2)));
                    return new Device(
                            new DeviceId(DRIVER, node, "vf-" + at),
                            Optional.of(node),
                            NumaNodes.of(attributes),
                            attributes,
                            Collections.emptySortedMap(),
                            List.of(),
                            false,
                            false);
                })
                .toList();
    }

    private static ResourceClaim claim(String name) {
        DeviceRequest.Alternative wanted = new DeviceRequest.Alternative(
                "",
                "vf",
                List.of("device.driver.matches('^vf')"),
                AllocationMode.EXACT_COUNT,
                8,
                false,
                List.of(),
                Collections.emptySortedMap());
        return new ResourceClaim(
                "load",
                name,
                name,
                List.of(new DeviceRequest("r", List.of(wanted))),
                List.of(new ClaimConstraint(List.of(), Optional.of(DRIVER + "/card"), Optional.empty())),
                Optional.empty(),
                Collections.emptySortedSet(),
                List.of());
    }

    private static String pod(String name) {
        return """
                {"metadata":{"name":"%1$s","namespace":"load","uid":"uid-%1$s","creationTimestamp":"2025-01-01T00:00:00Z",
                "annotations":{"numaledger.io/claim-alignment":"required"}},"spec":{"containers":[{"name":"c","image":"x","resources":
                {"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"2","memory":"1Gi"}}}],
                "resourceClaims":[{"name":"d","resourceClaimName":"%1$s"}]},"status":{"phase":"Pending"}}
                """.formatted(name);
    }

    void print(Output out) {
        int all = calls.get();
        if (all > 0) {
            out.line("beside: calls=%d mean_ms=%.1f".formatted(all, nanos.get() / 1e6 / all));
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}

package io.numaledger.simulator.fleet;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

class ArrivingPodsTest {

    private static final int PODS = 2_000;

    private final EventLog log = new EventLog();
    private long read = EventLog.FIRST_VERSION;
    private int attemptsBefore;

    /** kube-scheduler writes the condition of an attempt while another one has bound the pod, as two replicas may. */
    @Test
    void aBoundPodIsNeverShownAsWaitingAgain() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (ArrivingPods pods = new ArrivingPods(Map.of())) {
            pods.publishTo(log);
            CyclicBarrier both = new CyclicBarrier(2);
            for (int i = 0; i < PODS; i++) {
                String name = "p" + i;
                pods.create(List.of(new FleetPod(name, "", FleetPod.request(name, new Random(i)), Optional.empty())));
                CompletableFuture<Void> bind = CompletableFuture.runAsync(
                        () -> call(pods, both, "POST", name + "/binding", "{\"target\":{\"name\":\"n\"}}"), threads);
                CompletableFuture<Void> write = CompletableFuture.runAsync(
                        () -> call(pods, both, "PATCH", name + "/status", "{\"status\":{\"conditions\":[]}}"), threads);
                CompletableFuture.allOf(bind, write).get(1, TimeUnit.MINUTES);

                assertThat(lastEvent(pods)).as(name).contains("\"nodeName\":\"n\"");
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void call(ArrivingPods pods, CyclicBarrier both, String method, String path, String body) {
        try {
            both.await();
            pods.answer(method, "/api/v1/namespaces/load/pods/" + path, body.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Created, bound, and perhaps modified before. */
    private String lastEvent(ArrivingPods pods) throws InterruptedException {
        int events = 2 + pods.failedAttempts() - attemptsBefore;
        attemptsBefore = pods.failedAttempts();
        read += events - 1;
        return new String(log.after(read++), StandardCharsets.UTF_8);
    }
}

package io.numaledger.benchmarks.fleet;

import io.numaledger.benchmarks.figures.Percentiles;
import io.numaledger.benchmarks.fleet.GeneratedPods.Kind;
import io.numaledger.benchmarks.process.MeasuredBridge;
import io.numaledger.simulator.fleet.EventLog;
import io.numaledger.simulator.fleet.FleetPod;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Calls filter and prioritize in turn at a fixed rate, without waiting for responses to earlier calls. */
final class ExtenderLoad {

    private static final int CALLERS = 4;
    private static final int KNOWN_REQUESTS = 30;
    private static final Instant FIRST_CREATED = Instant.parse("2026-01-02T00:00:00Z");

    private final List<String> nodes;
    private final double newRequests;
    private final Random random = new Random(7);
    private final GeneratedPods pods = new GeneratedPods("w", random, FIRST_CREATED::plusSeconds);
    private final List<byte[]> known;
    /** The duration of each call, in nanoseconds. */
    private final ConcurrentLinkedQueue<Long> took = new ConcurrentLinkedQueue<>();

    /** One for each caller. */
    private final ThreadLocal<ExtenderConnection> connections;

    private final FleetPod nowhere = pods.next(Kind.AGAIN);

    /** @param newRequests the share of pods whose request the bridge has not seen */
    ExtenderLoad(MeasuredBridge bridge, List<String> nodes, double newRequests) throws IOException {
        URI url = URI.create(bridge.url());
        SSLContext tls = bridge.client();
        this.connections = ThreadLocal.withInitial(() -> new ExtenderConnection(url, tls));
        this.nodes = nodes;
        this.newRequests = newRequests;
        this.known = Stream.generate(() -> body(Kind.NEW)).limit(KNOWN_REQUESTS).toList();
    }

    private byte[] body(Kind kind) {
        return body(pods.next(kind));
    }

    private byte[] body(FleetPod pod) {
        return GeneratedPods.body(pod, nodes);
    }

    private synchronized byte[] next() {
        return random.nextDouble() < newRequests ? body(Kind.NEW) : known.get(random.nextInt(known.size()));
    }

    /** Calls both verbs for every known request, one after the other. */
    void warmUp() throws IOException {
        for (byte[] body : known) {
            call("filter", body);
            call("prioritize", body);
        }
    }

    /**
     * The durations, in nanoseconds, of filter calls made one at a time.
     *
     * @param events where pods that fit nowhere are shown: all but the one that comes again end with this
     */
    Percentiles alone(Kind kind, int calls, EventLog events) throws IOException {
        List<FleetPod> waiting = kind == Kind.NOWHERE
                ? Stream.generate(() -> pods.next(kind)).limit(calls).toList()
                : kind == Kind.AGAIN ? Collections.nCopies(calls, nowhere) : List.of();
        waiting.stream().distinct().forEach(pod -> events.add("ADDED", pod::waiting));
        Percentiles took = alone(kind, calls, waiting);
        waiting.stream().filter(pod -> !pod.equals(nowhere)).forEach(pod -> events.add("DELETED", pod::waiting));
        return took;
    }

    private Percentiles alone(Kind kind, int calls, List<FleetPod> waiting) throws IOException {
        connections.remove(); // the bridge may have closed it meanwhile
        long[] took = new long[calls];
        for (int i = 0; i < calls; i++) {
            byte[] body = kind == Kind.KNOWN
                    ? known.get(i % KNOWN_REQUESTS)
                    : waiting.isEmpty() ? body(kind) : body(waiting.get(i));
            long start = System.nanoTime();
            call("filter", body);
            took[i] = System.nanoTime() - start;
        }
        return Percentiles.of(Arrays.stream(took));
    }

    /** The durations of the calls, in nanoseconds, counted from when they were due. */
    Percentiles run(int callsPerSecond, int seconds) throws InterruptedException {
        int calls = callsPerSecond * seconds;
        long gap = 1_000_000_000L / callsPerSecond;
        long start = System.nanoTime() + gap;
        AtomicInteger turn = new AtomicInteger();
        took.clear();
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            Thread caller = new Thread(() -> call(turn, calls, start, gap), "caller-" + i);
            caller.start();
            callers.add(caller);
        }
        for (Thread caller : callers) {
            caller.join();
        }
        return Percentiles.of(took.stream().mapToLong(Long::longValue));
    }

    private void call(AtomicInteger turn, int calls, long start, long gap) {
        byte[] body = next();
        for (int mine = turn.getAndAdd(2); mine < calls; mine = turn.getAndAdd(2)) {
            for (int i = 0; i < 2; i++) {
                long due = start + (mine + i) * gap;
                while (System.nanoTime() < due) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
                try {
                    call(i == 0 ? "filter" : "prioritize", body);
                } catch (IOException e) {
                    throw new IllegalStateException("the bridge did not answer; see its log", e);
                }
                took.add(System.nanoTime() - due);
            }
            body = next();
        }
    }

    private void call(String verb, byte[] body) throws IOException {
        connections.get().call("/" + verb, body);
    }

    static String text(Percentiles nanos) {
        return "p50_ms=%.2f p90_ms=%.2f ".formatted(nanos.at(50) / 1e6, nanos.at(90) / 1e6)
                + "p99_ms=%.2f p99.9_ms=%.2f ".formatted(nanos.at(99) / 1e6, nanos.at(99.9) / 1e6)
                + "mean_ms=%.2f".formatted(nanos.mean() / 1e6);
    }
}

package io.numaledger.benchmarks.fleet;

import io.numaledger.benchmarks.figures.Percentiles;
import io.numaledger.benchmarks.process.MeasuredBridge;
import io.numaledger.pod.PodRequest;
import io.numaledger.simulator.fleet.EventLog;
import io.numaledger.simulator.fleet.FleetPod;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Calls filter and prioritize in turn at a fixed rate, without waiting for responses to earlier calls. */
final class ExtenderLoad {

    private static final int CALLERS = 4;
    private static final int KNOWN_SHAPES = 30;

    /** Pods that {@link #alone} calls filter for. */
    enum Kind {
        /** One of the known shapes. */
        KNOWN,
        /** A new shape that fits one zone. */
        NEW,
        /** A new shape of 100 CPUs, more than one zone of any node has. */
        SEVERAL_ZONES,
        /** A new shape that no zones can take: one CPU prefers one zone, six GPUs need two. The API shows the pods. */
        NOWHERE,
        /** The same pod again and again, the oldest of all. */
        NOWHERE_AGAIN
    }

    private static final Instant FIRST_CREATED = Instant.parse("2026-01-02T00:00:00Z");
    private static final int MANY_CPUS = 100;
    private static final int TOO_MANY_GPUS = 6;

    private final String names;
    private final double newShapes;
    private final Random random = new Random(7);
    private final List<byte[]> known = new ArrayList<>();
    private final ConcurrentLinkedQueue<Took> took = new ConcurrentLinkedQueue<>();
    /** One for each caller. */
    private final ThreadLocal<ExtenderConnection> connections;

    private final FleetPod nowhere;
    private int made;

    /**
     * One call.
     *
     * @param nanos its duration, counted from when it was due
     * @param first whether it was the first one of its shape
     */
    private record Took(long nanos, boolean first) {}

    /** @param newShapes the share of pods whose shape the bridge has not seen */
    ExtenderLoad(MeasuredBridge bridge, List<String> nodes, double newShapes) throws IOException {
        URI url = URI.create(bridge.url());
        SSLContext tls = bridge.client();
        this.connections = ThreadLocal.withInitial(() -> new ExtenderConnection(url, tls));
        this.names = "[\"" + String.join("\",\"", nodes) + "\"]";
        this.newShapes = newShapes;
        this.nowhere = pod(nowhere());
        for (int i = 0; i < KNOWN_SHAPES; i++) {
            known.add(body());
        }
    }

    private PodRequest nowhere() {
        return FleetPod.request(1, TOO_MANY_GPUS, 0, random);
    }

    private byte[] body() {
        return body(FleetPod.request("load/w", random));
    }

    private byte[] body(PodRequest request) {
        return body(pod(request));
    }

    private FleetPod pod(PodRequest request) {
        String name = "w" + made;
        return new FleetPod(
                name,
                "",
                PodRequest.of("load/" + name, request.containers().get(0)),
                Optional.empty(),
                FIRST_CREATED.plusSeconds(made++));
    }

    private byte[] body(FleetPod pod) {
        return "{\"Pod\":%s,\"Nodes\":null,\"NodeNames\":%s}"
                .formatted(pod.waiting(EventLog.FIRST_VERSION), names)
                .getBytes(StandardCharsets.UTF_8);
    }

    private synchronized byte[] next() {
        return random.nextDouble() < newShapes ? body() : known.get(random.nextInt(known.size()));
    }

    /** Calls both verbs for every known shape, one after the other. */
    void warmUp() throws IOException {
        for (byte[] body : known) {
            call("filter", body);
            call("prioritize", body);
        }
    }

    private byte[] body(Kind kind, int call, List<FleetPod> pods) {
        return switch (kind) {
            case KNOWN -> known.get(call % known.size());
            case NEW -> body();
            case SEVERAL_ZONES -> body(FleetPod.request(MANY_CPUS, 0, 0, random));
            case NOWHERE -> body(pods.get(call));
            case NOWHERE_AGAIN -> body(nowhere);
        };
    }

    /**
     * The durations, in nanoseconds, of filter calls made one at a time.
     *
     * @param events where pods that fit nowhere are shown: all but the one that comes again end with this
     */
    Percentiles alone(Kind kind, int calls, EventLog events) throws IOException {
        List<FleetPod> waiting = kind == Kind.NOWHERE
                ? Stream.generate(() -> pod(nowhere())).limit(calls).toList()
                : kind == Kind.NOWHERE_AGAIN ? List.of(nowhere) : List.of();
        waiting.forEach(pod -> events.add("ADDED", pod::waiting));
        Percentiles took = alone(kind, calls, waiting);
        waiting.stream().filter(pod -> !pod.equals(nowhere)).forEach(pod -> events.add("DELETED", pod::waiting));
        return took;
    }

    private Percentiles alone(Kind kind, int calls, List<FleetPod> waiting) throws IOException {
        connections.remove(); // the bridge may have closed it meanwhile
        long[] took = new long[calls];
        for (int i = 0; i < calls; i++) {
            byte[] body = body(kind, i, waiting);
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
        return Percentiles.of(took.stream().mapToLong(Took::nanos));
    }

    /** The durations of those calls of the last run that were the first of their shape. */
    Percentiles firstOfShape() {
        return Percentiles.of(took.stream().filter(Took::first).mapToLong(Took::nanos));
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
                took.add(new Took(System.nanoTime() - due, i == 0 && !known.contains(body)));
            }
            body = next();
        }
    }

    private void call(String verb, byte[] body) throws IOException {
        connections.get().call("/" + verb, body);
    }

    static String text(Percentiles nanos) {
        return "p50_ms=%.2f p90_ms=%.2f p99_ms=%.2f p99.9_ms=%.2f mean_ms=%.2f"
                .formatted(
                        nanos.at(50) / 1e6,
                        nanos.at(90) / 1e6,
                        nanos.at(99) / 1e6,
                        nanos.at(99.9) / 1e6,
                        nanos.mean() / 1e6);
    }
}

package io.numaledger.benchmarks.fleet;

import io.numaledger.pod.PodRequest;
import io.numaledger.simulator.fleet.FleetPod;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/** Pods that arrive, each with a name of its own, and the calls of filter for them. Not thread-safe. */
final class GeneratedPods {

    /** How a pod fits the generated nodes. */
    enum Kind {
        /** One of 30 requests. */
        KNOWN,
        /** A new request that fits one zone. */
        NEW,
        /** A new request of 100 CPUs, more than one zone of any node has. */
        SEVERAL_ZONES,
        /** A new request that few nodes take: all GPUs of a zone. */
        FEW,
        /** A new request that no zones can take: one CPU prefers one zone, six GPUs need two. The bridge knows the pods. */
        NOWHERE,
        /** The same, called again although nothing has changed. */
        AGAIN
    }

    private static final int KNOWN_REQUESTS = 30;

    private final String prefix;
    private final Random random;
    private final IntFunction<Instant> created;
    private final List<PodRequest> known;
    private int made;

    /**
     * A sequence of pods.
     *
     * @param prefix of their names
     * @param created number of a pod, from 0 → when it was created
     */
    GeneratedPods(String prefix, Random random, IntFunction<Instant> created) {
        this.prefix = prefix;
        this.random = random;
        this.created = created;
        this.known = Stream.generate(() -> FleetPod.request("load/shape", random))
                .limit(KNOWN_REQUESTS)
                .toList();
    }

    FleetPod next(Kind kind) {
        return next(
                switch (kind) {
                    case KNOWN -> known.get(random.nextInt(KNOWN_REQUESTS));
                    case NEW -> FleetPod.request("load/new", random);
                    case SEVERAL_ZONES -> FleetPod.request(100, 0, 0, random);
                    case FEW -> FleetPod.request(4, 4, 1, random);
                    case NOWHERE, AGAIN -> FleetPod.request(1, 6, 0, random);
                });
    }

    FleetPod next(PodRequest request) {
        String name = prefix + made;
        return new FleetPod(
                name,
                "",
                PodRequest.of("load/" + name, request.containers().get(0)),
                Optional.empty(),
                created.apply(made++));
    }

    /** The body of a call of filter or prioritize. */
    static byte[] body(FleetPod pod, Collection<String> nodes) {
        return "{\"Pod\":%s,\"Nodes\":null,\"NodeNames\":[\"%s\"]}"
                .formatted(pod.waiting(1), String.join("\",\"", nodes))
                .getBytes(StandardCharsets.UTF_8);
    }
}

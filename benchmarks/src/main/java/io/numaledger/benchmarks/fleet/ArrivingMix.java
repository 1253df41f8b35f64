package io.numaledger.benchmarks.fleet;

import io.numaledger.benchmarks.fleet.GeneratedPods.Kind;
import io.numaledger.simulator.fleet.FleetPod;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Which pods arrive: most fit almost any node, every tenth has a new request, every twentieth fits few nodes. */
final class ArrivingMix {

    private static final int PERCENT = 100;
    private static final int NEW_REQUESTS = 10;
    private static final int FEW_NODES = 5;

    private final Random random = new Random(3);
    private final GeneratedPods pods =
            new GeneratedPods("arriving-", random, number -> Instant.now().truncatedTo(ChronoUnit.SECONDS));

    /** Pods that some nodes take. */
    List<FleetPod> fitting(int count) {
        return Stream.generate(this::fitting).limit(count).toList();
    }

    private FleetPod fitting() {
        int percent = random.nextInt(PERCENT);
        if (percent < NEW_REQUESTS) {
            return pods.next(Kind.NEW);
        }
        return percent < NEW_REQUESTS + FEW_NODES
                ? pods.next(FleetPod.request(4, 4, 4, random))
                : pods.next(Kind.KNOWN);
    }

    /** Pods whose sums many nodes have, and whose zones none has. */
    List<FleetPod> fittingNowhere(int count) {
        return Stream.generate(() -> pods.next(Kind.NOWHERE)).limit(count).toList();
    }
}

package io.numaledger.benchmarks.fleet;

import io.numaledger.pod.PodRequest;
import io.numaledger.simulator.fleet.FleetPod;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Which pods arrive: most fit almost any node, every tenth is of a new shape, every twentieth fits few nodes. */
final class ArrivingMix {

    private static final int KNOWN_SHAPES = 30;
    private static final int PERCENT = 100;
    private static final int NEW_SHAPES = 10;
    private static final int FEW_NODES = 5;

    private final Random random = new Random(3);
    private final List<PodRequest> known = new ArrayList<>();
    private int made;

    ArrivingMix() {
        for (int i = 0; i < KNOWN_SHAPES; i++) {
            known.add(FleetPod.request("load/shape", random));
        }
    }

    /** Pods that some nodes take. */
    List<FleetPod> fitting(int count) {
        List<FleetPod> pods = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int kind = random.nextInt(PERCENT);
            PodRequest request = kind < NEW_SHAPES
                    ? FleetPod.request("load/new", random)
                    : kind < NEW_SHAPES + FEW_NODES
                            ? FleetPod.request(4, 4, 4, random)
                            : known.get(random.nextInt(KNOWN_SHAPES));
            pods.add(pod(request));
        }
        return pods;
    }

    /** Pods whose sums many nodes have, and whose zones none has: one CPU prefers one zone, six GPUs need two. */
    List<FleetPod> fittingNowhere(int count) {
        List<FleetPod> pods = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            pods.add(pod(FleetPod.request(1, 6, 0, random)));
        }
        return pods;
    }

    private FleetPod pod(PodRequest request) {
        String name = "arriving-" + made++;
        return new FleetPod(
                name,
                "",
                PodRequest.of("load/" + name, request.containers().get(0)),
                Optional.empty(),
                Instant.now().truncatedTo(ChronoUnit.SECONDS));
    }
}

package io.numaledger.benchmarks.fleet;

import picocli.CommandLine.Parameters;

/** The first two arguments of commands that generate a fleet. */
final class FleetSize {

    @Parameters(index = "0", arity = "0..1", paramLabel = "NODES", description = "number of nodes")
    int nodes = 5000;

    @Parameters(index = "1", arity = "0..1", paramLabel = "PODS", description = "number of pods")
    int pods;

    /** @param pods if the argument is absent */
    FleetSize(int pods) {
        this.pods = pods;
    }

    int podsPerNode() {
        return pods / nodes;
    }
}

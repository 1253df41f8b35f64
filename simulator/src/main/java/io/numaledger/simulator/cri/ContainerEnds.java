package io.numaledger.simulator.cri;

import java.io.IOException;
import java.util.OptionalInt;

/**
 * Port: which containers end by themselves. The CRI does not tell a plain init container, which must end for its pod to go
 * on, from one that runs.
 */
@FunctionalInterface
public interface ContainerEnds {

    /** Nothing ends until it is told to. */
    ContainerEnds NEVER = key -> OptionalInt.empty();

    /**
     * The exit code with which the container ends as soon as it has started; empty: it runs until it is stopped.
     *
     * @throws IOException when nobody can tell at the moment; the question is asked again
     */
    OptionalInt exitCode(ContainerKey key) throws IOException;
}

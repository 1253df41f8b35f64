package io.numaledger.simulator.cri;

import java.io.IOException;
import java.util.OptionalInt;

/**
 * Port: which containers exit by themselves. Requests of the CRI do not distinguish a plain init container, which must exit
 * before its pod can go on, from a container that keeps running.
 */
@FunctionalInterface
public interface ContainerExitPolicy {

    /** Containers run until they are stopped. */
    ContainerExitPolicy NEVER = key -> OptionalInt.empty();

    /**
     * The code with which the container exits as soon as it has started; empty: it runs until it is stopped.
     *
     * @throws IOException if this cannot be decided now; the caller tries again
     */
    OptionalInt exitCode(ContainerKey key) throws IOException;
}

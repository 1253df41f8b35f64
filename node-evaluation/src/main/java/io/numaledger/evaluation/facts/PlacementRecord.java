package io.numaledger.evaluation.facts;

import java.util.Optional;

/**
 * One placement record of a pod as it was read, once, with the pod's object. An invalid one is a value, too: nobody reads its text again.
 *
 * @param <T> what it says
 */
public sealed interface PlacementRecord<T> {

    /** A record within the bounds of what its pod requests. */
    record Believed<T>(T value) implements PlacementRecord<T> {
        @Override
        public Optional<T> believed() {
            return Optional.of(value);
        }

        @Override
        public T require() {
            return value;
        }
    }

    /**
     * A record that is malformed, too long, or has more than its pod requests.
     *
     * @param why a sentence that names the pod or the text
     */
    record Refused<T>(String why) implements PlacementRecord<T> {
        @Override
        public Optional<T> believed() {
            return Optional.empty();
        }

        @Override
        public T require() {
            throw new IllegalArgumentException(why);
        }
    }

    /**
     * A record that is within the bounds but for exclusive CPUs: it has more than the kubelet has allocated. So has a container whose CPUs
     * a kubelet has left as they were when it accepted a resize.
     */
    record MoreCpus<T>(T value, String why) implements PlacementRecord<T> {
        @Override
        public Optional<T> believed() {
            return Optional.empty();
        }

        @Override
        public T require() {
            throw new IllegalArgumentException(why);
        }

        @Override
        public PlacementRecord<T> afterResize() {
            return new Believed<>(value);
        }
    }

    /** The record where the kubelet resizes exclusive CPUs, and the zones show that the pod holds them. */
    default PlacementRecord<T> afterResize() {
        return this;
    }

    /** What it says; absent: it is not believed. */
    Optional<T> believed();

    /** @throws IllegalArgumentException saying why it is not believed */
    T require();
}

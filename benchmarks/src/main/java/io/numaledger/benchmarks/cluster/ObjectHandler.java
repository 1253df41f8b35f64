package io.numaledger.benchmarks.cluster;

import io.fabric8.kubernetes.client.informers.ResourceEventHandler;

import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * What is done with the objects that an informer sees.
 *
 * @param seen gets each state of each object, after the state before, if there was one
 * @param gone gets the last state of each deleted object
 */
public record ObjectHandler<T>(BiConsumer<Optional<T>, T> seen, Consumer<T> gone) implements ResourceEventHandler<T> {

    /** Deletions do not matter. */
    public static <T> ObjectHandler<T> of(Consumer<T> seen) {
        return new ObjectHandler<>((before, object) -> seen.accept(object), object -> {});
    }

    @Override
    public void onAdd(T object) {
        seen.accept(Optional.empty(), object);
    }

    @Override
    public void onUpdate(T before, T object) {
        seen.accept(Optional.of(before), object);
    }

    @Override
    public void onDelete(T object, boolean finalStateUnknown) {
        gone.accept(object);
    }
}

package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * An informer's store. Keeps namespace, name, UID and resourceVersion of each object; ClusterState has the rest. Cheaper than
 * ReducedStateItemStore, which converts each object to a map.
 */
final class KeyOnlyStore<T extends HasMetadata> implements ItemStore<T> {

    private record Name(String namespace, String name, String uid, String resourceVersion) {}

    private final Supplier<T> empty;
    private final Map<String, Name> names = new ConcurrentHashMap<>();

    KeyOnlyStore(Supplier<T> empty) {
        this.empty = empty;
    }

    @Override
    public String getKey(T object) {
        return Cache.metaNamespaceKeyFunc(object);
    }

    @Override
    public @Nullable T put(String key, T object) {
        ObjectMeta meta = object.getMetadata();
        return stub(names.put(
                key, new Name(meta.getNamespace(), meta.getName(), meta.getUid(), meta.getResourceVersion())));
    }

    @Override
    public @Nullable T remove(String key) {
        return stub(names.remove(key));
    }

    @Override
    public Stream<String> keySet() {
        return names.keySet().stream();
    }

    @Override
    public Stream<T> values() {
        return names.values().stream().map(this::stub);
    }

    @Override
    public @Nullable T get(String key) {
        return stub(names.get(key));
    }

    @Override
    public int size() {
        return names.size();
    }

    @Override
    public boolean isFullState() {
        return false;
    }

    @SuppressWarnings("NullAway")
    private @Nullable T stub(@Nullable Name name) {
        if (name == null) {
            return null;
        }
        T object = empty.get();
        object.setMetadata(new ObjectMetaBuilder()
                .withNamespace(name.namespace())
                .withName(name.name())
                .withUid(name.uid())
                .withResourceVersion(name.resourceVersion())
                .build());
        return object;
    }
}

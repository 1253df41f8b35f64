package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * An informer's store. Keeps the key, UID and resourceVersion of each object; ClusterState has the rest. Cheaper than
 * ReducedStateItemStore, which converts each object to a map.
 */
final class KeyOnlyStore<T extends HasMetadata> implements ItemStore<T> {

    private record Version(String uid, String resourceVersion) {

        @SuppressWarnings("NullAway")
        private ObjectMeta metadata(String key) {
            int slash = key.indexOf('/');
            ObjectMeta meta = new ObjectMeta();
            meta.setNamespace(slash < 0 ? null : key.substring(0, slash));
            meta.setName(key.substring(slash + 1));
            meta.setUid(uid);
            meta.setResourceVersion(resourceVersion);
            return meta;
        }
    }

    private final BiFunction<String, Supplier<ObjectMeta>, T> known;
    private final Function<T, String> key;
    private final Runnable added;
    private final Map<String, Version> versions = new ConcurrentHashMap<>();

    KeyOnlyStore(Supplier<T> empty) {
        this(empty, () -> {});
    }

    /** @param added as for the other constructor */
    KeyOnlyStore(Supplier<T> empty, Runnable added) {
        this(
                (key, metadata) -> {
                    T object = empty.get();
                    object.setMetadata(metadata.get());
                    return object;
                },
                Cache::metaNamespaceKeyFunc,
                added);
    }

    /**
     * @param known makes an object of its key and metadata. The informer makes all at once when it has listed them, for their keys only: where
     *     there are many, make the metadata when they are read
     * @param key {@code namespace/name}, or the name of an object without a namespace
     * @param added called before the informer tells its handler of an object that was not known; may wait
     */
    KeyOnlyStore(BiFunction<String, Supplier<ObjectMeta>, T> known, Function<T, String> key, Runnable added) {
        this.known = known;
        this.key = key;
        this.added = added;
    }

    @Override
    public String getKey(T object) {
        return key.apply(object);
    }

    @Override
    public @Nullable T put(String key, T object) {
        ObjectMeta meta = object.getMetadata();
        Version before = versions.put(key, new Version(meta.getUid(), meta.getResourceVersion()));
        if (before == null) {
            added.run();
        }
        return stub(key, before);
    }

    @Override
    public @Nullable T remove(String key) {
        return stub(key, versions.remove(key));
    }

    @Override
    public Stream<String> keySet() {
        return versions.keySet().stream();
    }

    @Override
    public Stream<T> values() {
        return versions.entrySet().stream().map(each -> object(each.getKey(), each.getValue()));
    }

    @Override
    public @Nullable T get(String key) {
        return stub(key, versions.get(key));
    }

    @Override
    public int size() {
        return versions.size();
    }

    @Override
    public boolean isFullState() {
        return false;
    }

    private @Nullable T stub(String key, @Nullable Version version) {
        return version == null ? null : object(key, version);
    }

    private T object(String key, Version version) {
        return known.apply(key, () -> version.metadata(key));
    }
}

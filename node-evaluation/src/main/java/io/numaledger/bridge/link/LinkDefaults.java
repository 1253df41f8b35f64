package io.numaledger.bridge.link;

import io.numaledger.annotation.Annotations;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.pod.RequestedAmount;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What namespaces ask of the links between the GPUs of their pods. It concerns pods with two GPUs or more that have no annotation about
 * links of their own. Thread-safe.
 */
public final class LinkDefaults {

    private static final List<String> NAMES = List.of(Annotations.GPU_LINKS, Annotations.GPU_LINKS_MIN);

    private final Map<String, SortedMap<String, String>> byNamespace = new ConcurrentHashMap<>();

    /** @param annotations all of the namespace */
    public void put(String namespace, Map<String, String> annotations) {
        SortedMap<String, String> defaults = new TreeMap<>(annotations);
        defaults.keySet().retainAll(NAMES);
        if (defaults.isEmpty()) {
            byNamespace.remove(namespace);
        } else {
            byNamespace.put(namespace, defaults);
        }
    }

    public void remove(String namespace) {
        byNamespace.remove(namespace);
    }

    /** The pod with the annotations of its namespace, or itself where they do not concern it. */
    public PodFacts apply(PodFacts pod) {
        SortedMap<String, String> defaults = byNamespace.get(pod.namespace());
        if (defaults == null
                || NAMES.stream().anyMatch(name -> pod.annotations().containsKey(name))
                || gpus(pod) < 2) {
            return pod;
        }
        TreeMap<String, String> all = new TreeMap<>(pod.annotations());
        all.putAll(defaults);
        return pod.withAnnotations(all);
    }

    private static long gpus(PodFacts pod) {
        return pod.request().inAllocationOrder().stream()
                .flatMap(container ->
                        Optional.ofNullable(container.resources().requests().get(NamedGpus.RESOURCE)).stream())
                .mapToLong(RequestedAmount::whole)
                .sum();
    }
}

package io.numaledger.evaluation.facts;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** The annotations by which namespaces set defaults for their pods. Thread-safe. */
public final class NamespaceDefaults {

    private final List<Rule> rules;
    private final Map<String, SortedMap<String, String>> byNamespace = new ConcurrentHashMap<>();

    /**
     * Annotations that mean something together: a pod that has one of them gets none of the namespace.
     *
     * @param concerns to which pods they mean anything
     */
    public record Rule(List<String> names, Predicate<PodFacts> concerns) {

        private boolean isFor(PodFacts pod) {
            return names.stream().noneMatch(name -> pod.annotations().containsKey(name)) && concerns.test(pod);
        }
    }

    public NamespaceDefaults(List<Rule> rules) {
        this.rules = List.copyOf(rules);
    }

    /** @param annotations all of the namespace */
    public void put(String namespace, Map<String, String> annotations) {
        SortedMap<String, String> defaults = new TreeMap<>(annotations);
        defaults.keySet()
                .removeIf(name -> rules.stream().noneMatch(rule -> rule.names().contains(name)));
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
        if (defaults == null) {
            return pod;
        }
        TreeMap<String, String> all = new TreeMap<>(pod.annotations());
        rules.stream()
                .filter(rule -> rule.isFor(pod))
                .flatMap(rule -> rule.names().stream())
                .forEach(name -> {
                    if (defaults.containsKey(name)) {
                        all.put(name, defaults.get(name));
                    }
                });
        return all.size() == pod.annotations().size() ? pod : pod.withAnnotations(all);
    }
}

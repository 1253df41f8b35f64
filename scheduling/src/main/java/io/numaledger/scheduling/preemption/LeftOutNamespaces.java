package io.numaledger.scheduling.preemption;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * For how many rounds on end nothing was left for a namespace, where a round serves some of the namespaces that have objects. Those that were
 * left out for the longest time are served first in the next round, so that no namespace can keep others waiting, however many objects it
 * has. Not thread-safe.
 */
public final class LeftOutNamespaces {

    private final Map<String, Integer> leftOut = new HashMap<>();

    /** The rounds since the namespace was served, or had no objects. */
    public int leftOut(String namespace) {
        return leftOut.getOrDefault(namespace, 0);
    }

    /**
     * A round has ended.
     *
     * @param present the namespaces that had objects
     * @param served those of them for which something was done, with whatever result
     */
    public void ended(Set<String> present, Set<String> served) {
        leftOut.keySet().retainAll(present);
        leftOut.keySet().removeAll(served);
        present.stream()
                .filter(namespace -> !served.contains(namespace))
                .forEach(namespace -> leftOut.merge(namespace, 1, Integer::sum));
    }
}

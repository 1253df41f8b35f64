package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.facts.HostPort;
import io.numaledger.evaluation.facts.PodClaims;
import io.numaledger.evaluation.facts.PodFacts;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whether a pod that starts on a node takes the room of pods for which the node is reserved: some set of them fits without the pod, and not
 * beside it. A pod must leave room for every set of reserved pods that fits without it. The pod starts first, then the set in its order. A
 * reserved pod that is too costly to evaluate takes no room. A search is used once.
 */
public final class ReservedRoom {

    /** Equal pods count once. Beyond that, the pod is taken to need the room. */
    private static final int MAX_SETS = 256;

    private final List<Key> keys = new ArrayList<>();
    private final List<PodFacts> reserved = new ArrayList<>();
    private int sets;

    /** Equal pods in requests, claims and host ports. */
    private record Key(SchedulingRequest request, PodClaims claims, List<HostPort> ports) {}

    private ReservedRoom(Collection<PodFacts> pods) {
        Map<Key, List<PodFacts>> equal = new LinkedHashMap<>();
        pods.forEach(pod -> key(pod).ifPresent(key ->
                equal.computeIfAbsent(key, any -> new ArrayList<>()).add(pod)));
        equal.forEach((key, same) -> same.forEach(pod -> {
            keys.add(key);
            reserved.add(pod);
        }));
    }

    /**
     * Whether the room of reserved pods is taken.
     *
     * @param without the node before the pod starts
     * @param beside the node with the pod; absent: the pod does not fit, and takes the room of any that does
     * @param reserved the most important first
     */
    public static boolean isTaken(
            TentativeNode without, Optional<TentativeNode> beside, Collection<PodFacts> reserved) {
        return new ReservedRoom(reserved).isTaken(without, beside, 0);
    }

    /** The key of a pod; absent for a pod with an invalid annotation, which fits nowhere. */
    private static Optional<Key> key(PodFacts pod) {
        try {
            return Optional.of(new Key(
                    SchedulingRequest.of(pod), pod.claims(), pod.constraints().hostPorts()));
        } catch (IllegalArgumentException invalid) {
            return Optional.empty();
        }
    }

    private boolean isTaken(TentativeNode without, Optional<TentativeNode> beside, int from) {
        for (int i = from; i < reserved.size(); i++) {
            if (i > from && keys.get(i).equals(keys.get(i - 1))) {
                continue; // the same set again
            }
            PodFacts next = reserved.get(i);
            Optional<TentativeNode> more = without.with(next);
            Optional<TentativeNode> moreBeside = more.isEmpty() ? more : beside.flatMap(node -> node.with(next));
            if (more.isEmpty() || without.isNotEvaluated(next)) {
                continue;
            }
            if (moreBeside.isEmpty() || ++sets > MAX_SETS || isTaken(more.get(), moreBeside, i + 1)) {
                return true;
            }
        }
        return false;
    }
}

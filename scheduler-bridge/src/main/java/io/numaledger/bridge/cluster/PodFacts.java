package io.numaledger.bridge.cluster;

import io.numaledger.annotation.Annotations;
import io.numaledger.pod.PodRequest;

import java.util.Comparator;
import java.util.Optional;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * What matters of a Pod object.
 *
 * @param uid empty for a manifest that was never created
 * @param node where it is bound; absent: not yet
 * @param phase as its status says; empty: not yet known
 * @param reason of its status, such as {@code TopologyAffinityError}
 * @param terminating it has a deletion time: it holds what it holds until it is gone
 * @param born its creation time as text that sorts, such as {@code 2026-01-01T00:00:00Z}; empty if unknown
 * @param annotations those that matter here
 * @param request named by {@link #key}
 */
public record PodFacts(
        String namespace,
        String name,
        String uid,
        Optional<String> node,
        String phase,
        Optional<String> reason,
        boolean terminating,
        String born,
        SortedMap<String, String> annotations,
        PodRequest request) {

    /** The order in which the kubelet is taken to have met them. */
    public static final Comparator<PodFacts> BY_AGE =
            Comparator.comparing(PodFacts::born).thenComparing(PodFacts::key);

    public PodFacts {
        annotations = sorted(annotations);
    }

    /** {@code namespace/name}. */
    public String key() {
        return request.name();
    }

    /** Its phase is Succeeded or Failed: it holds nothing any more. */
    public boolean ended() {
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    /** The kubelet has started it. */
    public boolean running() {
        return phase.equals("Running");
    }

    /** Somebody saw where it lies. */
    public boolean observed() {
        return annotation(Annotations.OBSERVED).isPresent()
                || annotation(Annotations.PLACEMENT).isPresent();
    }

    public Optional<String> annotation(String name) {
        return Optional.ofNullable(annotations.get(name)).filter(text -> !text.isEmpty());
    }
}

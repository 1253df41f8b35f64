package io.numaledger.evaluation.facts;

import java.util.Optional;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * Which pod it is: what matters of its metadata.
 *
 * @param uid absent for a manifest that was never created
 * @param labels all of them
 * @param annotations those that matter here, without the placement records
 */
public record PodIdentity(
        String namespace,
        String name,
        Optional<String> uid,
        SortedMap<String, String> labels,
        SortedMap<String, String> annotations) {

    public PodIdentity {
        annotations = sorted(annotations);
    }

    PodIdentity withAnnotations(SortedMap<String, String> others) {
        return new PodIdentity(namespace, name, uid, labels, others);
    }

    PodIdentity named(String other) {
        return new PodIdentity(namespace, other, uid, labels, annotations);
    }

    /** The identity of another pod with equal labels and annotations. */
    PodIdentity plus(String suffix) {
        return new PodIdentity(namespace, name + suffix, uid.map(id -> id + suffix), labels, annotations);
    }
}

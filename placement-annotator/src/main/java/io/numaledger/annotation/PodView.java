package io.numaledger.annotation;

import java.util.Optional;

/**
 * What the API server says of one pod of this node, as far as it matters here.
 *
 * @param started the kubelet has admitted this instance: its status has a start time
 * @param terminal its phase is Succeeded or Failed: it holds nothing any more
 * @param records the placement records that it has now
 * @param reason its status.reason, such as TopologyAffinityError for a pod that the kubelet refused
 * @param owner its controller, as {@code kind/name}
 */
public record PodView(
        String namespace,
        String name,
        String uid,
        boolean started,
        boolean terminal,
        PodRecords records,
        Optional<String> reason,
        Optional<String> owner) {

    /** Without a reason and an owner. */
    public PodView(String namespace, String name, String uid, boolean started, boolean terminal, PodRecords records) {
        this(namespace, name, uid, started, terminal, records, Optional.empty(), Optional.empty());
    }

    /** {@code namespace/name}; another instance may have had the same. */
    public String key() {
        return namespace + "/" + name;
    }

    /** Its {@link Annotations#OBSERVED}. */
    public Optional<String> observed() {
        return records.observed();
    }

    public PodView with(PodRecords changed) {
        return new PodView(namespace, name, uid, started, terminal, changed, reason, owner);
    }
}

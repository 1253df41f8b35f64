package io.numaledger.annotation;

import java.util.Optional;

/**
 * The relevant part of a Pod object of this node.
 *
 * @param started the kubelet has admitted this instance: its status has a start time
 * @param initialized containers run after its init containers have ended: the kubelet has taken back their memory. False for a pod without any
 * @param terminal its phase is Succeeded or Failed: it holds nothing any more
 * @param records the placement records that it has now
 * @param reason its status.reason, such as TopologyAffinityError for a pod that the kubelet refused
 * @param owner its controller, as {@code kind/name}
 * @param staticUid for the mirror of a static pod: the UID by which the kubelet knows that pod
 */
public record PodView(
        String namespace,
        String name,
        String uid,
        boolean started,
        boolean initialized,
        boolean terminal,
        PodRecords records,
        Optional<String> reason,
        Optional<String> owner,
        Optional<String> staticUid) {

    /** A pod that is not static, without init containers, a reason and an owner. */
    public PodView(String namespace, String name, String uid, boolean started, boolean terminal, PodRecords records) {
        this(
                namespace,
                name,
                uid,
                started,
                false,
                terminal,
                records,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** {@code namespace/name}; another instance may have had the same. */
    public String key() {
        return namespace + "/" + name;
    }

    /** The pod's {@link Annotations#OBSERVED}. */
    public Optional<String> observed() {
        return records.observed();
    }

    /** The UID that the kubelet's own files have. */
    public String kubeletUid() {
        return staticUid.orElse(uid);
    }

    public PodView with(PodRecords changed) {
        return new PodView(namespace, name, uid, started, initialized, terminal, changed, reason, owner, staticUid);
    }
}

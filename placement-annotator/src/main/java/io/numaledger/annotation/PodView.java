package io.numaledger.annotation;

import java.util.Optional;

/**
 * What the API server says of one pod of this node, as far as it matters here.
 *
 * @param started the kubelet has admitted this instance: its status has a start time
 * @param terminal its phase is Succeeded or Failed: it holds nothing any more
 * @param observed its {@link Annotations#OBSERVED}
 */
public record PodView(
        String namespace, String name, String uid, boolean started, boolean terminal, Optional<String> observed) {

    /** {@code namespace/name}; another instance may have had the same. */
    public String key() {
        return namespace + "/" + name;
    }

    public PodView withObserved(Optional<String> text) {
        return new PodView(namespace, name, uid, started, terminal, text);
    }
}

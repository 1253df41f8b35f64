package io.numaledger.kubectl.client;

import io.numaledger.text.ControlCharacters;
import io.numaledger.text.NearNames;

import java.io.IOException;
import java.util.Collection;

/** A name that the cluster does not have, with those that come near. */
public final class UnknownNameException extends IOException {

    private static final long serialVersionUID = 1;

    private UnknownNameException(String message) {
        super(message);
    }

    /** @param known {@code namespace/name} of the pods that exist, as far as the user may list them */
    public static UnknownNameException pod(String key, Collection<String> known) {
        return of("pod", key, known, "kubectl numa pods -A lists those that hold something of a zone");
    }

    public static UnknownNameException node(String name, Collection<String> known) {
        return of("node", name, known, "kubectl numa nodes lists the nodes");
    }

    public static UnknownNameException namespace(String name, Collection<String> known) {
        return of("namespace", name, known, "kubectl get namespaces lists them");
    }

    public static UnknownNameException group(String key, Collection<String> known) {
        return of("group", key, known, "name one to which a pod belongs, as namespace/name");
    }

    public static UnknownNameException reference(String name, Collection<String> known) {
        return of("reference pod", name, known, "kubectl numa stranded lists them");
    }

    private static UnknownNameException of(String kind, String name, Collection<String> known, String otherwise) {
        String hint = NearNames.hint(name, known);
        return new UnknownNameException(ControlCharacters.escaped(
                "no such %s: %s=%s%s".formatted(kind, kind, name, hint.isEmpty() ? "; " + otherwise : hint)));
    }
}

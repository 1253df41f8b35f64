package io.numaledger.simulator.apiserver;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a client sent.
 *
 * @param query the parameters, decoded; of one given twice the last
 * @param contentType as sent, or empty; for a PATCH it tells the kind of patch
 * @param user the bearer token: this server takes it for the user's name; {@code admin} where there is none
 */
public record RecordedRequest(
        String method,
        String path,
        SortedMap<String, String> query,
        String userAgent,
        String contentType,
        String accept,
        String user,
        String body) {

    public RecordedRequest {
        query = Collections.unmodifiableSortedMap(new TreeMap<>(query));
    }

    /** A parameter's value; empty text counts as absent. */
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(query.get(name)).filter(value -> !value.isEmpty());
    }

    public boolean isWatch() {
        return method.equals("GET") && isTrue("watch");
    }

    /** True for what could change an object. */
    public boolean isWrite() {
        return !method.equals("GET") && !path.startsWith("/apis/authorization.k8s.io/");
    }

    boolean isTrue(String name) {
        return parameter(name)
                .map(value -> value.equals("true") || value.equals("1"))
                .orElse(false);
    }
}

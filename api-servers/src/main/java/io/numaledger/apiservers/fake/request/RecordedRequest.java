package io.numaledger.apiservers.fake.request;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One request as the client sent it.
 *
 * @param query the decoded parameters; the last value wins if a parameter is repeated
 * @param contentType as sent, or empty; the format of a PATCH
 * @param user the bearer token, which this server takes as the user name; {@code admin} without a token
 */
public record RecordedRequest(
        String method,
        String path,
        SortedMap<String, String> query,
        String userAgent,
        String contentType,
        String user,
        String body) {

    public RecordedRequest {
        query = Collections.unmodifiableSortedMap(new TreeMap<>(query));
    }

    /** The value of a parameter; empty if the parameter is absent or empty. */
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(query.get(name)).filter(value -> !value.isEmpty());
    }

    public boolean isWatch() {
        return method.equals("GET") && isTrue("watch");
    }

    /** Whether the request can change an object. */
    public boolean isWrite() {
        return !method.equals("GET");
    }

    public boolean isTrue(String name) {
        return parameter(name)
                .map(value -> value.equals("true") || value.equals("1"))
                .orElse(false);
    }
}

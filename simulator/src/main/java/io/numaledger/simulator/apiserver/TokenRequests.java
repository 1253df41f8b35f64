package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.time.InstantSource;

/** Tokens for service accounts. A token is the user's name, since this server takes any bearer token for one. */
final class TokenRequests {

    private static final long DEFAULT_SECONDS = 3600;

    private final ObjectStore store;
    private final InstantSource clock;

    TokenRequests(ObjectStore store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    Answer create(Target target, RecordedRequest request) {
        if (store.get(target.key()).isEmpty()) {
            throw ApiError.notFound(target.type(), target.name());
        }
        ObjectNode token = RequestBody.options(request).deepCopy();
        long seconds = token.path("spec").path("expirationSeconds").asLong(DEFAULT_SECONDS);
        token.put("kind", "TokenRequest").put("apiVersion", "authentication.k8s.io/v1");
        token.putObject("status")
                .put("token", "system:serviceaccount:%s:%s".formatted(target.namespace(), target.name()))
                .put("expirationTimestamp", ObjectMeta.time(clock.instant().plusSeconds(seconds)));
        return new Answer.Json(201, token);
    }
}

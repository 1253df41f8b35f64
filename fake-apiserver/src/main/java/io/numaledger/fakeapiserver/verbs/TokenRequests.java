package io.numaledger.fakeapiserver.verbs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.fakeapiserver.request.RecordedRequest;
import io.numaledger.fakeapiserver.request.RequestBody;
import io.numaledger.fakeapiserver.request.Response;
import io.numaledger.fakeapiserver.request.Target;
import io.numaledger.fakeapiserver.resource.ObjectMeta;
import io.numaledger.fakeapiserver.status.ApiError;
import io.numaledger.fakeapiserver.storage.ObjectStore;

import java.time.InstantSource;

/** The subresource {@code token} of service accounts. A token is the user name, as in all requests to this server. */
public final class TokenRequests {

    private static final long DEFAULT_SECONDS = 3600;

    private final ObjectStore store;
    private final InstantSource clock;

    public TokenRequests(ObjectStore store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    public Response create(Target target, RecordedRequest request) {
        if (store.get(target.key()).isEmpty()) {
            throw ApiError.notFound(target.type(), target.name());
        }
        ObjectNode token = RequestBody.options(request).deepCopy();
        long seconds = token.path("spec").path("expirationSeconds").asLong(DEFAULT_SECONDS);
        token.put("kind", "TokenRequest").put("apiVersion", "authentication.k8s.io/v1");
        token.putObject("status")
                .put("token", "system:serviceaccount:%s:%s".formatted(target.namespace(), target.name()))
                .put("expirationTimestamp", ObjectMeta.time(clock.instant().plusSeconds(seconds)));
        return new Response.Json(201, token);
    }
}

package io.numaledger.bridge.server;

import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.BridgeServer.Route;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * A route that reads the bodies of some requests only.
 *
 * @param maxBodyBytes a longer body gets 413
 * @param guard decides by a request without its body
 */
public record GuardedRoute(int maxBodyBytes, Function<Request, HeadDecision> guard, Route route) implements Route {

    /** The most bytes of a manifest: etcd takes objects of 1.5 MiB. */
    public static final int MANIFEST_BYTES = 3 << 19;

    /** A guarded route for everybody, and for requests without a body. */
    public static Route withoutBody(Route route) {
        return new GuardedRoute(0, head -> HeadDecision.ACCEPTED, route);
    }

    @Override
    public HeadDecision decide(Request head) {
        return guard.apply(head);
    }

    @Override
    public Answer answer(Request request) throws IOException {
        return route.answer(request);
    }

    @Override
    public Optional<Executor> threads() {
        return route.threads();
    }
}

package io.numaledger.podresources;

import io.grpc.BindableService;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.numaledger.podresources.server.UnixSocketServer;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Serves a given podresources service on a unix socket, and records the authority of each call. */
final class ScriptedKubelet implements AutoCloseable {

    final List<String> authorities = new CopyOnWriteArrayList<>();
    private final UnixSocketServer server;

    ScriptedKubelet(Path socket, BindableService service) {
        server = UnixSocketServer.start(
                socket, List.of(() -> ServerInterceptors.intercept(service, new AuthorityLog())));
    }

    private final class AuthorityLog implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            authorities.add(call.getAuthority());
            return next.startCall(call, headers);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}

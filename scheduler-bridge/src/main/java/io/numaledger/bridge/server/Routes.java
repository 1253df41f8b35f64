package io.numaledger.bridge.server;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.BridgeServer.Route;

import java.util.Map;
import java.util.Optional;

/**
 * The routes of a server.
 *
 * @param byPath each with the path that it begins at
 */
record Routes(Map<String, Route> byPath) {

    /**
     * The route of a path.
     *
     * @param prefix the route's own path
     */
    record Match(String prefix, String path, Route route) {

        /** A request of this route. */
        Request request(HttpRequest message, Channel connection, byte[] body) {
            return new Request(
                    message.method().name(),
                    path.substring(prefix.length()),
                    new QueryStringDecoder(message.uri()).parameters(),
                    message.headers(),
                    PeerCertificate.of(connection),
                    body);
        }
    }

    /** The path of a request; absent if it is malformed. */
    static Optional<String> path(HttpRequest request) {
        try {
            QueryStringDecoder uri = new QueryStringDecoder(request.uri());
            uri.parameters();
            return request.decoderResult().isSuccess() ? Optional.of(uri.path()) : Optional.empty();
        } catch (IllegalArgumentException malformed) {
            return Optional.empty();
        }
    }

    /** The route with the longest path that the path begins with, in whole segments; absent if there is none. */
    Optional<Match> find(String path) {
        String prefix = path;
        while (!byPath.containsKey(prefix)) {
            int slash = prefix.lastIndexOf('/');
            if (slash <= 0) {
                return Optional.empty();
            }
            prefix = prefix.substring(0, slash);
        }
        return Optional.of(new Match(prefix, path, byPath.get(prefix)));
    }
}

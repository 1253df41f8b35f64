package io.numaledger.bridge.server;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.numaledger.bridge.server.BridgeServer.Request;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Requests without a connection. */
public final class Requests {

    private Requests() {}

    /** Without headers, and of a client without a certificate. */
    public static Request of(String method, String rest, String body) {
        return new Request(
                method, rest, Map.of(), new DefaultHttpHeaders(), List.of(), body.getBytes(StandardCharsets.UTF_8));
    }
}

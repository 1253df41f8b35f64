package io.numaledger.bridge.run;

import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.BridgeServer.Route;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Tells whether calls have hung: then the process can only be restarted. */
final class StuckCalls {

    private final Duration limit;
    private final LongSupplier nanos;
    private final Map<Object, Long> running = new ConcurrentHashMap<>();

    /**
     * @param limit a call that takes longer has hung
     * @param nanos a clock that does not jump
     */
    StuckCalls(Duration limit, LongSupplier nanos) {
        this.limit = limit;
        this.nanos = nanos;
    }

    /** The given route, watched. */
    Route watch(Route route) {
        return request -> {
            Object call = new Object();
            running.put(call, nanos.getAsLong());
            try {
                return route.answer(request);
            } finally {
                running.remove(call);
            }
        };
    }

    /** 200, or 500 while a call hangs. */
    Answer health(Request request) {
        long now = nanos.getAsLong();
        long stuck = running.values().stream()
                .filter(begun -> now - begun > limit.toNanos())
                .count();
        return stuck == 0
                ? Answer.text(200, "ok")
                : Answer.text(500, "calls hang: count=%d limit=%s".formatted(stuck, limit));
    }
}

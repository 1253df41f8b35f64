package io.numaledger.agent.run;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/**
 * When to ask the kubelet for its devices: in intervals, at once when the Node's allocatable amounts changed, and a few times after a plugin's
 * socket appeared or went, because a plugin needs a moment to register and to list its devices.
 */
public final class DevicePolls {

    /** When to ask after a change of a socket. A change meanwhile starts again. */
    private static final List<Duration> AFTER_A_SOCKET = List.of(
            Duration.ofMillis(100),
            Duration.ofMillis(300),
            Duration.ofMillis(700),
            Duration.ofMillis(1500),
            Duration.ofSeconds(3),
            Duration.ofSeconds(6));

    private final Duration interval;
    private final InstantSource clock;
    private Instant regular = Instant.EPOCH;
    private Instant socketChanged = Instant.EPOCH;
    private int afterSocket = AFTER_A_SOCKET.size();
    private boolean now;

    public DevicePolls(Duration interval, InstantSource clock) {
        this.interval = interval;
        this.clock = clock;
    }

    /** A socket appeared or went in a directory of the kubelet; may be called from any thread. */
    public synchronized void socketChanged() {
        socketChanged = clock.instant();
        afterSocket = 0;
    }

    /** The Node's allocatable amounts changed; may be called from any thread. */
    public synchronized void nodeChanged() {
        now = true;
    }

    /** When to ask next. */
    synchronized Instant next() {
        Instant next = now ? Instant.EPOCH : regular;
        if (afterSocket < AFTER_A_SOCKET.size()) {
            Instant soon = socketChanged.plus(AFTER_A_SOCKET.get(afterSocket));
            next = soon.isBefore(next) ? soon : next;
        }
        return next;
    }

    /** The kubelet is asked now. */
    synchronized void asked() {
        Instant asked = clock.instant();
        now = false;
        regular = asked.plus(interval);
        while (afterSocket < AFTER_A_SOCKET.size()
                && !asked.isBefore(socketChanged.plus(AFTER_A_SOCKET.get(afterSocket)))) {
            afterSocket++;
        }
    }
}

package io.numaledger.simulator.socket;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * TCP ports for servers that somebody else starts, maybe much later. They lie below those that Linux gives to outgoing
 * connections ({@code net.ipv4.ip_local_port_range}), so that none of these takes a port before its server does.
 */
public final class FreePort {

    private static final int FIRST = 16_384;
    private static final int END = 32_768;

    /** Processes beside each other begin at different ports. */
    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(FIRST, END));

    private FreePort() {}

    /**
     * A port on which nobody listens at any address now, and which this process was given before only if it had all the others since.
     *
     * @throws UncheckedIOException if every one of them is taken
     */
    public static int next() {
        BindException taken = null;
        for (int tries = FIRST; tries < END; tries++) {
            int port = NEXT.getAndUpdate(last -> last + 1 < END ? last + 1 : FIRST);
            try (ServerSocket socket = new ServerSocket(port)) {
                return socket.getLocalPort();
            } catch (BindException e) {
                taken = e;
            } catch (IOException e) {
                throw new UncheckedIOException("cannot try a port: port=%d; check the network".formatted(port), e);
            }
        }
        throw new UncheckedIOException(
                "no port is free: ports=%d-%d; end what listens on them".formatted(FIRST, END - 1), taken);
    }
}

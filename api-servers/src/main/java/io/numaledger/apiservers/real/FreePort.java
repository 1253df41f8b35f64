package io.numaledger.apiservers.real;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Chooses TCP ports for servers that other processes start later. The ports are below those of outgoing connections
 * ({@code net.ipv4.ip_local_port_range}), so that no connection takes a port before its server does.
 */
public final class FreePort {

    private static final int FIRST = 16_384;
    private static final int END = 32_768;

    /** Starts at a random port, so that concurrent processes choose different ports. */
    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(FIRST, END));

    private FreePort() {}

    /**
     * Returns a port on which nothing listens at any address. Returns a port again only after all others.
     *
     * @throws UncheckedIOException if no port is free
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

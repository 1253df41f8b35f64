package io.numaledger.kubectl.ui;

import io.numaledger.connection.ConnectionSlots;
import io.numaledger.connection.ConnectionSlots.Slot;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Serves HTTP/1.1 on the loopback address, where every user of the machine can connect. A connection carries one request, which has no
 * body, and has a thread. What callers can hold is limited:
 *
 * <ul>
 *   <li>the number of connections: a new one replaces the oldest of those that nobody has {@link Connection#keep kept}
 *   <li>the time until the head of a request has arrived, and its length
 * </ul>
 *
 * <p>The server of the JDK has such limits, too, but refuses new connections while others hold as many as there may be.
 */
final class LoopbackServer implements AutoCloseable {

    /** Browsers open 6 at most. */
    static final int CONNECTIONS = 64;

    /** Cookies of all servers of this machine are among the headers. */
    static final int HEAD_BYTES = 64 * 1024;

    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final String END_OF_HEAD = "\r\n\r\n";

    /** What answers requests. Called by several threads. */
    @FunctionalInterface
    interface Handler {
        void answer(RequestHead request, Connection connection) throws IOException;
    }

    /** The connection of a request. */
    record Connection(OutputStream out, Slot slot) {

        /** The caller is known: no other connection replaces this one. */
        void keep() {
            slot.answering();
        }
    }

    private final ServerSocket socket;
    private final Duration timeout;

    /** All callers are on this machine, whatever their addresses, so that addresses say nothing. */
    private final InetAddress everybody;

    private final ConnectionSlots slots = new ConnectionSlots(CONNECTIONS, CONNECTIONS);
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /** Threads of the server: one accepts, and each connection has one. */
    private final ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS + 1, task -> {
        Thread thread = new Thread(task, "ui-server");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * Takes the port.
     *
     * @param port 0: any that is free
     * @param timeout for the head of a request
     */
    LoopbackServer(int port, Duration timeout) throws IOException {
        this.timeout = timeout;
        this.everybody = InetAddress.getByAddress(LOOPBACK);
        try {
            socket = new ServerSocket(port, CONNECTIONS, everybody);
        } catch (BindException e) {
            throw new IOException(
                    "cannot listen: port=%d is in use; leave --port out, or give another one".formatted(port), e);
        }
    }

    /** Answers connections from now on. */
    void start(Handler handler) {
        threads.execute(() -> accept(handler));
    }

    int port() {
        return socket.getLocalPort();
    }

    private void accept(Handler handler) {
        while (!socket.isClosed()) {
            try {
                accepted(socket.accept(), handler);
            } catch (IOException callerIsGone) {
                // Or this server is closed.
            }
        }
    }

    private void accepted(Socket caller, Handler handler) {
        Optional<Slot> slot = slots.take(everybody, () -> close(caller));
        if (slot.isEmpty()) {
            close(caller);
            return;
        }
        open.add(caller);
        threads.execute(() -> {
            try (caller) {
                serve(caller, slot.get(), handler);
            } catch (IOException callerIsGone) {
                // Or its connection was replaced.
            } finally {
                slot.get().giveBack();
                open.remove(caller);
            }
        });
    }

    private void serve(Socket caller, Slot slot, Handler handler) throws IOException {
        OutputStream out = new BufferedOutputStream(caller.getOutputStream());
        Optional<String> head = head(caller);
        if (head.isEmpty()) {
            Answer.text(431, "the headers are too long; delete the cookies of this host")
                    .write(out, "");
            return;
        }
        RequestHead request;
        try {
            request = RequestHead.parse(head.get());
        } catch (IllegalArgumentException e) {
            Answer.text(400, String.valueOf(e.getMessage())).write(out, "");
            return;
        }
        handler.answer(request, new Connection(out, slot));
        out.flush();
    }

    /**
     * Reads until the empty line. Empty: the head is too long.
     *
     * @throws SocketTimeoutException if it has not arrived in time
     */
    private Optional<String> head(Socket caller) throws IOException {
        long end = System.nanoTime() + timeout.toNanos();
        InputStream in = caller.getInputStream();
        byte[] buffer = new byte[1024];
        StringBuilder head = new StringBuilder();
        while (head.length() <= HEAD_BYTES) {
            long leftMillis = (end - System.nanoTime()) / 1_000_000;
            if (leftMillis <= 0) {
                throw new SocketTimeoutException("the head of a request has not arrived in time");
            }
            caller.setSoTimeout((int) leftMillis);
            int read = in.read(buffer);
            if (read < 0) {
                throw new IOException("the caller has closed the connection");
            }
            int searched = Math.max(0, head.length() - END_OF_HEAD.length());
            head.append(new String(buffer, 0, read, StandardCharsets.ISO_8859_1));
            int length = head.indexOf(END_OF_HEAD, searched);
            if (length >= 0) {
                return Optional.of(head.substring(0, length));
            }
        }
        return Optional.empty();
    }

    private static void close(Socket caller) {
        try {
            caller.close();
        } catch (IOException e) {
            // It was closed already.
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // It was closed already.
        }
        open.forEach(LoopbackServer::close);
        threads.shutdownNow();
    }
}

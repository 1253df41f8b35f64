package io.numaledger.e2e.bridge;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** What a Service is to its clients: passes each connection on to one of the replicas that accept it. */
final class ReplicaFront implements AutoCloseable {

    private final ServerSocket listening;
    private final List<Integer> ports;
    private final AtomicInteger next = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "replica-front");
        thread.setDaemon(true);
        return thread;
    });

    ReplicaFront(int port, List<Integer> ports) {
        this.ports = List.copyOf(ports);
        try {
            this.listening = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::accept);
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                threads.execute(() -> connect(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void connect(Socket client) {
        for (int i = 0; i < ports.size(); i++) {
            int port = ports.get(Math.floorMod(next.getAndIncrement(), ports.size()));
            Socket replica = new Socket();
            try {
                replica.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            } catch (IOException refused) {
                close(replica);
                continue;
            }
            threads.execute(() -> copy(client, replica));
            copy(replica, client);
            return;
        }
        close(client);
    }

    /** Until one of them is closed; then both are. */
    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            in.transferTo(out);
        } catch (IOException ended) {
            close(to);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        threads.shutdownNow();
    }
}

package io.numaledger.podresources;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** Passes bytes between a client's socket and a kubelet's, and can end a connection when a request arrives. */
final class Relay implements AutoCloseable {

    final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger toEnd = new AtomicInteger();
    private final ServerSocketChannel listening;
    private final Path kubelet;

    Relay(Path socket, Path kubelet) throws IOException {
        this.kubelet = kubelet;
        listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
        start(this::accept);
    }

    /** The next bytes of a client are swallowed and its connection ends, this many times. */
    void endsConnections(int times) {
        toEnd.set(times);
    }

    private void accept() throws IOException {
        while (true) {
            SocketChannel client = listening.accept();
            connections.incrementAndGet();
            SocketChannel server = SocketChannel.open(UnixDomainSocketAddress.of(kubelet));
            start(() -> pass(client, server, true));
            start(() -> pass(server, client, false));
        }
    }

    private void pass(SocketChannel from, SocketChannel to, boolean requests) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
        try (from;
                to) {
            while (from.read(bytes) >= 0) {
                if (requests && toEnd.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    return;
                }
                bytes.flip();
                while (bytes.hasRemaining()) {
                    to.write(bytes);
                }
                bytes.clear();
            }
        }
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void start(Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // The other side has ended the connection, or the test has ended.
                    }
                },
                "relay");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}

package io.numaledger.simulator.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A TCP proxy on a free port that can cut its connections, refuse new ones, and hold back bytes in either direction. */
public final class FaultyProxy implements AutoCloseable {

    private final ServerSocket listener;
    private final InetSocketAddress target;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Gate requests = new Gate();
    private final Gate answers = new Gate();
    private volatile boolean refusing;

    public FaultyProxy(InetSocketAddress target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Closes all connections, and each new one until {@link #restore()}. */
    public void cut() {
        refusing = true;
        open.forEach(FaultyProxy::close);
    }

    public void restore() {
        refusing = false;
    }

    /** Holds back what clients send while closed. */
    public Gate requests() {
        return requests;
    }

    /** Holds back what the server sends while closed. */
    public Gate answers() {
        return answers;
    }

    /** Lets bytes pass or holds them back; none is lost. */
    public static final class Gate {

        private final ReentrantLock lock = new ReentrantLock();
        private final Condition opened = lock.newCondition();
        private boolean closed;
        private int waiting;

        /** Whether bytes are being held back. */
        public boolean holdsBack() {
            lock.lock();
            try {
                return waiting > 0;
            } finally {
                lock.unlock();
            }
        }

        public void close() {
            set(true);
        }

        public void open() {
            set(false);
        }

        private void set(boolean now) {
            lock.lock();
            try {
                closed = now;
                opened.signalAll();
            } finally {
                lock.unlock();
            }
        }

        private void pass() throws InterruptedException {
            lock.lock();
            try {
                waiting++;
                while (closed) {
                    opened.await();
                }
            } finally {
                waiting--;
                lock.unlock();
            }
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                open.add(client);
                if (refusing) {
                    close(client);
                    continue;
                }
                Socket server = new Socket();
                open.add(server);
                server.connect(target);
                daemon(() -> pump(client, server, requests));
                daemon(() -> pump(server, client, answers));
            } catch (IOException closing) {
                open.removeIf(Socket::isClosed);
            }
        }
    }

    private void pump(Socket from, Socket to, Gate gate) {
        byte[] buffer = new byte[16 << 10];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                gate.pass();
                out.write(buffer, 0, count);
            }
        } catch (IOException cut) {
            open.removeIf(Socket::isClosed);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException("a socket cannot fail to be closed", e);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        requests.open();
        answers.open();
        cut();
    }
}

package io.numaledger.agent.api;

import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.impl.io.DefaultBHttpClientConnection;
import org.apache.hc.core5.http.impl.io.HttpRequestExecutor;
import org.apache.hc.core5.http.io.HttpClientConnection;
import org.apache.hc.core5.http.protocol.HttpCoreContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Connections to one server, by HTTP/1.1 and blocking I/O. In a process that makes a request now and then, a client that passes bytes
 * from thread to thread costs twice the CPU time.
 */
public final class HttpConnections implements AutoCloseable {

    /** kube-apiserver and the kubelet end idle connections after 90 s. */
    private static final Duration KEEP_IDLE = Duration.ofSeconds(60);

    /** A connection that was used just now is not checked. */
    private static final Duration TRUST_IDLE = Duration.ofSeconds(1);

    private static final int BUFFER = 8 << 10;

    private final Server server;
    private final Timeouts timeouts;
    private final HttpRequestExecutor executor = new HttpRequestExecutor();
    private final Deque<Idle> idle = new ArrayDeque<>();
    private final Object first = new Object();
    private volatile boolean firstAnswered;
    private boolean closed;

    /**
     * The server.
     *
     * @param tls empty: plain HTTP
     * @param tlsName the name in its certificate; empty: the certificate's name is not verified
     */
    public record Server(String host, int port, Optional<SSLContext> tls, Optional<String> tlsName) {}

    /** @param answer until the whole body has been read */
    public record Timeouts(Duration connect, Duration answer) {}

    /**
     * An answer.
     *
     * @param retryAfter the header of this name
     */
    public record Answer<B>(int status, Optional<String> retryAfter, B body) {}

    private record Idle(HttpClientConnection connection, long since) {

        boolean longerThan(Duration time) {
            return System.nanoTime() - since > time.toNanos();
        }
    }

    public HttpConnections(Server server, Timeouts timeouts) {
        this.server = server;
        this.timeouts = timeouts;
    }

    /** Sends a request, and reads the whole answer. */
    public Answer<byte[]> send(ClassicHttpRequest request) throws IOException {
        return firstAlone(() -> exchange(request));
    }

    /** Sends a request whose answer is read while it arrives. Closing the stream closes the connection, from any thread. */
    Answer<InputStream> stream(ClassicHttpRequest request) throws IOException {
        return firstAlone(() -> open(request));
    }

    private interface Exchange<B> {
        Answer<B> run() throws IOException;
    }

    /** Later connections resume the TLS session of the first one, which comes with its answer. */
    private <B> Answer<B> firstAlone(Exchange<B> exchange) throws IOException {
        if (!firstAnswered) {
            synchronized (first) {
                if (!firstAnswered) {
                    try {
                        return exchange.run();
                    } finally {
                        firstAnswered = true;
                    }
                }
            }
        }
        return exchange.run();
    }

    private Answer<byte[]> exchange(ClassicHttpRequest request) throws IOException {
        HttpClientConnection connection = connection();
        try {
            long end = System.nanoTime() + timeouts.answer().toNanos();
            HttpCoreContext context = HttpCoreContext.create();
            ClassicHttpResponse response = executor.execute(request, connection, context);
            Answer<byte[]> answer = answer(response, body(response.getEntity(), end));
            if (executor.keepAlive(request, response, connection, context)) {
                keep(connection);
            } else {
                connection.close(CloseMode.IMMEDIATE);
            }
            return answer;
        } catch (HttpException e) {
            connection.close(CloseMode.IMMEDIATE);
            throw new IOException("invalid answer: " + e.getMessage(), e);
        } catch (IOException | RuntimeException e) {
            connection.close(CloseMode.IMMEDIATE);
            throw e;
        }
    }

    private Answer<InputStream> open(ClassicHttpRequest request) throws IOException {
        HttpClientConnection connection = connection();
        try {
            ClassicHttpResponse response = executor.execute(request, connection, HttpCoreContext.create());
            connection.setSocketTimeout(Timeout.DISABLED);
            return answer(response, new FilterInputStream(content(response.getEntity())) {
                @Override
                public void close() {
                    connection.close(CloseMode.IMMEDIATE);
                }
            });
        } catch (HttpException e) {
            connection.close(CloseMode.IMMEDIATE);
            throw new IOException("invalid answer: " + e.getMessage(), e);
        } catch (IOException | RuntimeException e) {
            connection.close(CloseMode.IMMEDIATE);
            throw e;
        }
    }

    private static <B> Answer<B> answer(ClassicHttpResponse response, B body) {
        return new Answer<>(
                response.getCode(),
                Optional.ofNullable(response.getFirstHeader("Retry-After")).map(Header::getValue),
                body);
    }

    private static InputStream content(@Nullable HttpEntity entity) throws IOException {
        return entity == null ? InputStream.nullInputStream() : entity.getContent();
    }

    /** A server that sends a byte now and then must not hold up the caller either. */
    private static byte[] body(@Nullable HttpEntity entity, long end) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream(BUFFER);
        InputStream content = content(entity);
        byte[] buffer = new byte[BUFFER];
        for (int read = content.read(buffer); read >= 0; read = content.read(buffer)) {
            body.write(buffer, 0, read);
            if (System.nanoTime() - end > 0) {
                throw new SocketTimeoutException("the whole answer did not come in time");
            }
        }
        return body.toByteArray();
    }

    /** The one that was used last, or a new one. */
    private HttpClientConnection connection() throws IOException {
        for (Optional<Idle> known = idle(); known.isPresent(); known = idle()) {
            HttpClientConnection connection = known.get().connection();
            if (!known.get().longerThan(TRUST_IDLE) || !connection.isStale()) {
                return connection;
            }
            connection.close(CloseMode.IMMEDIATE);
        }
        return open();
    }

    private synchronized Optional<Idle> idle() {
        while (!idle.isEmpty() && idle.getLast().longerThan(KEEP_IDLE)) {
            idle.removeLast().connection().close(CloseMode.IMMEDIATE);
        }
        return Optional.ofNullable(idle.pollFirst());
    }

    private void keep(HttpClientConnection connection) {
        synchronized (this) {
            if (!closed) {
                idle.addFirst(new Idle(connection, System.nanoTime()));
                return;
            }
        }
        connection.close(CloseMode.IMMEDIATE);
    }

    private HttpClientConnection open() throws IOException {
        Socket socket = new Socket();
        try {
            connect(socket);
            DefaultBHttpClientConnection connection = new DefaultBHttpClientConnection(null);
            if (server.tls().isPresent()) {
                connection.bind(secured(socket, server.tls().get()), socket);
            } else {
                connection.bind(socket);
            }
            return connection;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private void connect(Socket socket) throws IOException {
        try {
            socket.connect(new InetSocketAddress(server.host(), server.port()), (int)
                    timeouts.connect().toMillis());
        } catch (SocketTimeoutException e) {
            throw new ConnectException("no connection in time");
        }
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) timeouts.answer().toMillis());
    }

    private SSLSocket secured(Socket socket, SSLContext tls) throws IOException {
        SSLSocket secured = (SSLSocket) tls.getSocketFactory()
                .createSocket(socket, server.tlsName().orElse(server.host()), server.port(), true);
        if (server.tlsName().isPresent()) {
            SSLParameters parameters = secured.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            secured.setSSLParameters(parameters);
        }
        secured.startHandshake();
        return secured;
    }

    @Override
    public synchronized void close() {
        closed = true;
        idle.forEach(each -> each.connection().close(CloseMode.IMMEDIATE));
        idle.clear();
    }
}

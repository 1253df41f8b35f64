package io.numaledger.benchmarks.fleet;

import javax.net.ssl.SSLContext;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * Posts over one TLS connection, on the calling thread. A client library would add its own threads and copies to what is measured.
 */
final class ExtenderConnection {

    private static final String LENGTH = "content-length:";

    private final URI server;
    private final Socket socket;
    private final InputStream in;

    ExtenderConnection(URI server, SSLContext tls) {
        this.server = server;
        try {
            this.socket = tls.getSocketFactory().createSocket(server.getHost(), server.getPort());
            socket.setTcpNoDelay(true);
            this.in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
        } catch (IOException e) {
            throw new UncheckedIOException("the bridge takes no connection; see its log: url=" + server, e);
        }
    }

    /** The body of the response, which must have a Content-Length. */
    byte[] call(String path, byte[] body) throws IOException {
        byte[] head = "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                .formatted(path, server.getAuthority(), body.length)
                .getBytes(StandardCharsets.US_ASCII);
        byte[] request = new byte[head.length + body.length];
        System.arraycopy(head, 0, request, 0, head.length);
        System.arraycopy(body, 0, request, head.length, body.length);
        socket.getOutputStream().write(request);
        String status = line();
        int length = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            if (header.regionMatches(true, 0, LENGTH, 0, LENGTH.length())) {
                length = Integer.parseInt(header.substring(LENGTH.length()).strip());
            }
        }
        byte[] answer = in.readNBytes(length);
        if (!status.startsWith("HTTP/1.1 200 ")) {
            throw new IOException("status=%s: %s".formatted(status, new String(answer, StandardCharsets.UTF_8)));
        }
        return answer;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the bridge closed the connection; see its log");
            }
            line.append((char) next);
        }
        return line.toString().stripTrailing();
    }
}

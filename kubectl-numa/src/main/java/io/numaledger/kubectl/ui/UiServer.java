package io.numaledger.kubectl.ui;

import io.numaledger.kubectl.client.UnknownNameException;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/** Serves the page to everybody on this machine, and its data to one browser, to read. */
final class UiServer implements AutoCloseable {

    private static final String SESSION = "/session";
    private static final String EVENTS = "/events";
    private static final String DATA = "/data/";
    private static final String NO_HEADERS = "";

    /** Time for a request to arrive. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** A browser that is gone is noticed by then, and a page asks for the state. */
    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(5);

    private static final Answer NO_SESSION =
            Answer.text(403, "the URL that is printed opens once, in one browser; start kubectl numa ui again");

    private final UiData data;
    private final Changes changes;
    private final LoopbackServer server;
    private final Access access;

    /** @param port 0: any that is free */
    UiServer(int port, UiData data, Changes changes) throws IOException {
        this(port, TIMEOUT, data, changes);
    }

    UiServer(int port, Duration timeout, UiData data, Changes changes) throws IOException {
        this.data = data;
        this.changes = changes;
        server = new LoopbackServer(port, timeout);
        access = new Access(server.port());
        server.start(this::answer);
    }

    /** Worth something once: the page that opens it first may read. Browsers send what follows the # to no server. */
    URI url() {
        return URI.create("http://127.0.0.1:%d/#token=%s".formatted(server.port(), access.token()));
    }

    private void answer(RequestHead request, LoopbackServer.Connection connection) throws IOException {
        OutputStream out = connection.out();
        if (!access.isOurHost(request)) {
            Answer.text(403, "this is not the host of the page; open the URL that is printed")
                    .write(out, NO_HEADERS);
        } else if (request.method().equals("POST") && request.path().equals(SESSION)) {
            access.sessionFor(request)
                    .map(session -> Answer.text(200, session))
                    .orElse(NO_SESSION)
                    .write(out, NO_HEADERS);
        } else if (!request.method().equals("GET")) {
            Answer.text(405, "the page can be read only").write(out, "Allow: GET\r\n");
        } else if (!request.path().equals(EVENTS) && !request.path().startsWith(DATA)) {
            file(request.path()).write(out, NO_HEADERS);
        } else if (!access.hasSession(request)) {
            NO_SESSION.write(out, NO_HEADERS);
        } else {
            connection.keep();
            if (request.path().equals(EVENTS)) {
                sendChanges(out);
            } else {
                String change = "X-Change: %d\r\n".formatted(changes.number());
                read(request.path().substring(DATA.length()), request.query()).write(out, change);
            }
        }
    }

    /** The files of the page are those of the release: they are no secret. */
    private static Answer file(String path) throws IOException {
        String name = path.equals("/") ? Page.INDEX : path.substring(1);
        return Page.file(name)
                .map(body -> new Answer(200, Page.contentType(name), body))
                .orElseGet(() -> Answer.text(404, "there is no such file"));
    }

    private Answer read(String path, Map<String, String> query) {
        try {
            return data.read(path, query)
                    .map(json -> Answer.json(200, json))
                    .orElseGet(() -> Answer.json(404, UiData.error(new IOException("there is no such data"))));
        } catch (UnknownNameException e) {
            return Answer.json(404, UiData.error(e));
        } catch (IOException | RuntimeException e) {
            return Answer.json(500, UiData.error(e));
        }
    }

    /** Sends the number of each change in a line, and empty lines as signs of life, until the browser is gone. */
    private void sendChanges(OutputStream out) throws IOException {
        new Answer(200, "text/plain", "").writeHead(out, NO_HEADERS);
        changes.listen();
        try {
            for (long sent = 0; ; ) {
                long now = changes.await(sent, SIGN_OF_LIFE);
                out.write((now == sent ? "\n" : now + "\n").getBytes(StandardCharsets.US_ASCII));
                out.flush();
                sent = now;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            changes.leave();
        }
    }

    @Override
    public void close() {
        server.close();
    }
}

package io.numaledger.bridge.watch;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class BoundedPagesTest {

    private static final int OBJECT_BYTES = 1_000;

    private final List<String> queries = Collections.synchronizedList(new ArrayList<>());
    private final OkHttpClient client = new OkHttpClient.Builder()
            .addInterceptor(new BoundedPages(100 * OBJECT_BYTES))
            .build();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 5);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        client.connectionPool().evictAll();
        client.dispatcher().executorService().shutdown();
    }

    /** As many objects as the query's limit, or 500. */
    private void answer(HttpExchange call) throws IOException {
        String query = call.getRequestURI().getQuery();
        queries.add(query);
        int limit = query.contains("limit=") ? Integer.parseInt(query.replaceAll(".*limit=(\\d+).*", "$1")) : 500;
        byte[] body = new byte[limit * OBJECT_BYTES];
        call.sendResponseHeaders(200, body.length);
        try (call) {
            call.getResponseBody().write(body);
        } catch (IOException e) {
            // The client closes the connection of a page that is too large.
        }
    }

    private int objects(String path) throws IOException {
        String url = "http://127.0.0.1:%d%s".formatted(server.getAddress().getPort(), path);
        try (Response response =
                client.newCall(new Request.Builder().url(url).build()).execute()) {
            return response.body().bytes().length / OBJECT_BYTES;
        }
    }

    @Test
    void readsLargePagesWithFewerObjects() throws IOException {
        assertThat(objects("/pods?limit=500&continue=a")).isEqualTo(31);
        assertThat(queries).containsExactly("continue=a&limit=500", "continue=a&limit=125", "continue=a&limit=31");
    }

    @Test
    void growsAgainAfterPagesThatFit() throws IOException {
        assertThat(objects("/pods?limit=500")).isEqualTo(31);
        queries.clear();

        assertThat(objects("/pods?limit=500")).isEqualTo(62);
        assertThat(objects("/pods?limit=500")).isEqualTo(31);
        assertThat(queries).containsExactly("limit=62", "limit=124", "limit=31");
    }

    @Test
    void readsOtherKindsAsAsked() throws IOException {
        assertThat(objects("/pods?limit=500")).isEqualTo(31);

        assertThat(objects("/nodes?limit=100")).isEqualTo(100);
    }

    @Test
    void readsWhatIsNoPageAsItIs() throws IOException {
        assertThat(objects("/pods?fieldSelector=x")).isEqualTo(500);
        assertThat(objects("/pods?limit=200&watch=true")).isEqualTo(200);
        assertThat(queries).containsExactly("fieldSelector=x", "limit=200&watch=true");
    }
}

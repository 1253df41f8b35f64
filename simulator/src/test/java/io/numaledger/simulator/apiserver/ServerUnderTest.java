package io.numaledger.simulator.apiserver;

import io.numaledger.simulator.realapi.RealApiServer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The two servers that every case must hold for. Each is started once, when it is first needed. */
enum ServerUnderTest {
    EMBEDDED {
        @Override
        ApiCalls start() {
            EmbeddedApiServer server = EmbeddedApiServer.start();
            return new ApiCalls(server.url(), HttpClient.newHttpClient(), "admin");
        }
    },
    REAL {
        @Override
        ApiCalls start() {
            String binaries = System.getenv("KUBEBUILDER_ASSETS");
            assumeTrue(binaries != null, "KUBEBUILDER_ASSETS does not name a directory with etcd and kube-apiserver");
            try {
                RealApiServer server = RealApiServer.start(
                        Path.of(binaries), Files.createTempDirectory(Path.of("target"), "real-api-"));
                return new ApiCalls(server.url(), server.httpClient(), server.token());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };

    private static final AtomicInteger NAMES = new AtomicInteger();

    private static final Map<ServerUnderTest, ApiCalls> STARTED = new ConcurrentHashMap<>();

    abstract ApiCalls start();

    ApiCalls api() {
        return STARTED.computeIfAbsent(this, ServerUnderTest::start);
    }

    /** A name that no other test uses. */
    static String freshName(String prefix) {
        return prefix + "-" + NAMES.incrementAndGet();
    }

    /** A namespace of the test's own. */
    String freshNamespace() {
        String name = freshName("ns");
        ApiCalls.Reply reply = api().post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"" + name + "\"}}");
        if (reply.code() != 201) {
            throw new AssertionError(reply.toString());
        }
        return name;
    }
}

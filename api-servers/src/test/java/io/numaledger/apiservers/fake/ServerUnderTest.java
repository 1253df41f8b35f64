package io.numaledger.apiservers.fake;

import io.numaledger.apiservers.real.RealApiServer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The two servers on which each case runs. Each is started once, at its first use. */
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

    /** A unique name. */
    static String freshName(String prefix) {
        return prefix + "-" + NAMES.incrementAndGet();
    }

    /** Creates a unique namespace. */
    String freshNamespace() {
        String name = freshName("ns");
        ApiCalls.Reply reply = api().post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"" + name + "\"}}");
        if (reply.code() != 201) {
            throw new AssertionError(reply.toString());
        }
        return name;
    }
}

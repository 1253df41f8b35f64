package io.numaledger.agent.kubelet;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.numaledger.apiservers.fake.SelfSignedCertificate;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The path {@code /configz} of a kubelet with a self-signed certificate, which is the default of kubelets. */
final class TlsKubelet implements AutoCloseable {

    private static final String CONFIGURATION = """
            {"kubeletconfig":{"topologyManagerPolicy":"restricted","cpuManagerPolicy":"static"}}""";

    private final HttpsServer server;
    private final SelfSignedCertificate keys;
    private final List<String> authorizations = new CopyOnWriteArrayList<>();
    private volatile int status = 200;

    TlsKubelet(Path directory, String name) throws IOException, InterruptedException {
        keys = SelfSignedCertificate.create(directory.resolve(name + ".p12"));
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(keys.server()));
        server.createContext("/configz", exchange -> {
            authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            byte[] body = CONFIGURATION.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    String address() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    void answers(int httpStatus) {
        status = httpStatus;
    }

    /** The {@code Authorization} headers of the calls. */
    List<String> authorizations() {
        return authorizations;
    }

    String certificatePem() {
        return keys.certificate();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

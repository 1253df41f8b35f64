package io.numaledger.e2e.support;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The script that downloads the Kubernetes binaries, against a server with the paths of the release pages. */
class KubernetesBinariesTest {

    private static final List<String> KUBERNETES =
            List.of("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kubectl");

    @TempDir
    Path directory;

    private final SortedMap<String, byte[]> files = new ConcurrentSkipListMap<>();
    private final SortedMap<String, Integer> requests = new ConcurrentSkipListMap<>();
    private HttpServer server;
    private String arch;

    @BeforeEach
    void serve() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/curl")), "the script needs curl");
        arch = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
        for (String name : KUBERNETES) {
            withSum("/v1.36.3/bin/linux/%s/%s".formatted(arch, name), text("the program " + name), ".sha256");
        }
        withSum("/v1.33.13/bin/linux/%s/kubelet".formatted(arch), text("an old kubelet"), ".sha256");
        String etcd = "etcd-v3.6.16-linux-" + arch;
        byte[] archive = archive(etcd + "/etcd", "the program etcd");
        files.put("/v3.6.16/%s.tar.gz".formatted(etcd), archive);
        files.put(
                "/v3.6.16/SHA256SUMS",
                text("%s  other.zip%n%s  %s.tar.gz%n".formatted("0".repeat(64), sum(archive), etcd)));
        String helm = "helm-v4.3.1-linux-%s.tar.gz".formatted(arch);
        byte[] packed = archive("linux-" + arch + "/helm", "the program helm");
        files.put("/" + helm, packed);
        files.put("/" + helm + ".sha256sum", text("%s  %s%n".formatted(sum(packed), helm)));
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            requests.merge(path, 1, Integer::sum);
            byte[] body = files.get(path);
            exchange.sendResponseHeaders(body == null ? 404 : 200, body == null ? -1 : body.length);
            if (body != null) {
                exchange.getResponseBody().write(body);
            }
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.stop(0);
        }
    }

    private void withSum(String path, byte[] content, String suffix) throws Exception {
        files.put(path, content);
        files.put(path + suffix, text(sum(content)));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String sum(byte[] content) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    }

    private byte[] archive(String member, String content) throws Exception {
        Path root = Files.createTempDirectory(directory, "archive");
        Path file = root.resolve(member);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
        Path archive = directory.resolve("packed.tar.gz");
        Process tar = new ProcessBuilder("tar", "-czf", archive.toString(), "-C", root.toString(), member).start();
        assertThat(tar.waitFor()).isZero();
        return Files.readAllBytes(archive);
    }

    @Test
    void installsAllBinariesOnce() throws Exception {
        Path target = directory.resolve("bin");

        Result first = run(target);

        assertThat(first.status()).as(first.output()).isZero();
        assertThat(first.output()).endsWith(target + "\n");
        assertThat(installed(target))
                .containsExactly(
                        "etcd",
                        "helm",
                        "kube-apiserver",
                        "kube-controller-manager",
                        "kube-scheduler",
                        "kubectl",
                        "kubelet",
                        "kubelet-1.33");
        assertThat(target.resolve("etcd")).hasContent("the program etcd").isExecutable();
        assertThat(target.resolve("kubelet-1.33")).hasContent("an old kubelet");
        SortedMap<String, Integer> before = new TreeMap<>(requests);
        assertThat(run(target).status()).isZero();
        assertThat(requests).isEqualTo(before);
    }

    @Test
    void installsNothingWithAWrongChecksum() throws Exception {
        files.put("/v1.36.3/bin/linux/%s/kubelet".formatted(arch), text("something else"));

        Result result = run(directory.resolve("bin"));

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output()).contains("wrong checksum: url=", "/kubelet expected=");
        assertThat(installed(directory.resolve("bin"))).doesNotContain("kubelet");
    }

    @Test
    void namesTheUrlOfAMissingFile() throws Exception {
        files.remove("/v1.36.3/bin/linux/%s/kubectl".formatted(arch));

        Result result = run(directory.resolve("bin"));

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output()).contains("cannot download: url=http", "/kubectl;");
    }

    private static List<String> installed(Path target) throws IOException {
        try (Stream<Path> files = Files.list(target)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private record Result(int status, String output) {}

    private Result run(Path target) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of("kubernetes-binaries.sh").toAbsolutePath().toString(), target.toString())
                .redirectErrorStream(true);
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        for (String variable : List.of("KUBERNETES_URL", "ETCD_URL", "HELM_URL")) {
            builder.environment().put(variable, url);
        }
        builder.environment().put("no_proxy", "127.0.0.1");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
        return new Result(process.exitValue(), output);
    }
}

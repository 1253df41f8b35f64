package io.numaledger.e2e.install;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.apiservers.real.FreePort;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** A Prometheus server that records metrics each second, evaluates the alerts of the chart, and answers queries. */
final class RecordingPrometheus implements AutoCloseable {

    private static final Path ALERTS =
            Path.of(System.getProperty("numaledger.root"), "charts/numaledger/files/alerts.yaml");

    private final String address = "127.0.0.1:" + FreePort.next();
    private final HttpClient http = HttpClient.newHttpClient();
    private final ChildProcess process;

    /** The program; absent if it is not installed. */
    static Optional<Path> program() {
        return Stream.of(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, "prometheus"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** @param targets addresses of /metrics, HOST:PORT */
    RecordingPrometheus(Path program, Path directory, List<String> targets) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("prometheus.yml"), """
                global: {scrape_interval: 1s, evaluation_interval: 1s}
                rule_files: ["%s"]
                scrape_configs: [{job_name: numaledger, static_configs: [{targets: %s}]}]
                """.formatted(ALERTS, targets));
        process = ChildProcess.start(
                "prometheus",
                directory,
                List.of(
                        program.toString(),
                        "--config.file=prometheus.yml",
                        "--storage.tsdb.path=data",
                        "--web.listen-address=" + address));
    }

    /** The series of an instant query. */
    JsonNode query(String expression) throws IOException, InterruptedException {
        return get("query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8))
                .get("result");
    }

    /** The answer of Prometheus' HTTP API, which must be a success. */
    JsonNode get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://%s/api/v1/%s".formatted(address, path)))
                .build();
        JsonNode answer = new ObjectMapper()
                .readTree(http.send(request, BodyHandlers.ofString()).body());
        assertThat(answer.path("status").asText()).as("%s: %s", path, answer).isEqualTo("success");
        return answer.get("data");
    }

    @Override
    public void close() {
        process.close();
    }
}

package io.numaledger.kubectl.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.apiservers.real.RealApiServer;
import io.numaledger.objects.Documents;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Manifests are accepted and refused as a real API server does with strict validation, and for its reasons. */
@EnabledIfEnvironmentVariable(named = "KUBEBUILDER_ASSETS", matches = ".+")
class ManifestAcceptanceTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Decided by admission plugins with objects of the cluster: only the dry run of kubectl numa tells. */
    private static final List<String> BY_ADMISSION = List.of("overhead without a runtime class");

    @TempDir
    private static Path directory;

    private static RealApiServer server;

    @BeforeAll
    static void start() {
        server = RealApiServer.start(Path.of(System.getenv("KUBEBUILDER_ASSETS")), directory);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    static Stream<Arguments> manifests() throws IOException {
        return Files.readAllLines(Path.of("src/test/resources/manifests/pods.txt")).stream()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("\\s*\\|\\s*", 2))
                .map(parts -> Arguments.of(parts[0], manifest(parts[1])));
    }

    private static String manifest(String spec) {
        return spec.contains("apiVersion")
                ? spec
                : "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: %s}"
                        .formatted(spec.startsWith("{") ? spec : "{" + spec + "}");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("manifests")
    void agreesWithTheApiServer(String name, String manifest) throws Exception {
        Optional<String> refused = serverRefuses(manifest).filter(any -> !BY_ADMISSION.contains(name));
        Optional<String> ours = weRefuse(manifest);

        assertThat(ours.isPresent()).as("server: %s, ours: %s", refused, ours).isEqualTo(refused.isPresent());
        if (refused.isPresent()
                && refused.get().contains("spec.")
                && !refused.get().contains("json: ")) {
            assertThat(Arrays.stream(ours.orElseThrow().split(", (?=spec|unknown)")))
                    .allSatisfy(
                            reason -> assertThat(refused.get()).contains(reason.replaceFirst("; did you mean.*", "")));
        }
    }

    private static Optional<String> weRefuse(String manifest) {
        try {
            Manifests.read(manifest, "default").get(0).checked();
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()).replaceFirst("not a usable \\w+: name=\\w*: ", ""));
        }
    }

    private static Optional<String> serverRefuses(String manifest) throws IOException, InterruptedException {
        JsonNode object = Documents.read(manifest).get(0);
        String path = object.path("apiVersion").asText().equals("v1") ? "/api/v1" : "/apis/apps/v1";
        String resource = object.path("kind").asText().toLowerCase(Locale.ROOT) + "s";
        HttpRequest request = HttpRequest.newBuilder(server.url()
                        .resolve(path + "/namespaces/default/" + resource + "?dryRun=All&fieldValidation=Strict"))
                .header("Authorization", "Bearer " + server.token())
                .header("Content-Type", "application/yaml")
                .header("Accept", "application/json")
                .POST(BodyPublishers.ofString(manifest))
                .build();
        HttpResponse<String> answer = server.httpClient().send(request, BodyHandlers.ofString());
        return answer.statusCode() == 201
                ? Optional.empty()
                : Optional.of(JSON.readTree(answer.body()).path("message").asText());
    }
}

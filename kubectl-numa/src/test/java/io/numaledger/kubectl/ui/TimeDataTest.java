package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.kubectl.zones.ClusterSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** In place of kubectl, a script prints answers. */
class TimeDataTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");

    private static final String FAILED = """
            {"items": [{"metadata": {"name": "a", "namespace": "default", "uid": "u", "annotations": {"kai.scheduler/numa-placement-predicted": "[]"}},
              "spec": {"nodeName": "n"}, "status": {"phase": "Failed", "reason": "TopologyAffinityError", "startTime": "2026-01-01T10:00:01Z"}},
             {"metadata": {"name": "b", "namespace": "default", "uid": "v"}, "status": {"phase": "Failed", "reason": "Evicted"}}]}
            """;

    private static final String EVENTS = """
            {"items": [{"metadata": {"uid": "e1"}, "reason": "GroupUnschedulable", "message": "2 pods have to run together", "lastTimestamp": "2026-01-01T10:00:02Z",
              "involvedObject": {"namespace": "default", "name": "g"}},
             {"metadata": {"uid": "e2"}, "reason": "CpusShared", "message": "before", "lastTimestamp": "2026-01-01T09:00:00Z",
              "involvedObject": {"namespace": "default", "name": "c"}}]}
            """;

    private static final String PENDING = """
            {"items": [{"metadata": {"name": "p", "namespace": "default", "uid": "w", "annotations": {"numaledger.io/planned-node": "n"}}}]}
            """;

    private static final String AUDITS = """
            {"items": [{"status": {"pod": "default/m", "uid": "m", "node": "n", "outcome": "zones", "observedAt": "2026-01-01T10:00:03.5Z",
              "predicted": {"placement": [{"zone": "node-0", "amount": {"cpu": "2"}}]},
              "observed": {"placement": [{"zone": "node-1", "amount": {"cpu": "2"}}]}}},
             {"status": {"pod": "default/ok", "uid": "ok", "node": "n", "outcome": "same", "observedAt": "2026-01-01T10:00:04Z"}},
             {"status": {"pod": "default/a", "uid": "u", "node": "n", "outcome": "refused", "reason": "TopologyAffinityError", "observedAt": "2026-01-01T10:00:02Z"}}]}
            """;

    private static final String FORBIDDEN =
            "echo 'Error from server (Forbidden): pods is forbidden: User \"u\" cannot list resource \"pods\"' >&2; exit 1";

    @TempDir
    private Path directory;

    private Path kubectl;

    @BeforeEach
    void writeAnswers() throws IOException {
        Files.writeString(directory.resolve("failed.json"), FAILED);
        Files.writeString(directory.resolve("events.json"), EVENTS);
        Files.writeString(directory.resolve("audits.json"), "{\"items\": []}");
        Files.writeString(directory.resolve("pending.json"), PENDING);
        kubectl = script("");
    }

    private Path script(String first) throws IOException {
        Path script = Files.writeString(directory.resolve("kubectl"), """
                #!/bin/sh
                case "$*" in
                %s
                *Failed*) exec cat '%2$s/failed.json' ;;
                *events*) exec cat '%2$s/events.json' ;;
                *numanodes*) echo '{"items": []}' ;;
                *predictionaudits*) exec cat '%2$s/audits.json' ;;
                *Pending*) exec cat '%2$s/pending.json' ;;
                esac
                """.formatted(first, directory));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        return script;
    }

    private JsonNode read() throws IOException {
        ClusterSource cluster = GivenCluster.of(kubectl.toString(), "--namespace=mine");
        return new TimeData(
                        new ShownCluster(cluster::zones, new Changes(), () -> {}, InstantSource.fixed(NOW)),
                        cluster,
                        InstantSource.fixed(NOW))
                .read("", Map.of());
    }

    private static List<String> lines(JsonNode answer) {
        return StreamSupport.stream(answer.path("entries").spliterator(), false)
                .map(entry -> "%s %s %s %s"
                        .formatted(
                                entry.path("at").asText(),
                                entry.path("kind").asText(),
                                entry.path("object").asText(),
                                entry.path("text").asText()))
                .toList();
    }

    @Test
    void hasRefusalsEventsAndPlansTheLatestFirst() throws IOException {
        assertThat(lines(read()))
                .containsExactly(
                        "2026-01-01T10:00:02Z group default/g GroupUnschedulable: 2 pods have to run together",
                        "2026-01-01T10:00:01Z refusal default/a TopologyAffinityError; the bridge had placed it, so that its prediction missed",
                        "2026-01-01T10:00:00Z group default/p its group's plan has it on this node");
    }

    @Test
    void hasTheMissesOfTheBridgesAuditOnce() throws IOException {
        Files.writeString(directory.resolve("audits.json"), AUDITS);

        JsonNode answer = read();
        assertThat(lines(answer))
                .hasSize(4)
                .startsWith("2026-01-01T10:00:03.5Z prediction default/m the kubelet chose other zones")
                .filteredOn(line -> line.contains(" refusal "))
                .hasSize(1);
        assertThat(answer.at("/entries/0/observed/0/zone").asText()).isEqualTo("node-1");
        assertThat(answer.path("notes")).hasSize(1);
    }

    @Test
    void saysWhyThereIsNoAudit() throws IOException {
        kubectl = script("*predictionaudits*) echo 'Error from server (ServiceUnavailable): down' >&2; exit 1 ;;");

        assertThat(read().path("notes").toString())
                .contains("the bridge does not answer: ", "; a prediction is compared with the observation if");
    }

    @Test
    void saysWhatTheUserMayNotRead() throws IOException {
        kubectl = script("*namespaces*) exec cat '%s/failed.json' ;; *pods*) %s ;;".formatted(directory, FORBIDDEN));

        assertThat(read().path("notes").toString())
                .contains("only pods of namespace mine are shown: pods is forbidden")
                .contains("plans of groups without scheduling gates stay in the bridge");
    }

    @Test
    void findsPredictionsThatMissedAndDriftBetweenTwoReadings() throws IOException {
        NodeChanges changes = new NodeChanges();
        JsonNode before = JSON.readTree("""
                {"node": "n", "confidence": "exact", "pods": [
                  {"pod": "default/a", "source": "reserved", "placement": [{"zone": "node-0", "amount": {"cpu": "2"}}]},
                  {"pod": "default/b", "source": "reserved", "placement": [{"zone": "node-0", "amount": {"cpu": "2"}}]}]}
                """);
        JsonNode after = JSON.readTree("""
                {"node": "n", "confidence": "predicted", "confidenceReason": "because", "warnings": ["the kubelet gave CPU 2 to two pods"], "pods": [
                  {"pod": "default/a", "source": "observed", "placement": [{"zone": "node-1", "amount": {"cpu": "2"}}]},
                  {"pod": "default/b", "source": "observed", "placement": [{"zone": "node-0", "amount": {"cpu": "2"}}]}]}
                """);

        assertThat(changes.next(List.of(before))).isEmpty();
        assertThat(changes.next(List.of(after)))
                .extracting(entry ->
                        entry.path("kind").asText() + " " + entry.path("object").asText() + " "
                                + entry.path("text").asText())
                .containsExactly(
                        "drift n confidence was exact, is predicted: because",
                        "drift n the kubelet gave CPU 2 to two pods",
                        "prediction default/a the kubelet placed it otherwise");
        assertThat(changes.next(List.of(after))).isEmpty();
    }
}

package io.numaledger.bridge.aggregated;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.numaledger.bridge.access.Caller;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.audit.PredictionAudit;
import io.numaledger.scheduling.state.PodInFlight;
import io.numaledger.scheduling.state.PossibleSnapshots;
import io.numaledger.scheduling.state.ReservationListener;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/** A pod of namespace default was placed on other CPUs than predicted, beside one of namespace secret. */
class AuditsTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String RESOURCES = "cpu: \"2\", memory: 1Gi";

    private final PredictionAudit audit = new PredictionAudit(InstantSource.system(), this::snapshot);
    private final TestCluster cluster = new TestCluster(
            new ReservationListener() {
                @Override
                public void predicted(PodFacts pod, PossibleSnapshots node, PredictedPlacement placement) {
                    audit.predicted(pod, node, placement);
                }

                @Override
                public void released(PodFacts pod, PodInFlight reservation) {
                    audit.observed(pod);
                }
            },
            InstantSource.system());
    private final List<String> passedOn = new ArrayList<>();
    private final Audits audits = new Audits(
            audit,
            caller -> caller.groups().contains("all") ? PodNames.ALL : PodNames.of(caller.name()),
            route -> request -> {
                passedOn.add(request.text());
                return route.answer(request);
            });

    private Optional<NodeSnapshot> snapshot(String node) {
        return cluster.state.snapshot(node);
    }

    private static Caller caller(String name, String... groups) {
        return new Caller(name, "", List.of(groups), Map.of("scopes", List.of("a", "b")));
    }

    @BeforeEach
    void bindPods() {
        String memory = "- {name: memoryBytes, value: \"17179869184\"}\n  - {name: cpus";
        cluster.apply(ClusterYaml.node("n").replace("- {name: cpus", memory));
        bind(ClusterYaml.running("b", "n", RESOURCES, "1-2").replace("namespace: default", "namespace: secret"));
        bind(ClusterYaml.running("a", "n", RESOURCES, "5-6"));
    }

    /** Binds a pod as predicted, and observes it as it is here. */
    private void bind(String observed) {
        PodFacts pod = ClusterYaml.parsePod(observed.replace("  nodeName: n", "")
                .replaceAll(", annotations: .*?'}", "")
                .replace(", phase: Running", ""));
        assertThat(cluster.state
                        .binds()
                        .<Boolean>bind(
                                "n", pod, evaluation -> evaluation.orElseThrow().admits()))
                .isTrue();
        cluster.apply(observed);
    }

    private static JsonNode json(Answer answer) throws IOException {
        return JSON.readTree(answer.body());
    }

    @Test
    void listsThePodsThatTheCallerMayList() throws IOException {
        JsonNode all = json(audits.answer(caller("x", "all"), ""));
        JsonNode own = json(audits.answer(caller("default"), ""));

        assertThat(all.path("items"))
                .extracting(item -> item.at("/status/pod").asText())
                .containsExactly("default/a", "secret/b");
        assertThat(own.path("items")).hasSize(1);
        JsonNode status = own.at("/items/0/status");
        assertThat(status.path("outcome").asText()).isEqualTo("cpus");
        assertThat(status.at("/predicted/containers/c/cpus").asText()).isEqualTo("3-4");
        assertThat(status.at("/observed/containers/c/cpus").asText()).isEqualTo("5-6");
        assertThat(status.has("file")).isFalse();
        assertThat(passedOn)
                .last()
                .isEqualTo(
                        "{\"name\":\"\",\"caller\":{\"name\":\"default\",\"uid\":\"\",\"groups\":[],\"extra\":{\"scopes\":[\"a\",\"b\"]}}}");
    }

    @Test
    void answersATable() throws IOException {
        HttpHeaders headers = new DefaultHttpHeaders().set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
        Request request = new Request("GET", "", Map.of(), headers, List.of(), new byte[0]);

        JsonNode table = json(Audits.inFormOf(request, audits.answer(caller("default"), "")));

        assertThat(table.path("kind").asText()).isEqualTo("Table");
        assertThat(table.path("rows")).hasSize(1);
        assertThat(table.at("/rows/0/cells"))
                .extracting(JsonNode::asText)
                .startsWith("uid-a", "default/a", "n", "cpus");
        assertThat(table.at("/rows/0/object/metadata/name").asText()).isEqualTo("uid-a");
    }

    @Test
    void theFileAboutAMissNamesNoPodsOfOtherNamespaces() throws IOException {
        JsonNode file = json(audits.answer(caller("default"), "uid-a")).at("/status/file");

        assertThat(file.at("/pods/held/0/name").asText()).isEqualTo("pod-of-another-namespace-1");
        assertThat(file.at("/pods/held/0/containers/container-1/cpus").asText()).isEqualTo("1-2");
        assertThat(file.at("/pods/decided/result/containers/c/cpus").asText()).isEqualTo("5-6");
        assertThat(file.at("/audit/predicted/containers/c/cpus").asText()).isEqualTo("3-4");
        assertThat(file.at("/nodes/nodes/0/numaNodes")).hasSize(2);
        assertThat(file.toString()).doesNotContain("secret");
        assertThat(json(audits.answer(caller("x", "all"), "uid-a")).toString()).contains("secret/b");
    }

    @Test
    void knowsNoPodThatTheCallerMayNotList() throws IOException {
        Answer hidden = audits.answer(caller("default"), "uid-b");

        assertThat(hidden.status()).isEqualTo(404);
        assertThat(hidden.body()).asString().contains("predictionaudits.numaledger.io \"uid-b\" not found");
    }
}

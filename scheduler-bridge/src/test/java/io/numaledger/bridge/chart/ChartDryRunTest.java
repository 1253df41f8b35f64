package io.numaledger.bridge.chart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.apiservers.real.RealApiServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A real API server accepts every object of the chart, and knows every field. */
class ChartDryRunTest {

    private static final String POD_OPTIONS = """
            {"extraEnv":[{"name":"A","value":"b"}],"extraVolumes":[{"name":"v","emptyDir":{}}],\
            "extraVolumeMounts":[{"name":"v","mountPath":"/v"}],"podLabels":{"a":"b"},"podAnnotations":{"a":"b"},\
            "nodeSelector":{"a":"b"},"tolerations":[{"key":"k","operator":"Exists"}],"affinity":{"nodeAffinity":\
            {"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":\
            [{"key":"a","operator":"Exists"}]}]}}}}""";
    private static final String SPREAD = """
            [{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway","labelSelector":{"matchLabels":{"a":"b"}}}]""";

    private static final Path DEFINITIONS =
            Helm.ROOT.resolve("scheduler-bridge/src/test/resources/chart/prometheus-operator.yaml");

    @TempDir
    private static Path directory;

    private static Helm helm;
    private static RealApiServer server;
    private static KubernetesClient admin;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        helm = Helm.find();
        String assets = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(
                assets != null && Files.isExecutable(Path.of(assets, "kube-apiserver")),
                "skipped: KUBEBUILDER_ASSETS does not name a directory with kube-apiserver and etcd");
        server = RealApiServer.start(Path.of(assets), directory.resolve("api"));
        admin = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(Files.readString(server.kubeconfig())))
                .build();
        admin.resource("apiVersion: v1\nkind: Namespace\nmetadata: {name: numa-system}\n")
                .create();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            admin.close();
            server.close();
        }
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"kai", "scheduler", "reconfigured"})
    void acceptsWhatAModeInstalls(String mode) throws IOException, InterruptedException {
        assertThat(rejected("--set=mode=" + mode)).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"agent", "bridge", "scheduler"})
    void acceptsTheOptionsOfPods(String part) throws IOException, InterruptedException {
        List<String> flags = new ArrayList<>(List.of("--set-json=" + part + "=" + POD_OPTIONS));
        if (!part.equals("agent")) {
            flags.add("--set-json=" + part + ".topologySpreadConstraints=" + SPREAD);
        }
        assertThat(rejected(flags.toArray(String[]::new))).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "protectRecords.accounts={system:serviceaccount:team:scheduler}",
                "agent.podConditions=true",
                "agent.nrtProfile=nfd",
                "bridge.evictForZones=true",
                "bridge.giveBackClaims=true",
                "bridge.healMisaligned.enabled=true",
                "bridge.groups.enabled=true",
                "fullnameOverride=other",
                "cleanup.enabled=true",
                "monitoring.dashboards.enabled=true",
                "agent.kubelet.stateDirectory=/kubelet,agent.kubelet.caConfigMap=ca"
            })
    void acceptsFurtherObjects(String values) throws IOException, InterruptedException {
        assertThat(rejected("--set=" + values)).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"kai", "scheduler"})
    void acceptsTheObjectsOfThePrometheusOperator(String mode) throws IOException, InterruptedException {
        try (InputStream definitions = Files.newInputStream(DEFINITIONS)) {
            admin.load(definitions).serverSideApply();
        }
        for (String resource : List.of("podmonitors", "prometheusrules")) {
            await().atMost(Duration.ofMinutes(3))
                    .until(() -> admin.raw("/apis/monitoring.coreos.com/v1/" + resource) != null);
        }
        assertThat(rejected("--set=mode=" + mode
                        + ",monitoring.podMonitor.enabled=true,monitoring.podMonitor.labels.a=b"
                        + ",monitoring.rules.enabled=true,monitoring.rules.runbookBase=https://docs.example.com/"))
                .isEmpty();
    }

    /** The server's answers about objects that it does not accept. Skips objects of API groups that it lacks. */
    private static List<String> rejected(String... flags) throws IOException, InterruptedException {
        List<String> answers = new ArrayList<>();
        int sent = 0;
        for (JsonNode object : helm.objects(flags)) {
            String version = object.get("apiVersion").asText();
            String api = version.contains("/") ? "/apis/" + version : "/api/" + version;
            if (admin.raw(api) == null) {
                continue;
            }
            String namespace = object.at("/metadata/namespace").asText();
            String path = api + (namespace.isEmpty() ? "" : "/namespaces/" + namespace) + "/"
                    + plural(object.get("kind").asText()) + "?dryRun=All&fieldValidation=Strict";
            sent++;
            try {
                assertThat(admin.raw(path, "POST", new ObjectMapper().convertValue(object, Map.class)))
                        .as("POST %s", path)
                        .isNotNull();
            } catch (KubernetesClientException e) {
                answers.add(path + ": " + e.getMessage());
            }
        }
        assertThat(sent).isGreaterThan(4);
        return answers;
    }

    private static String plural(String kind) {
        String lower = kind.toLowerCase(Locale.ROOT);
        return lower.endsWith("y") ? lower.substring(0, lower.length() - 1) + "ies" : lower + "s";
    }
}

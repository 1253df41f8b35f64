package io.numaledger.docs;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.numaledger.agent.metrics.AgentMetrics;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.bridge.run.BridgeOptions;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.TopologyPublisher;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What both programs serve at {@code /metrics} when they have just started. */
class MetricsTest {

    private static final int MOST_BUCKETS = 15;

    @TempDir
    Path directory;

    private static String agent() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        JvmMetrics.builder().register(registry.getPrometheusRegistry());
        AgentMetrics metrics = new AgentMetrics(registry);
        metrics.registerAll();
        metrics.lastSuccessAge(() -> 1);
        metrics.kubeletConfigSource(List.of("none"), () -> "none");
        metrics.configuration(() -> true);
        metrics.saw(0, OptionalInt.of(0));
        metrics.topology(TopologyPublisher.Outcome.WRITTEN, zones());
        return registry.scrape();
    }

    private static NodeTopology zones() {
        return new NodeTopology(
                "node",
                Optional.empty(),
                new TreeMap<>(Map.of("cpuManagerPolicy", "static")),
                List.of(new NodeTopology.Zone(
                        "node-0",
                        NodeTopology.Zone.TYPE_NODE,
                        new TreeMap<>(),
                        new TreeMap<>(),
                        new TreeMap<>(Map.of("cpu", new NodeTopology.ZoneResource(2000, 2000, 1000))))));
    }

    private String bridge() throws IOException, InterruptedException {
        try (EmbeddedApiServer server = EmbeddedApiServer.start();
                KubernetesClient client =
                        ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))));
                Bridge bridge = new Bridge(BridgeOptions.plainHttp(0), client)) {
            bridge.start();
            await().atMost(Duration.ofMinutes(3)).until(bridge::isReady);
            URI url = URI.create("http://127.0.0.1:" + bridge.address().getPort() + "/metrics");
            return HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    private List<String> both() throws IOException, InterruptedException {
        return List.of(agent(), bridge());
    }

    @Test
    void everyMetricHasAHelpText() throws IOException, InterruptedException {
        for (String text : both()) {
            assertThat(text.lines().filter(line -> line.startsWith("# TYPE"))).hasSizeGreaterThan(20);
            assertThat(text.lines().filter(line -> line.matches("# HELP \\S+ *")))
                    .isEmpty();
            assertThat(names("(?m)^# TYPE (\\S+)", text)).isEqualTo(names("(?m)^# HELP (\\S+)", text));
        }
    }

    @Test
    void processAndJvmAreMeasured() throws IOException, InterruptedException {
        for (String text : both()) {
            assertThat(text)
                    .contains("process_cpu_seconds_total", "process_resident_memory_bytes", "jvm_memory_used_bytes");
        }
    }

    @Test
    void countersAreThereFromTheStart() throws IOException, InterruptedException {
        assertThat(agent())
                .contains(
                        "numaledger_agent_kubelet_refusals_total{reason=\"TopologyAffinityError\"} 0.0",
                        "numaledger_agent_api_writes_total{kind=\"nrt\",result=\"ok\"} 0.0",
                        "numaledger_agent_kubelet_call_failures_total{kind=\"unavailable\",method=\"List\"} 0.0");
        assertThat(bridge())
                .contains(
                        "numaledger_bridge_kubelet_rejections_after_bind_total{reason=\"TopologyAffinityError\"} 0.0",
                        "numaledger_bridge_binds_total{outcome=\"bound\"} 0.0",
                        "numaledger_bridge_predictions_total{confidence=\"exact\",outcome=\"zones\"} 0.0",
                        "numaledger_bridge_filtered_nodes_total{reason=\"ZonesPending\",result=\"refused\"} 0.0",
                        "numaledger_bridge_requeues_total 0.0",
                        "numaledger_bridge_request_seconds_count{verb=\"filter\"} 0");
    }

    @Test
    void histogramsHaveFewBuckets() throws IOException, InterruptedException {
        TreeMap<String, Integer> buckets = new TreeMap<>();
        Matcher bucket = Pattern.compile("(?m)^(\\w+)_bucket\\{verb=\"filter\"").matcher(bridge());
        while (bucket.find()) {
            buckets.merge(bucket.group(1), 1, Integer::sum);
        }
        assertThat(buckets).isNotEmpty();
        assertThat(buckets.values()).allMatch(count -> count <= MOST_BUCKETS);
    }

    @Test
    void theReferenceListsEachMetric() throws IOException, InterruptedException {
        SortedSet<String> served = new TreeSet<>();
        both().forEach(text -> served.addAll(names("(?m)^# TYPE (numaledger_\\S+)", text)));
        served.removeIf(name -> name.endsWith("_max"));
        served.addAll(List.of( // only for nodes that have such a problem
                "numaledger_bridge_unmodelled_node",
                "numaledger_bridge_devices_without_zone",
                "numaledger_bridge_pods_without_record",
                "numaledger_bridge_records_set_aside",
                "numaledger_bridge_slow_admission"));
        served.addAll(List.of( // only for devices of Dynamic Resource Allocation
                "numaledger_bridge_claim_devices", "numaledger_bridge_misaligned_claim_pods"));
        served.addAll(List.of( // only where zones are known
                "numaledger_bridge_zone_allocatable",
                "numaledger_bridge_zone_available",
                "numaledger_bridge_zone_largest_cpu_request",
                "numaledger_bridge_reference_pods_fitting",
                "numaledger_bridge_stranded_pods"));
        served.add("numaledger_bridge_certificate_expiry_timestamp_seconds"); // not with plain HTTP

        assertThat(names(
                        "(?m)^\\| `(numaledger_\\w+)`",
                        Files.readString(Path.of(System.getProperty("numaledger.root"), "docs/reference/metrics.md"))))
                .isEqualTo(served);
    }

    @Test
    void promtoolFindsNothingToSay() throws IOException, InterruptedException {
        Optional<Path> promtool = List.of(System.getenv("PATH").split(":")).stream()
                .map(folder -> Path.of(folder, "promtool"))
                .filter(Files::isExecutable)
                .findFirst();
        assumeTrue(promtool.isPresent(), "promtool is not installed; Debian has it in the package prometheus");
        List<String> found = new ArrayList<>();
        for (String text : both()) {
            Process check = new ProcessBuilder(promtool.get().toString(), "check", "metrics")
                    .redirectErrorStream(true)
                    .start();
            try (OutputStream in = check.getOutputStream()) {
                in.write(text.getBytes(StandardCharsets.UTF_8));
            }
            found.add(new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
            assertThat(check.waitFor()).as(found.toString()).isZero();
        }
        assertThat(found).containsExactly("", "");
    }

    private static SortedSet<String> names(String pattern, String text) {
        SortedSet<String> names = new TreeSet<>();
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        while (matcher.find()) {
            names.add(matcher.group(1));
        }
        return names;
    }
}

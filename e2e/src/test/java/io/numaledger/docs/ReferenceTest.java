package io.numaledger.docs;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.numaledger.agent.metrics.AgentMetrics;
import io.numaledger.agent.metrics.ApiRequest;
import io.numaledger.agent.metrics.MeteredPodResources;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.podresources.PodResources;
import io.numaledger.podresources.PodResourcesException;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchException;

/** The reference lists every log event and every metric that there is, and none that there is not. */
class ReferenceTest {

    private static final Path ROOT = Path.of(System.getProperty("numaledger.root"));

    @Test
    void listsEveryLogEvent() throws IOException {
        SortedSet<String> logged = new TreeSet<>();
        for (Path source : sources("src/main/java")) {
            logged.addAll(found("\"event=([a-z._]+)", Files.readString(source)));
        }

        assertThat(found(
                        "(?m)^\\| `([a-z]+\\.[a-z._]+)`",
                        Files.readString(ROOT.resolve("docs/reference/log-events.md"))))
                .isEqualTo(logged);
    }

    @Test
    void everyTestAgainstAnotherExportersFaultIsThere() throws IOException {
        SortedSet<String> listed =
                found("`([A-Z]\\w+\\.[a-z]\\w+)`", Files.readString(ROOT.resolve("docs/comparison.md")));
        SortedSet<String> tests = new TreeSet<>();
        for (Path source : sources("src/test/java")) {
            String type = source.getFileName().toString().replace(".java", "");
            found("void (\\w+)\\(", Files.readString(source)).forEach(name -> tests.add(type + "." + name));
        }

        assertThat(listed).hasSizeGreaterThan(25);
        assertThat(tests).containsAll(listed);
    }

    @Test
    void listsEveryMetricOfTheAgent() throws IOException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        AgentMetrics metrics = new AgentMetrics(registry);
        metrics.lastSuccessAge(() -> 1);
        metrics.kubeletConfigSource(List.of("none"), () -> "none");
        metrics.configuration(() -> true);
        metrics.saw(0, OptionalInt.of(0));
        metrics.refused("TopologyAffinityError", true);
        metrics.apiRequest(ApiRequest.of("PATCH", "/api/v1/namespaces/a/pods/b", 200));
        metrics.ended(Duration.ofMillis(1), true, true);
        Exception failure = catchException(() -> new MeteredPodResources(new Unknowing(), metrics).get("a", "b"));
        assertThat(failure).isInstanceOf(PodResourcesException.class);

        SortedSet<String> served = found("(?m)^# TYPE (\\S+)", registry.scrape());
        served.remove("numaledger_agent_reconciliation_duration_seconds_max");

        assertThat(found(
                        "(?m)^\\| `(numaledger_agent_\\w+)`",
                        Files.readString(ROOT.resolve("docs/reference/metrics.md"))))
                .isEqualTo(served);
    }

    @Test
    void listsEveryMetricOfTheBridge() throws IOException {
        String source = Files.readString(
                ROOT.resolve("scheduler-bridge/src/main/java/io/numaledger/bridge/metrics/BridgeMetrics.java"));
        SortedSet<String> served = new TreeSet<>();
        found("Counter\\.builder\\(\\s*\"(\\w+)\"", source).forEach(name -> served.add(name + "_total"));
        found("Timer\\.builder\\(\\s*\"(\\w+)\"", source).forEach(name -> served.add(name + "_seconds"));
        served.addAll(found("Gauge\\.builder\\(\\s*\"(\\w+)\"", source));

        assertThat(served).hasSizeGreaterThan(9);
        assertThat(found(
                        "(?m)^\\| `(numaledger_bridge_\\w+)`",
                        Files.readString(ROOT.resolve("docs/reference/metrics.md"))))
                .isEqualTo(served);
    }

    /** The Java files of all modules under this folder of each. */
    private static List<Path> sources(String folder) throws IOException {
        List<Path> sources = new ArrayList<>();
        try (DirectoryStream<Path> modules = Files.newDirectoryStream(ROOT)) {
            for (Path module : modules) {
                if (Files.isDirectory(module.resolve(folder))) {
                    try (Stream<Path> files = Files.walk(module.resolve(folder))) {
                        files.filter(path -> path.toString().endsWith(".java")).forEach(sources::add);
                    }
                }
            }
        }
        return sources;
    }

    private static SortedSet<String> found(String pattern, String text) {
        SortedSet<String> found = new TreeSet<>();
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    /** A kubelet that knows no pod. */
    private static final class Unknowing implements PodResources {
        @Override
        public PodResourcesSnapshot list() {
            return new PodResourcesSnapshot(List.of());
        }

        @Override
        public AllocatableResources allocatable() throws PodResourcesException {
            throw PodResourcesException.noSuchPod("a", "b");
        }

        @Override
        public PodAllocation get(String namespace, String name) throws PodResourcesException {
            throw PodResourcesException.noSuchPod(namespace, name);
        }
    }
}

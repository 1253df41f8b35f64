package io.numaledger.e2e.install;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.simulator.cluster.SimCluster;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A Prometheus that records the metrics of an installed release, for the queries of the dashboards. */
final class DashboardRun implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    private final Optional<RecordingPrometheus> prometheus;

    private DashboardRun(Optional<RecordingPrometheus> prometheus) {
        this.prometheus = prometheus;
    }

    /** Prints a line if Prometheus is not installed; nothing is recorded and checked then. */
    static DashboardRun start(SimCluster cluster, Path directory) throws IOException {
        Optional<Path> program = RecordingPrometheus.program();
        if (program.isEmpty()) {
            System.out.println("skipped: the dashboards' queries on this run, because prometheus is not installed;"
                    + " Debian has it in the package prometheus");
            return new DashboardRun(Optional.empty());
        }
        return new DashboardRun(Optional.of(new RecordingPrometheus(
                program.get(),
                directory,
                Stream.concat(targets(cluster, "agent", 9464), targets(cluster, "bridge", 9444))
                        .toList())));
    }

    private static Stream<String> targets(SimCluster cluster, String component, int port) {
        return cluster
                .client()
                .pods()
                .inNamespace("numaledger")
                .withLabel("app.kubernetes.io/component", component)
                .list()
                .getItems()
                .stream()
                .map(pod -> pod.getStatus().getPodIP() + ":" + port);
    }

    void everyQueryHasValues() throws IOException, InterruptedException {
        if (prometheus.isPresent()) {
            everyQueryHasValues(prometheus.get());
        }
    }

    /** A rate needs two values. The metrics of problems have none here: there are no problems. */
    private static void everyQueryHasValues(RecordingPrometheus prometheus) throws IOException, InterruptedException {
        await().atMost(TIMEOUT)
                .until(() -> prometheus
                                .query("count(count_over_time(up[1h]) > 2) == 4")
                                .size()
                        == 1);
        assertThat(prometheus.query("up == 0")).isEmpty();
        Set<String> recorded = new TreeSet<>();
        prometheus.get("label/__name__/values").forEach(name -> recorded.add(name.asText()));
        Set<String> withoutValues = new TreeSet<>();
        for (String query : DashboardQueries.all()) {
            prometheus.query(query);
            Set<String> missing = DashboardQueries.metrics(query);
            missing.removeAll(recorded);
            withoutValues.addAll(missing);
            if (missing.isEmpty()) {
                assertThat(prometheus.query(DashboardQueries.withoutComparisons(query)))
                        .as(query)
                        .isNotEmpty();
            }
        }
        assertThat(withoutValues)
                .containsExactly(
                        "numaledger_bridge_devices_without_zone",
                        "numaledger_bridge_pods_without_record",
                        "numaledger_bridge_records_set_aside",
                        "numaledger_bridge_unmodelled_node");
        JsonNode alerts = prometheus.get("rules");
        assertThat(alerts.findValuesAsText("health"))
                .as("evaluations of %s", alerts)
                .hasSizeGreaterThan(10)
                .containsOnly("ok");
    }

    @Override
    public void close() {
        prometheus.ifPresent(RecordingPrometheus::close);
    }
}

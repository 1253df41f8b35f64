package io.numaledger.bridge.metrics;

import io.numaledger.bridge.metrics.ServerMetrics.Certificate;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.BridgeServer.Route;
import io.numaledger.bridge.server.Requests;
import io.numaledger.evaluation.link.ObservedLinks;
import io.numaledger.evaluation.snapshot.Confidence;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.audit.Outcome;
import io.numaledger.scheduling.queue.PendingPodQueue;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class BridgeMetricsTest {

    private final BridgeMetrics metrics = new BridgeMetrics();

    private List<String> lines() {
        Answer answer = metrics.scrape(Requests.of("GET", "", ""));
        assertThat(answer.contentType()).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
        return new String(answer.body(), StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void countsDecisionsByTheirLabels() {
        metrics.decisions().filtered("fits", "", 3);
        metrics.decisions().filtered("refused", "TopologyAffinityError", 2);
        metrics.decisions().bind(DecisionMetrics.BindOutcome.BOUND);
        metrics.placements().audited(Outcome.SAME, Confidence.EXACT);
        metrics.placements().audited(Outcome.ZONES, Confidence.PREDICTED);
        metrics.placements().kubeletRejectedAfterBind("TopologyAffinityError");
        metrics.placements().spreadViolated();
        metrics.placements().linksObserved(ObservedLinks.Result.WORSE);
        metrics.decisions().requeued();

        assertThat(lines())
                .contains(
                        "numaledger_bridge_filtered_nodes_total{reason=\"\",result=\"fits\"} 3.0",
                        "numaledger_bridge_filtered_nodes_total{reason=\"TopologyAffinityError\",result=\"refused\"} 2.0",
                        "numaledger_bridge_binds_total{outcome=\"bound\"} 1.0",
                        "numaledger_bridge_predictions_total{confidence=\"exact\",outcome=\"same\"} 1.0",
                        "numaledger_bridge_predictions_total{confidence=\"predicted\",outcome=\"zones\"} 1.0",
                        "numaledger_bridge_kubelet_rejections_after_bind_total{reason=\"TopologyAffinityError\"} 1.0",
                        "numaledger_bridge_spread_violations_total 1.0",
                        "numaledger_bridge_gpu_links_total{observed=\"worse\"} 1.0",
                        "numaledger_bridge_gpu_links_total{observed=\"missing\"} 0.0",
                        "numaledger_bridge_requeues_total 1.0");
    }

    @Test
    void readsTheCountersOfTheClusterState() {
        TestCluster cluster = new TestCluster();
        PendingPodQueue queue = new PendingPodQueue(
                cluster.state, cluster.evaluator, Duration.ZERO, System::nanoTime, (pod, node) -> {});
        metrics.register(cluster.state, cluster.evaluator.counters(), queue);
        cluster.apply(ClusterYaml.node("n"));
        var pod = ClusterYaml.pending("x", "cpu: \"4\", memory: 1Gi");
        cluster.evaluate(List.of("n"), pod);
        cluster.evaluate(List.of("n"), pod);
        assertThat(cluster.state.binds().<Boolean>bind("n", pod, evaluation -> true))
                .isTrue();

        assertThat(lines())
                .contains(
                        "numaledger_bridge_evaluations_total{method=\"fast_path\"} 1.0",
                        "numaledger_bridge_evaluations_total{method=\"cache\"} 1.0",
                        "numaledger_bridge_reservations 1.0",
                        "numaledger_bridge_pending_pods 0.0",
                        "numaledger_bridge_node_snapshot_builds_total 1.0");
    }

    @Test
    void tellsWhenCertificatesExpire() {
        AtomicReference<Optional<Instant>> expiry = new AtomicReference<>(Optional.empty());
        metrics.server().certificate(Certificate.CLIENT, "scheduler", expiry::get);
        String series =
                "numaledger_bridge_certificate_expiry_timestamp_seconds{certificate=\"client\",name=\"scheduler\"} ";
        assertThat(lines()).contains(series + "NaN");

        expiry.set(Optional.of(Instant.ofEpochSecond(1_800_000_000)));
        assertThat(lines()).contains(series + "1.8E9");
    }

    @Test
    void timesARouteAlsoWhenItFails() throws IOException {
        Request request = Requests.of("POST", "", "");
        Route fails = any -> {
            throw new IllegalArgumentException("no");
        };

        metrics.server().timed("filter", any -> Answer.text(200, "ok")).answer(request);
        assertThatThrownBy(() -> metrics.server().timed("filter", fails).answer(request))
                .hasMessage("no");

        assertThat(lines()).contains("numaledger_bridge_request_seconds_count{verb=\"filter\"} 2");
    }
}

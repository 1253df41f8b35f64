package io.numaledger.agent.health;

import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.exclude.ExclusionSource;
import io.numaledger.agent.kubelet.KubeletConfiguration;
import io.numaledger.agent.metrics.AgentMetrics;
import io.numaledger.agent.metrics.ApiRequest;
import io.numaledger.agent.metrics.MeteredPodResources;
import io.numaledger.agent.metrics.ReconciliationEvents;
import io.numaledger.agent.refusal.Refusals;
import io.numaledger.annotation.PodAnnotator;
import io.numaledger.annotation.PodView;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.TopologyPublisher;
import io.numaledger.podresources.PodResources;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/** Reports the agent's state to probes, metrics and the agent's own pod. */
public final class Supervision implements ReconciliationEvents, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Supervision.class);

    private final AgentMetrics metrics;
    private final Freshness freshness;
    private final Refusals refusals;
    private final Optional<PodConditions> conditions;
    private final BooleanSupplier outOfTouch;
    private final Optional<HealthServer> server;

    Supervision(
            ApiServer api,
            AgentMetrics metrics,
            Freshness freshness,
            Optional<PodConditions> conditions,
            BooleanSupplier outOfTouch,
            Optional<HealthServer> server) {
        this.metrics = metrics;
        this.freshness = freshness;
        this.conditions = conditions;
        this.outOfTouch = outOfTouch;
        this.server = server;
        this.refusals = new Refusals(metrics::refused);
        api.observe((method, path, status) -> {
            freshness.madeProgress();
            metrics.apiRequest(ApiRequest.of(method, path, status));
        });
        metrics.lastSuccessAge(() -> freshness
                .sinceSuccess()
                .map(Duration::toMillis)
                .map(millis -> (Number) (millis / 1000.0))
                .orElse(Double.NaN));
        server.ifPresent(listening -> log.info("event=health.listening port={}", listening.port()));
    }

    /** Counts the calls to the kubelet. */
    public PodResources metered(PodResources kubelet) {
        return new MeteredPodResources(kubelet, metrics);
    }

    public void watchConfiguration(KubeletConfiguration kubelet, ExclusionSource exclusions) {
        metrics.kubeletConfigSource(KubeletConfiguration.SOURCES, kubelet::source);
        metrics.configuration(exclusions::accepted);
    }

    @Override
    public void pods(List<PodView> pods) {
        freshness.madeProgress();
        refusals.observe(pods);
    }

    @Override
    public void polled() {
        freshness.succeeded();
    }

    @Override
    public void saw(int inconsistencies, OptionalInt devicesWithoutZone) {
        metrics.saw(inconsistencies, devicesWithoutZone);
    }

    @Override
    public void placements(PodAnnotator.Result written, int annotated) {
        metrics.placements(written, annotated);
    }

    @Override
    public void topology(TopologyPublisher.Outcome outcome, NodeTopology topology) {
        metrics.topology(outcome, topology);
    }

    @Override
    public void repaired(Repaired what, int count) {
        metrics.repaired(what, count);
    }

    @Override
    public void ended(Duration took, boolean kubeletAnswered, boolean published) {
        metrics.ended(took, kubeletAnswered, published);
        if (published && !outOfTouch.getAsBoolean()) {
            freshness.succeeded();
        } else {
            freshness.madeProgress();
        }
        conditions.ifPresent(own -> own.passEnded(kubeletAnswered, published));
    }

    @Override
    public void close() {
        server.ifPresent(HealthServer::close);
    }
}

package io.numaledger.agent.health;

import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.metrics.AgentMetrics;
import io.numaledger.cli.GoDuration;
import io.numaledger.tls.ReloadableKeys;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmRuntimeInfoMetric;
import io.prometheus.metrics.instrumentation.jvm.JvmThreadsMetrics;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The flags of the agent's health endpoints. */
public final class HealthOptions {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    private Optional<ListenAddress> listen = Optional.empty();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT|off",
            description = "serve /healthz, /readyz and /metrics there, such as :9464 (default: off)")
    void listen(String value) {
        try {
            listen =
                    value.equals("off") || value.isEmpty() ? Optional.empty() : Optional.of(ListenAddress.parse(value));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), "--listen: " + e.getMessage(), e);
        }
    }

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "serve HTTPS with this certificate, PEM; reloaded when it changes")
    private Optional<Path> certificate = Optional.empty();

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "private key, PEM, not encrypted; reloaded when it changes")
    private Optional<Path> key = Optional.empty();

    @Option(
            names = "--ready-within",
            converter = GoDuration.class,
            paramLabel = "DURATION",
            description = "not ready when the last success is older than this (default: 3m)")
    private Duration readyWithin = Duration.ofMinutes(3);

    @Option(
            names = "--pod-conditions",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "true|false",
            description =
                    "write the conditions PodresourcesFetched and NodeTopologyUpdated to the agent's own pod (POD_NAMESPACE, POD_NAME)")
    private boolean podConditions;

    /**
     * Starts what the flags enable.
     *
     * @param outOfTouch true while the watch does not work
     * @param clock does not jump
     * @throws IOException if it cannot be listened, or the keys cannot be read
     */
    public Supervision supervise(ApiServer api, BooleanSupplier outOfTouch, InstantSource clock) throws IOException {
        if (certificate.isPresent() != key.isPresent()) {
            throw new ParameterException(
                    command.commandLine(), "--tls-cert and --tls-key belong together; give both or neither");
        }
        Freshness freshness = new Freshness(readyWithin, clock);
        Optional<PodConditions> conditions = podConditions ? Optional.of(conditions(api)) : Optional.empty();
        if (listen.isEmpty()) {
            AgentMetrics nowhere = new AgentMetrics(new CompositeMeterRegistry());
            return new Supervision(api, nowhere, freshness, conditions, outOfTouch, Optional.empty());
        }
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        AgentMetrics metrics = new AgentMetrics(registry);
        HealthServer server = HealthServer.start(listen.get(), tls(), freshness, scrape(registry, metrics));
        return new Supervision(api, metrics, freshness, conditions, outOfTouch, Optional.of(server));
    }

    /** What is not needed before, the first scrape registers. */
    private static Supplier<String> scrape(PrometheusMeterRegistry registry, AgentMetrics metrics) {
        AtomicBoolean scraped = new AtomicBoolean();
        return () -> {
            if (!scraped.getAndSet(true)) {
                metrics.registerAll();
                registerRuntime(registry.getPrometheusRegistry());
            }
            return registry.scrape();
        };
    }

    /** Registers not all of {@code JvmMetrics}: native memory needs JMX, and the count of allocated bytes a thread that wakes at each collection. */
    private static void registerRuntime(PrometheusRegistry registry) {
        ProcessMetrics.builder().register(registry);
        JvmMemoryMetrics.builder().register(registry);
        JvmGarbageCollectorMetrics.builder().register(registry);
        JvmThreadsMetrics.builder().register(registry);
        JvmRuntimeInfoMetric.builder().register(registry);
    }

    private Optional<ReloadableKeys> tls() throws IOException {
        return certificate.isEmpty()
                ? Optional.empty()
                : Optional.of(ReloadableKeys.read(certificate.get(), key.get()));
    }

    private PodConditions conditions(ApiServer api) {
        return new PodConditions(api, environment("POD_NAMESPACE"), environment("POD_NAME"), InstantSource.system());
    }

    private String environment(String name) {
        String value = System.getenv(name);
        if (value == null || value.isEmpty()) {
            throw new ParameterException(
                    command.commandLine(),
                    "--pod-conditions needs the environment variable %s; set it".formatted(name));
        }
        return value;
    }
}

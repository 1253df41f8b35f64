package io.numaledger.simulator.deployment;

import io.fabric8.kubernetes.api.model.APIService;
import io.fabric8.kubernetes.api.model.APIServiceBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.wait.Wait;
import io.numaledger.bridge.certificate.IssuedCertificates;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.bridge.cli.SchedulerConfig.TlsFiles;
import io.numaledger.bridge.run.BridgeOptions;
import io.numaledger.simulator.cluster.ClusterCertificates;
import io.numaledger.simulator.cluster.ClusterCertificates.KeyFiles;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * A bridge behind the API server, as the chart makes it: HTTPS with certificates of the cluster's authority, a Service and an APIService.
 *
 * @param port of everything but metrics
 * @param metricsPort of probes and metrics over plain HTTP
 */
public record BridgeApi(int port, int metricsPort) {

    private static final String NAMESPACE = "numaledger";
    private static final String SERVICE = "numaledger-bridge";
    private static final String GROUP = "numaledger.io";
    private static final String VERSION = "v1alpha1";
    private static final String API_SERVICE = VERSION + "." + GROUP;

    String schedulerConfiguration(ClusterCertificates issued) {
        KeyFiles client = issued.client(IssuedCertificates.CLIENT_NAME);
        return SchedulerConfig.text(
                "https://127.0.0.1:" + port,
                "default-scheduler",
                Optional.empty(),
                Optional.of(new TlsFiles(issued.authority(), client.certificate(), client.key())),
                false);
    }

    /** Those of a bridge that the scheduler and the API server can call. */
    public BridgeOptions options(ClusterCertificates issued) {
        KeyFiles server = issued.server(SERVICE, List.of(SERVICE + "." + NAMESPACE + ".svc", "localhost"), "127.0.0.1");
        return BridgeOptions.of(List.of(
                "--listen=127.0.0.1:" + port,
                "--metrics-listen=127.0.0.1:" + metricsPort,
                "--tls-cert=" + server.certificate(),
                "--tls-key=" + server.key(),
                "--client-ca=" + issued.authority(),
                "--aggregated-api"));
    }

    /**
     * Registers the API, and returns when the API server passes requests on. Nothing routes to a cluster's addresses here.
     *
     * @param logs the directory with those of the API server
     */
    public void register(KubernetesClient client, ClusterCertificates issued, Path logs) {
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
        client.resource(new ServiceBuilder()
                        .withNewMetadata()
                        .withName(SERVICE)
                        .withNamespace(NAMESPACE)
                        .endMetadata()
                        .withNewSpec()
                        .withType("ExternalName")
                        .withExternalName("localhost")
                        .endSpec()
                        .build())
                .create();
        client.resource(apiService(issued.authority())).create();
        Wait.until("the API server passes requests on to the bridge: apiservice=" + API_SERVICE)
                .log(logs)
                .value(() -> availability(client), "True"::equals);
    }

    private APIService apiService(Path authority) {
        try {
            return new APIServiceBuilder()
                    .withNewMetadata()
                    .withName(API_SERVICE)
                    .endMetadata()
                    .withNewSpec()
                    .withGroup(GROUP)
                    .withVersion(VERSION)
                    .withGroupPriorityMinimum(1000)
                    .withVersionPriority(10)
                    .withNewService(SERVICE, NAMESPACE, port)
                    .withCaBundle(Base64.getEncoder().encodeToString(Files.readAllBytes(authority)))
                    .endSpec()
                    .build();
        } catch (IOException cause) {
            throw new UncheckedIOException("cannot read a certificate: file=%s; report it".formatted(authority), cause);
        }
    }

    /** {@code True}, or why not. */
    private static String availability(KubernetesClient client) {
        APIService found = client.apiServices().withName(API_SERVICE).get();
        return Optional.ofNullable(found.getStatus()).stream()
                .flatMap(status -> status.getConditions().stream())
                .filter(condition -> condition.getType().equals("Available"))
                .map(condition -> condition.getStatus().equals("True") ? "True" : condition.getMessage())
                .findFirst()
                .orElse("unknown");
    }
}

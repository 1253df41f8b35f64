package io.numaledger.agent.kubelet;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.api.RequestBudget;
import io.numaledger.agent.doctor.DoctorCommand;
import io.numaledger.agent.metrics.AgentMetrics;
import io.numaledger.agent.run.CapturedLog;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.nrt.KubeletSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** {@code configz} over TLS: when the agent trusts a kubelet, sends its token, and uses the configuration. */
class KubeletTlsTest {

    @TempDir
    private static Path directory;

    private static TlsKubelet kubelet;
    private static String clusterCa;

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private EmbeddedApiServer server;
    private Path kubeconfig;
    private ApiServer api;

    /** The CA of the cluster did not sign the certificate of the kubelet. */
    @BeforeAll
    static void signCertificates() throws IOException, InterruptedException {
        kubelet = new TlsKubelet(directory, "kubelet");
        try (TlsKubelet cluster = new TlsKubelet(directory, "cluster")) {
            clusterCa = cluster.certificatePem();
        }
    }

    @AfterAll
    static void stopKubelet() {
        kubelet.close();
    }

    @BeforeEach
    void start() throws IOException {
        kubelet.answers(200);
        kubelet.authorizations().clear();
        server = EmbeddedApiServer.start();
        kubeconfig = Files.writeString(directory.resolve("kubeconfig"), """
                    apiVersion: v1
                    kind: Config
                    current-context: c
                    clusters: [{name: c, cluster: {server: "%s", certificate-authority-data: %s}}]
                    contexts: [{name: c, context: {cluster: c, user: u}}]
                    users: [{name: u, user: {token: the-pods-token}}]
                    """.formatted(
                        server.url(), Base64.getEncoder().encodeToString(clusterCa.getBytes(StandardCharsets.UTF_8))));
        api = ApiServer.connect(Optional.of(kubeconfig), new RequestBudget(100, 100, System::nanoTime));
    }

    @AfterEach
    void stop() {
        api.close();
        server.close();
    }

    @Test
    void sendsItsTokenToAKubeletThatTheGivenCaVerifies() throws IOException {
        Path ca = Files.writeString(directory.resolve("ca.crt"), kubelet.certificatePem());
        assertThat(configz(Optional.of(ca), false).read().topologyManagerPolicy())
                .contains(TopologyPolicyName.parse("restricted"));
        assertThat(kubelet.authorizations()).containsExactly("Bearer the-pods-token");
    }

    @Test
    void sendsNothingToAKubeletThatDoesNotVerify() {
        assertThatThrownBy(() -> configz(Optional.empty(), false).read())
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("the kubelet's certificate does not verify: url=https://%s/configz: "
                        .formatted(kubelet.address()))
                .hasMessageEndingWith(
                        "; give --kubelet-ca or --kubelet-insecure-tls, or --kubelet-config or the policies' flags");
        assertThat(kubelet.authorizations()).isEmpty();
    }

    @Test
    void acceptsAnyCertificateOnRequest() throws IOException {
        assertThat(configz(Optional.empty(), true).read().cpuManagerPolicy()).contains(CpuPolicy.STATIC);
        assertThat(kubelet.authorizations()).containsExactly("Bearer the-pods-token");
    }

    @Test
    void namesTheMissingPermission() {
        kubelet.answers(403);
        assertThatThrownBy(() -> configz(Optional.empty(), true).read())
                .hasMessage(
                        "the kubelet does not serve its configuration: url=https://%s/configz status=403; grant get on nodes/configz (kubelets before 1.33 do not know it: give --kubelet-config or the policies' flags)",
                        kubelet.address());
        kubelet.answers(401);
        assertThatThrownBy(() -> configz(Optional.empty(), true).read()).hasMessageContaining("webhook authentication");
    }

    @Test
    void logsAnUnknownConfigurationOnce() throws IOException {
        try (CapturedLog log = new CapturedLog()) {
            KubeletConfiguration configuration = new KubeletConfiguration(
                    KubeletSettings.UNKNOWN,
                    Optional.empty(),
                    Optional.of(configz(Optional.empty(), false)::read),
                    () -> now);
            PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            new AgentMetrics(registry).kubeletConfigSource(KubeletConfiguration.SOURCES, configuration::source);
            for (int hour = 0; hour < 24; hour++) {
                assertThat(configuration.get()).isEqualTo(KubeletSettings.UNKNOWN);
                now = now.plus(Duration.ofHours(1));
            }
            assertThat(registry.scrape())
                    .contains("numaledger_agent_kubelet_config_source{config_source=\"none\"} 1")
                    .contains("numaledger_agent_kubelet_config_source{config_source=\"configz\"} 0");
            assertThat(log.events())
                    .singleElement()
                    .asString()
                    .startsWith("event=kubelet.config_unknown source=none reason='the kubelet's certificate");
        }
    }

    @Test
    void theDoctorReportsTheCertificate() {
        StringWriter out = new StringWriter();
        new CommandLine(new DoctorCommand())
                .setOut(new PrintWriter(out))
                .execute(
                        "--kubeconfig=" + kubeconfig,
                        "--node-name=n",
                        "--podresources-socket=" + directory.resolve("none.sock"),
                        "--kubelet-address=" + kubelet.address());
        assertThat(out.toString().lines())
                .anyMatch(line -> line.startsWith("fail  configz         the kubelet's certificate does not verify"))
                .anyMatch(line ->
                        line.startsWith("warn  kubelet config  the Topology Manager's policy is not known, and not"));
    }

    private Configz configz(Optional<Path> ca, boolean insecure) {
        return new Configz(
                api, "n", new Configz.Access(Optional.of(KubeletAddress.parse(kubelet.address())), ca, insecure));
    }
}

package io.numaledger.bridge.run;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.objects.ClaimReader;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.objects.Documents;
import io.numaledger.objects.ResourceSliceReader;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class ClaimReporterTest {

    private static final String SLICE = """
            metadata: {name: s}
            spec:
              driver: sriov.example.com
              nodeName: n
              pool: {name: n, generation: 1, resourceSliceCount: 1}
              devices:
              - {name: vf-0, attributes: {dra.net/numaNode: {int: 0}}}
              - {name: vf-3, attributes: {dra.net/numaNode: {int: 1}}}
            """;

    @TempDir
    private Path directory;

    private final TestCluster cluster = new TestCluster();
    private final BridgeMetrics metrics = new BridgeMetrics();
    private EmbeddedApiServer server;
    private KubernetesClient client;
    private ClaimReporter reporter;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        client = ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))));
        reporter = new ClaimReporter(
                metrics.claims(),
                new PodEvents(client, Runnable::run, () -> {}, InstantSource.system()),
                () -> Instant.EPOCH);
        cluster.apply(ClusterYaml.node("n"), pod());
        cluster.state
                .claims()
                .sliceChanged(
                        new ResourceSliceReader().slice(Documents.read(SLICE).get(0)));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    /** With CPUs of node-0. */
    private static String pod() {
        return ClusterYaml.running("a", "n", "cpu: \"2\", memory: 1Gi", "1-2")
                .replace("  nodeName: n", "  nodeName: n\n  resourceClaims: [{name: vf, resourceClaimName: c}]");
    }

    private void allocate(String device) throws IOException {
        allocate(device, "c");
    }

    private void allocate(String device, String claim) throws IOException {
        cluster.state
                .claims()
                .claimChanged(ClaimReader.claim(
                        Documents.read("""
                metadata: {name: %s, namespace: default}
                status:
                  allocation:
                    devices: {results: [{request: r, driver: sriov.example.com, pool: n, device: %s}]}
                """.formatted(claim, device)).get(0)));
    }

    private List<String> events(boolean leads) {
        reporter.report(cluster.state, leads);
        return client.v1().events().inNamespace("default").list().getItems().stream()
                .map(event -> "%s %s: %s"
                        .formatted(event.getReason(), event.getInvolvedObject().getName(), event.getMessage()))
                .toList();
    }

    @Test
    void writesOneEventOnAPodWhoseDeviceLiesElsewhere() throws IOException {
        assertThat(events(true)).as("without an allocation").isEmpty();
        allocate("vf-3");
        assertThat(events(false)).as("another replica leads").isEmpty();

        for (int i = 0; i < 3; i++) {
            assertThat(events(true))
                    .containsExactly("ClaimMisaligned a: CPUs on node-0; vf-3 of driver sriov.example.com on node-1");
        }
        assertThat(misaligned()).isEqualTo(1);
        assertThat(devices("1", "claimed")).isEqualTo(1);
        assertThat(devices("0", "free")).isEqualTo(1);
    }

    @Test
    void reportsDevicesThatAreApartOnAPodWithoutCpusOfItsOwn() throws IOException {
        cluster.apply(ClusterYaml.pod(
                "b",
                "",
                "",
                "  nodeName: n\n  resourceClaims: [{name: a, resourceClaimName: c}, {name: b, resourceClaimName: d}]",
                ", phase: Running"));
        allocate("vf-3");
        allocate("vf-0", "d");

        assertThat(events(true))
                .contains("ClaimMisaligned b: vf-3 of driver sriov.example.com on node-1;"
                        + " vf-0 of driver sriov.example.com on node-0");
    }

    @Test
    void isQuietAboutAnAlignedPod() throws IOException {
        allocate("vf-0");

        assertThat(events(true)).isEmpty();
        assertThat(metrics.registry()
                        .find("numaledger_bridge_misaligned_claim_pods")
                        .gauge())
                .isNull();
    }

    @Test
    void countsAPodOnceThatStartedWhileThisReplicaLed() throws IOException {
        allocate("vf-3");
        cluster.apply(demanding("required", "1970-01-01T00:00:01Z"));
        events(true);
        events(true);
        assertThat(afterBind("required")).isEqualTo(1);

        cluster.deletePod("a");
        events(true);
        cluster.apply(demanding("preferred", "1969-12-31T00:00:00Z"));
        assertThat(events(true)).hasSize(1);
        assertThat(afterBind("preferred")).as("the last leader's").isZero();
    }

    @Test
    void reportsAPodThatEndsBeforeItIsLookedAt() throws IOException {
        allocate("vf-3");
        cluster.apply(demanding("required", "1970-01-01T00:00:01Z"));
        reporter.podChanged(cluster.state.pods().get("default/a").orElseThrow(), cluster.state);
        cluster.apply(ClusterYaml.terminating(demanding("required", "1970-01-01T00:00:01Z")));
        reporter.podChanged(cluster.state.pods().get("default/a").orElseThrow(), cluster.state);
        cluster.deletePod("a");

        assertThat(events(true))
                .containsExactly("ClaimMisaligned a: CPUs on node-0; vf-3 of driver sriov.example.com on node-1");
        events(true);
        assertThat(afterBind("required")).isEqualTo(1);
    }

    /** Before its record was there, it was predicted on other CPUs. */
    @Test
    void forgetsAPodThatTurnsOutToBeAligned() throws IOException {
        allocate("vf-3");
        reporter.podChanged(cluster.state.pods().get("default/a").orElseThrow(), cluster.state);
        cluster.apply(pod().replace("1-2", "5-6"));
        reporter.podChanged(cluster.state.pods().get("default/a").orElseThrow(), cluster.state);
        cluster.deletePod("a");

        assertThat(events(true)).isEmpty();
    }

    private static String demanding(String alignment, String started) {
        return pod().replace("annotations: {", "annotations: {numaledger.io/claim-alignment: %s, ".formatted(alignment))
                .replace("phase: Running", "phase: Running, startTime: \"%s\"".formatted(started));
    }

    private double afterBind(String demand) {
        return metrics.registry()
                .get("numaledger_bridge_claims_misaligned_after_bind")
                .tag("demand", demand)
                .counter()
                .count();
    }

    private double misaligned() {
        return metrics.registry()
                .get("numaledger_bridge_misaligned_claim_pods")
                .tag("driver", "sriov.example.com")
                .gauge()
                .value();
    }

    private double devices(String numaNode, String state) {
        return metrics.registry()
                .get("numaledger_bridge_claim_devices")
                .tag("driver", "sriov.example.com")
                .tag("numa_node", numaNode)
                .tag("state", state)
                .gauge()
                .value();
    }
}

package io.numaledger.bridge.run;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.objects.ClaimReader;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.objects.Documents;
import io.numaledger.objects.ResourceSliceReader;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.dra.ClaimWriter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;

/** The device of the pod's claim lies on node-1 of node n, where the kubelet takes CPUs of node-0 first. */
class KeptClaimsTest {

    @TempDir
    private Path directory;

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
    private final TestCluster cluster = new TestCluster((pod, reservation) -> {}, now::get);
    private final BridgeMetrics metrics = new BridgeMetrics();
    private final List<String> givenBack = new ArrayList<>();
    private EmbeddedApiServer server;
    private KubernetesClient client;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        client = ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))));
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.pod(
                        "x",
                        "cpu: 2, memory: 1Gi",
                        ", annotations: {numaledger.io/claim-alignment: required}",
                        "  resourceClaims: [{name: vf, resourceClaimName: c}]",
                        ", conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable, message: \"NUMA: no\"}]"));
        cluster.state
                .claims()
                .sliceChanged(
                        new ResourceSliceReader().slice(Documents.read("""
                        metadata: {name: s}
                        spec:
                          driver: vf.example.com
                          nodeName: n
                          pool: {name: n, generation: 1, resourceSliceCount: 1}
                          devices: [{name: vf-1, attributes: {resource.kubernetes.io/numaNode: {int: 1}}}]
                        """).get(0)));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    /** @param users of the claim, as YAML */
    private void allocate(String users) throws IOException {
        cluster.state
                .claims()
                .claimChanged(
                        ClaimReader.claim(Documents.read("""
                metadata: {name: c, namespace: default}
                status:
                  allocation:
                    devices: {results: [{request: r, driver: vf.example.com, pool: n, device: vf-1}]}
                    nodeSelector:
                      nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n]}]}]
                  reservedFor: [%s]
                """.formatted(users)).get(0)));
    }

    private KeptClaims claims(Optional<ClaimWriter> writer) {
        return new KeptClaims(
                cluster.state,
                cluster.evaluator,
                new PodEvents(client, Runnable::run, () -> {}, InstantSource.system()),
                metrics.claims(),
                writer,
                now::get);
    }

    private boolean giveBack(ResourceClaim claim) {
        givenBack.add(claim.key());
        return true;
    }

    private List<String> checkTwice(KeptClaims claims) {
        claims.check();
        assertThat(events()).as("at first").isEmpty();
        now.updateAndGet(before -> before.plus(KeptClaims.KEPT_AFTER));
        claims.check();
        now.updateAndGet(before -> before.plus(Duration.ofSeconds(10)));
        claims.check();
        return events();
    }

    private List<String> events() {
        return client.v1().events().inNamespace("default").list().getItems().stream()
                .map(event -> "%s: %s".formatted(event.getReason(), event.getMessage()))
                .toList();
    }

    @Test
    void saysOnceThatAClaimIsNotGivenBack() throws IOException {
        allocate("");
        assertThat(checkTwice(claims(Optional.empty())))
                .containsExactly(
                        "ClaimKept: the pod can use only the node on which claim c is allocated, and it does not fit there: "
                                + "CPUs would come from node-0; its claims hold vf-1 of driver vf.example.com, on node-1; "
                                + "kube-scheduler gives a claim back only after it has refused another node for it; "
                                + "delete the pod and the claim, or see --give-back-claims");
    }

    @Test
    void givesItBackIfAskedTo() throws IOException {
        allocate("");
        assertThat(checkTwice(claims(Optional.of(this::giveBack)))).isEmpty();
        assertThat(givenBack).containsExactly("default/c");
        assertThat(metrics.registry()
                        .get("numaledger_bridge_claims_given_back")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void leavesAClaimToThePodsThatUseIt() throws IOException {
        allocate("{resource: pods, name: y, uid: uid-y}");
        assertThat(checkTwice(claims(Optional.of(this::giveBack))))
                .singleElement()
                .asString()
                .endsWith("on node-1; other pods use the claim");
        assertThat(givenBack).isEmpty();
    }

    @Test
    void isQuietWhereKubeSchedulerGivesItBack() throws IOException {
        allocate("");
        KeptClaims claims = claims(Optional.empty());
        claims.check();
        cluster.state.claims().claimDeleted("default", "c");
        now.updateAndGet(before -> before.plus(KeptClaims.KEPT_AFTER));
        claims.check();
        allocate("");
        claims.check();
        assertThat(events()).isEmpty();
    }
}

package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.real.RealApiServer;
import io.numaledger.evaluation.claim.DeviceClass;
import io.numaledger.evaluation.claim.DeviceCounts;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.scheduling.dra.ClusterClaims;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class ClaimWatchTest {

    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    @TempDir
    private Path directory;

    private final ClusterClaims claims = new ClusterClaims(node -> {}, () -> {}, () -> {}, InstantSource.system());

    @Test
    void aClusterWithoutTheApiHasNoDevices() throws IOException {
        try (EmbeddedApiServer server = EmbeddedApiServer.start();
                KubernetesClient client =
                        ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))));
                ClaimWatch watch = new ClaimWatch(client, claims)) {
            watch.start().join();

            assertThat(claims.nodes()).isEmpty();
        }
    }

    @Test
    void followsSlicesClaimsAndClassesOfARealApiServer() throws IOException {
        String assets = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(
                assets != null, "skipped: KUBEBUILDER_ASSETS does not name a directory with kube-apiserver and etcd");
        try (RealApiServer server = RealApiServer.start(Path.of(assets), directory.resolve("api"));
                KubernetesClient client = ClusterReader.client(Optional.of(server.kubeconfig()));
                ClaimWatch watch = new ClaimWatch(client, claims)) {
            create(client);
            watch.start().join();

            assertThat(claims.classOf("example.com/vf")).map(DeviceClass::name).contains("vf");
            assertThat(claims.devices("n").counts())
                    .containsExactly(
                            new DeviceCounts("vf.example.com", Optional.of(0), 0, 1),
                            new DeviceCounts("vf.example.com", Optional.of(1), 0, 1));
            assertThat(claims.claim("default", "c").flatMap(ResourceClaim::allocation))
                    .isEmpty();

            allocate(client, "c", "vf.example.com", "vf-1");
            await().atMost(TIMEOUT)
                    .untilAsserted(() ->
                            assertThat(claims.devices("n").claims().values()).containsExactly("default/c"));

            client.genericKubernetesResources("resource.k8s.io/v1", "ResourceSlice")
                    .withName("s")
                    .delete();
            await().atMost(TIMEOUT)
                    .untilAsserted(() -> assertThat(claims.devices("n").counts())
                            .containsExactly(new DeviceCounts("vf.example.com", Optional.of(1), 1, 0)));

            client.genericKubernetesResources("resource.k8s.io/v1", "ResourceClaim")
                    .inNamespace("default")
                    .withName("c")
                    .delete();
            await().atMost(TIMEOUT).until(() -> claims.nodes().isEmpty());
        }
    }

    /** An API server refuses none of these. */
    @Test
    void oddObjectsOfARealApiServerStopNothing() throws IOException {
        String assets = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(
                assets != null, "skipped: KUBEBUILDER_ASSETS does not name a directory with kube-apiserver and etcd");
        try (RealApiServer server = RealApiServer.start(Path.of(assets), directory.resolve("api"));
                KubernetesClient client = ClusterReader.client(Optional.of(server.kubeconfig()));
                ClaimWatch watch = new ClaimWatch(client, claims)) {
            create(client);
            String name = "d".repeat(63);
            String devices = IntStream.range(0, 127)
                    .mapToObj(at -> "  - {name: d-%d, attributes: {resource.kubernetes.io/numaNode: %s}}"
                            .formatted(
                                    at,
                                    List.of("{string: '1'}", "{int: -7}", "{int: 9999999999}", "{version: 1.0.0}")
                                            .get(at % 4)))
                    .collect(Collectors.joining("\n"));
            client.resource("""
                    apiVersion: resource.k8s.io/v1
                    kind: ResourceSlice
                    metadata: {name: odd}
                    spec:
                      driver: vf.example.com
                      nodeName: odd
                      pool: {name: odd, generation: 7, resourceSliceCount: 1}
                      devices:
                      - {name: %s, attributes: {resource.kubernetes.io/pciBusID: {string: nowhere}}}
                    %s
                    """.formatted(name, devices)).create();
            client.resource("""
                    apiVersion: resource.k8s.io/v1
                    kind: ResourceClaim
                    metadata: {name: nowhere, namespace: default}
                    spec: {devices: {requests: [{name: r, exactly: {deviceClassName: nowhere}}]}}
                    """).create();
            allocate(client, "nowhere", "gone.example.com", "d-0");
            watch.start().join();

            allocate(client, "c", "vf.example.com", "vf-1");
            await().atMost(TIMEOUT)
                    .untilAsserted(() ->
                            assertThat(claims.devices("n").claims().values()).containsExactly("default/c"));
            assertThat(claims.devices("odd").counts())
                    .containsExactly(new DeviceCounts("vf.example.com", Optional.empty(), 0, 128));
            assertThat(claims.claim("default", "nowhere").orElseThrow().devices())
                    .extracting(result -> result.device().driver())
                    .containsExactly("gone.example.com");
            assertThat(claims.nodes()).containsExactly("n", "odd");
        }
    }

    private static void create(KubernetesClient client) {
        client.resource("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: vf}
                spec:
                  extendedResourceName: example.com/vf
                  selectors: [{cel: {expression: device.driver == 'vf.example.com'}}]
                """).create();
        client.resource("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: s}
                spec:
                  driver: vf.example.com
                  nodeName: n
                  pool: {name: n, generation: 1, resourceSliceCount: 1}
                  devices:
                  - {name: vf-0, attributes: {resource.kubernetes.io/numaNode: {int: 0}}}
                  - {name: vf-1, attributes: {resource.kubernetes.io/numaNode: {int: 1}}}
                """).create();
        client.resource("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: c, namespace: default}
                spec: {devices: {requests: [{name: r, exactly: {deviceClassName: vf}}]}}
                """).create();
    }

    private static void allocate(KubernetesClient client, String claim, String driver, String device) {
        client.genericKubernetesResources("resource.k8s.io/v1", "ResourceClaim")
                .inNamespace("default")
                .withName(claim)
                .subresource("status")
                .patch(PatchContext.of(PatchType.JSON_MERGE), """
                        {"status": {"allocation": {"devices": {"results": [
                          {"request": "r", "driver": "%s", "pool": "n", "device": "%s"}]}}}}
                        """.formatted(driver, device));
    }
}

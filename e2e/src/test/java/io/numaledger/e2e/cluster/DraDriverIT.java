package io.numaledger.e2e.cluster;

import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.DeviceClaims;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.podresources.v1.ClaimResource;
import io.numaledger.podresources.v1.ContainerResources;
import io.numaledger.podresources.v1.DynamicResource;
import io.numaledger.podresources.v1.ListPodResourcesRequest;
import io.numaledger.podresources.v1.PodResourcesListerGrpc;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.rehearsal.ClusterRequests;
import io.numaledger.simulator.socket.UnixSocketClient;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/** Simulated DRA drivers serve a real kubelet, and kube-scheduler allocates their devices. */
class DraDriverIT {

    private static final String GPU = "gpu.example.com";
    private static final String VF = "vf.example.com";

    private static SimCluster cluster;
    private static ClusterPods pods;

    @BeforeAll
    static void start() {
        cluster = SimCluster.builder(RealKubernetes.binaries())
                .featureGates(List.of("DRAListTypeAttributes=true"))
                .nodes(NodeSpecYaml.parse("""
                        nodes:
                        - name: one
                          kubelet: {topologyManagerPolicy: single-numa-node}
                          numaNodes: [{id: 0, cores: 8, memory: 16Gi}, {id: 1, cores: 8, memory: 16Gi}]
                          draDrivers:
                          - driver: gpu.example.com
                            extendedResourceName: example.com/gpu
                            devices:
                            - {count: 1, attributes: {resource.kubernetes.io/numaNode: {int: 1}}, capacity: {memory: {value: 80Gi}}}
                            - {count: 1, attributes: {resource.kubernetes.io/numaNode: {ints: [1, 0]}}}
                          - driver: vf.example.com
                            devices:
                            - {names: [vf-a], attributes: {dra.net/numaNode: {int: -1}}}
                            - names: [vf-b]
                              attributes: {resource.kubernetes.io/pciBusID: {string: "0000:3b:00.0"}}
                              pciNumaNode: 1
                            - {count: 200}
                            prepareError: no such firmware
                          - driver: late.example.com
                            devices: [{count: 1}]
                            startDelaySeconds: 3600
                        """))
                .start();
        pods = new ClusterPods(cluster);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @AfterEach
    void deletePods() {
        pods.deleteAll();
        claims().deleteAll();
    }

    private static SimNode node() {
        return cluster.node("one");
    }

    private static DeviceClaims claims() {
        return new DeviceClaims(cluster.client());
    }

    /** A pod with exclusive CPUs that has a claim of its own name. */
    private static void createWithClaim(String name, String deviceClass) {
        claims().create(name, DeviceClaims.request(deviceClass));
        pods.create(SimplePod.named(name).claiming(name).with("main", "cpu=2", "memory=1Gi"));
    }

    private static ContainerResources reported(String pod) {
        try (UnixSocketClient client = new UnixSocketClient(node().podResourcesSocket())) {
            return PodResourcesListerGrpc.newBlockingStub(client.channel())
                    .list(ListPodResourcesRequest.getDefaultInstance())
                    .getPodResourcesList()
                    .stream()
                    .filter(resources -> resources.getName().equals(pod))
                    .findFirst()
                    .orElseThrow()
                    .getContainers(0);
        }
    }

    private static List<ResourceSlice> slices(String driver) {
        return cluster.client()
                .resources(ResourceSlice.class)
                .withField("spec.driver", driver)
                .list()
                .getItems();
    }

    @Test
    void aPodGetsTheDeviceOfItsClaimBesideItsCpus() {
        createWithClaim("claims", GPU);

        pods.awaitPhase("claims", "Running");
        DeviceRequestAllocationResult device = claims().devices("claims").get(0);
        assertThat(device.getDriver()).isEqualTo(GPU);
        assertThat(device.getPool()).isEqualTo("one");
        assertThat(device.getDevice()).isEqualTo("gpu-0");
        ContainerResources container = reported("claims");
        assertThat(container.getCpuIdsList()).hasSize(2);
        DynamicResource claim = container.getDynamicResources(0);
        assertThat(claim.getClaimName()).isEqualTo("claims");
        assertThat(claim.getClaimNamespace()).isEqualTo("default");
        assertThat(claim.getClaimResourcesList())
                .extracting(
                        ClaimResource::getDriverName,
                        ClaimResource::getPoolName,
                        ClaimResource::getDeviceName,
                        ClaimResource::hasShareId,
                        resource -> resource.getCdiDevices(0).getName())
                .containsExactly(tuple(GPU, "one", "gpu-0", false, "gpu.example.com/device=gpu-0"));
    }

    @Test
    void aPodGetsADeviceAsExtendedResource() {
        pods.create(SimplePod.named("extended").with("main", "cpu=2", "memory=1Gi", "example.com/gpu=1"));

        pods.awaitPhase("extended", "Running");
        ContainerResources container = reported("extended");
        assertThat(container.getDevicesList()).isEmpty();
        assertThat(container.getDynamicResources(0).getClaimResources(0).getDriverName())
                .isEqualTo(GPU);
    }

    @Test
    void slicesHaveTheAttributesAsWritten() {
        assertThat(slices(GPU))
                .singleElement()
                .satisfies(slice -> assertThat(slice.getSpec().getDevices())
                        .extracting(device -> device.getAttributes()
                                .get("resource.kubernetes.io/numaNode")
                                .getInts())
                        .containsExactly(List.of(), List.of(1L, 0L)));
        assertThat(slices(VF))
                .extracting(
                        slice -> slice.getSpec().getDevices().size(),
                        slice -> slice.getSpec().getPool().getResourceSliceCount())
                .containsExactlyInAnyOrder(tuple(128, 2L), tuple(74, 2L));
        assertThat(slices("late.example.com")).isEmpty();
        assertThat(node().hardwareRoot().resolve("sys/bus/pci/devices/0000:3b:00.0/numa_node"))
                .hasContent("1");
    }

    @Test
    void aPodWaitsForADriverThatFails() {
        createWithClaim("waits", VF);

        await("the kubelet says why the pod does not start")
                .atMost(ClusterPods.TIMEOUT)
                .until(() -> cluster.client().v1().events().inNamespace("default").list().getItems().stream()
                        .anyMatch(event -> event.getReason().equals("FailedPrepareDynamicResources")
                                && event.getMessage().contains("no such firmware")));
        assertThat(pods.get("waits").getStatus().getPhase()).isEqualTo("Pending");
        assertThat(reported("waits").getCpuIdsList()).hasSize(2);
        assertThat(reported("waits").getDynamicResourcesList())
                .allSatisfy(claim -> assertThat(claim.getClaimResourcesList()).isEmpty());
    }

    @Test
    void theSlicesOfADriverThatStopsVanishAndTheAllocationStays() {
        createWithClaim("stays", GPU);
        pods.awaitPhase("stays", "Running");

        new ClusterRequests(cluster).answer(List.of("stop-driver", "one", GPU));
        await("the kubelet deletes the ResourceSlices")
                .atMost(Duration.ofMinutes(3))
                .until(() -> slices(GPU).isEmpty());
        assertThat(claims().devices("stays")).hasSize(1);
        assertThat(pods.isRunning("stays")).isTrue();

        new ClusterRequests(cluster).answer(List.of("start-driver", "one", GPU));
        assertThat(slices(GPU)).hasSize(1);
    }

    @Test
    void aKubeletThatRestartsKnowsItsDrivers() {
        node().stopKubelet();
        node().startKubelet();

        await("the driver has published its devices again")
                .atMost(ClusterPods.TIMEOUT)
                .until(() -> node().hasSettled());
        createWithClaim("after", GPU);
        pods.awaitPhase("after", "Running");
    }
}

package io.numaledger.scheduling.state;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.evaluation.claim.ResourceSlice;
import io.numaledger.evaluation.facts.BindRequest;
import io.numaledger.evaluation.snapshot.PlacementSource;
import io.numaledger.evaluation.snapshot.PodHolding;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.objects.CustomObjectReader;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Pods that KAI-Scheduler has given a node are charged there before its binder binds them. Nodes have two zones of 4 CPUs. */
class RequestedBindsTest {

    private static final String PENDING = ClusterYaml.pod("p", "cpu: \"3\", memory: 1Gi", "", "", ", phase: Pending");

    private final TestCluster cluster = new TestCluster();

    @BeforeEach
    void twoNodes() {
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.node("m"));
    }

    private static BindRequest request(String node, String more) {
        String json = """
                {"metadata": {"name": "p", "namespace": "default", "ownerReferences": [{"kind": "Pod", "uid": "uid-p"}]},
                 "spec": {"podName": "p", "selectedNode": "%s", "backoffLimit": 2,
                          "predictedNUMAZones": [{"zone": "node-1", "amount": {"cpu": "3"}}]}%s}""".formatted(node, more);
        return CustomObjectReader.bindRequest(json(json));
    }

    private static JsonNode json(String text) {
        try {
            return new ObjectMapper().readTree(text);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<PodHolding> pods(String node) {
        return cluster.snapshot(node).pods();
    }

    @Test
    void chargesThePredictedZonesWhicheverComesFirst() {
        cluster.apply(PENDING);
        cluster.state.bindRequestChanged(request("n", ""), Set.of());

        assertThat(pods("n")).hasSize(1);
        assertThat(pods("n").get(0).source()).isEqualTo(PlacementSource.RESERVED);
        assertThat(pods("n").get(0).placement().on(1).get("cpu")).isEqualTo(3000);

        cluster.deletePod("p");
        assertThat(pods("n")).isEmpty();
        cluster.apply(PENDING);
        assertThat(pods("n")).hasSize(1);
    }

    @Test
    void followsTheRequestToAnotherNodeAndToItsEnd() {
        cluster.apply(PENDING);
        cluster.state.bindRequestChanged(request("n", ""), Set.of());
        cluster.state.bindRequestChanged(request("m", ""), Set.of());

        assertThat(pods("n")).isEmpty();
        assertThat(pods("m")).hasSize(1);

        cluster.state.bindRequestDeleted("default/p");
        assertThat(pods("m")).isEmpty();
        assertThat(cluster.state.reservations()).isZero();
    }

    @Test
    void doesNotChargeARequestThatHasFailedForGood() {
        cluster.apply(PENDING);
        cluster.state.bindRequestChanged(
                request("n", ", \"status\": {\"phase\": \"Failed\", \"failedAttempts\": 1}"), Set.of());
        assertThat(pods("n")).as("is tried again").hasSize(1);

        cluster.state.bindRequestChanged(
                request("n", ", \"status\": {\"phase\": \"Failed\", \"failedAttempts\": 2}"), Set.of());
        assertThat(pods("n")).isEmpty();
    }

    @Test
    void thePodStaysChargedWhenItIsBound() {
        cluster.apply(PENDING);
        cluster.state.bindRequestChanged(request("n", ""), Set.of());
        cluster.apply(ClusterYaml.pod("p", "cpu: \"3\", memory: 1Gi", "", "  nodeName: n", ", phase: Pending"));
        assertThat(pods("n")).hasSize(1);

        cluster.state.bindRequestDeleted("default/p");
        assertThat(pods("n")).hasSize(1);
    }

    @Test
    void aPodThatIsBoundElsewhereIsChargedThere() {
        cluster.apply(PENDING);
        cluster.state.bindRequestChanged(request("n", ""), Set.of());
        cluster.apply(ClusterYaml.pod("p", "cpu: \"3\", memory: 1Gi", "", "  nodeName: m", ", phase: Pending"));

        assertThat(pods("n")).isEmpty();
        assertThat(pods("m")).hasSize(1);
    }

    @Test
    void aRequestForAnEarlierPodOfThatNameChargesNothing() {
        cluster.apply(PENDING.replace("uid-p", "uid-other"));
        cluster.state.bindRequestChanged(request("n", ""), Set.of());

        assertThat(pods("n")).isEmpty();
    }

    @Test
    void theDevicesOfItsClaimsAreHeldUntilTheRequestOrThePodEnds() {
        DeviceId gpu = new DeviceId("gpu.example.com", "n", "gpu-0");
        cluster.state
                .claims()
                .sliceChanged(
                        new ResourceSlice("s", gpu.driver(), gpu.pool(), 1, 1, List.of(device(gpu, "n")), List.of()));
        Set<DeviceId> devices = CustomObjectReader.requestedDevices(json("""
                {"spec": {
                  "resourceClaimAllocations": [
                    {"name": "gpu", "allocation": {"devices": {"results": [
                      {"request": "r", "driver": "gpu.example.com", "pool": "n", "device": "gpu-0"},
                      {"request": "a", "driver": "gpu.example.com", "pool": "n", "device": "gpu-1", "adminAccess": true}]}}},
                    {"name": "odd", "allocation": 3}],
                  "extendedResourceClaimAllocation": {"allocation": {"devices": {"results": [
                    {"request": "e", "driver": "vf.example.com", "pool": "n", "device": "vf-0"}]}}}}}
                """));
        assertThat(devices).containsExactlyInAnyOrder(gpu, new DeviceId("vf.example.com", "n", "vf-0"));

        cluster.state.bindRequestChanged(request("n", ""), devices);
        assertThat(free("n")).as("nobody knows the pod").hasSize(1);
        cluster.apply(PENDING);
        assertThat(free("n")).isEmpty();
        cluster.apply(ClusterYaml.pod("p", "cpu: \"3\", memory: 1Gi", "", "  nodeName: n", ", phase: Pending"));
        assertThat(free("n")).as("its claim may be seen later").isEmpty();
        cluster.state.bindRequestDeleted("default/p");
        assertThat(free("n")).hasSize(1);

        cluster.state.bindRequestChanged(request("n", ""), devices);
        cluster.deletePod("p");
        assertThat(free("n")).hasSize(1);
    }

    private List<Device> free(String node) {
        return cluster.state.claims().devices(node).free();
    }

    private static Device device(DeviceId id, String node) {
        return new Device(
                id,
                Optional.of(node),
                NumaNodes.of(Map.of()),
                new TreeMap<>(),
                new TreeMap<>(),
                List.of(),
                false,
                false);
    }

    @Test
    void namesTheFieldThatIsMissing() {
        assertThatThrownBy(() -> request("", ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a BindRequest has no spec.selectedNode: name=p");
    }
}

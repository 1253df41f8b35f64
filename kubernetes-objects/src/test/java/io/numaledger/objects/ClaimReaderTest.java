package io.numaledger.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import io.numaledger.evaluation.claim.ClaimAllocation;
import io.numaledger.evaluation.claim.DeviceClass;
import io.numaledger.evaluation.claim.DeviceRequest;
import io.numaledger.evaluation.claim.DeviceRequest.AllocationMode;
import io.numaledger.evaluation.claim.DeviceRequest.Alternative;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.Toleration;
import io.numaledger.pod.RequestedAmount;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

class ClaimReaderTest {

    /** Whoever explains a pod writes all of it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "status: {}",
                "status: {resourceClaimStatuses: [{name: g, resourceClaimName: another}]}",
                "status: {resourceClaimStatuses: x}",
                "status: {resourceClaimStatuses: {a: 1}}"
            })
    void makesTheClaimsOfADescribedPodFromTheirTemplates(String status) throws IOException {
        List<JsonNode> templates = new ArrayList<>(Documents.read("""
                metadata: {name: t}
                spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
                ---
                metadata: {name: another}
                ---
                spec: {spec: {}}
                """));
        templates.add(IntNode.valueOf(1));
        PodManifest pod = PodManifest.read("""
                        kind: Pod
                        metadata: {name: p, namespace: team}
                        spec:
                          resourceClaims: [{name: g, resourceClaimTemplateName: t}, {name: h, resourceClaimName: there}]
                          containers: [{name: c, image: i}]
                        %s
                        """.formatted(status)).withTemplates(templates);

        assertThat(pod.pod().claims().names()).containsExactly("p-g", "there");
        assertThat(pod.claims()).singleElement().satisfies(claim -> {
            assertThat(claim.key()).isEqualTo("team/p-g");
            assertThat(claim.requests()).extracting(DeviceRequest::name).containsExactly("gpu");
        });
    }

    @Test
    void readsWhatAClaimRequests() throws IOException {
        ResourceClaim claim = claim("""
                metadata: {name: c, namespace: team, uid: u}
                spec:
                  devices:
                    requests:
                    - name: gpu
                      exactly:
                        deviceClassName: gpu.nvidia.com
                        selectors: [{cel: {expression: "device.attributes['gpu.nvidia.com'].type == 'gpu'"}}]
                        count: 2
                        tolerations: [{key: k, operator: Exists, effect: NoExecute}]
                        capacity: {requests: {memory: 10Gi}}
                    - name: nic
                      firstAvailable:
                      - {name: fast, deviceClassName: cx7, allocationMode: All}
                      - {name: slow, deviceClassName: cx5, allocationMode: ExactCount}
                    - {name: monitor, exactly: {deviceClassName: gpu, allocationMode: All, adminAccess: true}}
                    constraints:
                    - {requests: [gpu, nic/fast], matchAttribute: resource.kubernetes.io/numaNode}
                    - {distinctAttribute: gpu.nvidia.com/uuid}
                """);

        assertThat(claim.key()).isEqualTo("team/c");
        assertThat(claim.problems()).isEmpty();
        assertThat(claim.requests()).extracting(DeviceRequest::name).containsExactly("gpu", "nic", "monitor");
        Alternative gpu = claim.requests().get(0).alternatives().get(0);
        assertThat(gpu.selectors()).containsExactly("device.attributes['gpu.nvidia.com'].type == 'gpu'");
        assertThat(gpu.mode()).isEqualTo(AllocationMode.EXACT_COUNT);
        assertThat(gpu.count()).isEqualTo(2);
        assertThat(gpu.tolerations()).containsExactly(new Toleration("k", "Exists", "", "NoExecute"));
        assertThat(gpu.capacity()).containsEntry("memory", RequestedAmount.parse("10Gi"));
        assertThat(claim.requests().get(1).alternatives())
                .extracting(Alternative::name, Alternative::mode, Alternative::count)
                .containsExactly(tuple("fast", AllocationMode.ALL, 1L), tuple("slow", AllocationMode.EXACT_COUNT, 1L));
        assertThat(claim.requests().get(2).alternatives().get(0).adminAccess()).isTrue();
        assertThat(claim.constraints().get(0).requests()).containsExactly("gpu", "nic/fast");
        assertThat(claim.constraints().get(0).matchAttribute()).contains("resource.kubernetes.io/numaNode");
        assertThat(claim.constraints().get(1).distinctAttribute()).contains("gpu.nvidia.com/uuid");
        assertThat(claim.allocation()).isEmpty();
    }

    @Test
    void readsWhatIsAllocated() throws IOException {
        ResourceClaim claim = claim("""
                metadata: {name: c, namespace: team, uid: u}
                status:
                  allocation:
                    devices:
                      results:
                      - {request: nic/fast, driver: dra.net, pool: n1, device: eth1, adminAccess: null}
                      - {request: m, driver: dra.memory, pool: n1, device: m0, shareID: 4e1f, consumedCapacity: {dra.memory/size: 2Gi}}
                    nodeSelector:
                      nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]
                  reservedFor: [{resource: pods, name: a, uid: u2}, {resource: pods, name: b, uid: u1}]
                """);

        ClaimAllocation allocation = claim.allocation().orElseThrow();
        assertThat(allocation.node()).contains("n1");
        assertThat(allocation.devices())
                .extracting(each -> each.device().toString())
                .containsExactly("dra.net/n1/eth1", "dra.memory/n1/m0");
        assertThat(allocation.devices().get(0).shareId()).isEmpty();
        assertThat(allocation.devices().get(1).shareId()).contains("4e1f");
        assertThat(allocation.devices().get(1).consumed()).containsKey("dra.memory/size");
        assertThat(claim.reservedFor()).containsExactly("u1", "u2");
    }

    @Test
    void anAllocationForSeveralNodesNamesNone() throws IOException {
        ClaimAllocation allocation = claim("""
                metadata: {name: c}
                status:
                  allocation:
                    nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}
                """).allocation().orElseThrow();

        assertThat(allocation.node()).isEmpty();
        assertThat(allocation.devices()).isEmpty();
    }

    @Test
    void namesWhatIsOfAnUnknownForm() throws IOException {
        ResourceClaim claim = claim("""
                metadata: {name: c}
                spec:
                  devices:
                    requests:
                    - {name: later, someOf: {x: 1}}
                    - {name: odd, exactly: {deviceClassName: 3, allocationMode: Half, count: many, selectors: [{rego: x}],
                       capacity: {requests: {a: lots}}}}
                    constraints: [{sameRack: true}]
                status: {allocation: here, reservedFor: 5}
                """);

        assertThat(claim.problems())
                .containsExactly(
                        "the request 'later' is of a form that is not known", "the capacity 'a' cannot be read");
        Alternative odd = claim.requests().get(1).alternatives().get(0);
        assertThat(odd.mode()).isEqualTo(AllocationMode.UNKNOWN);
        assertThat(odd.count()).isEqualTo(1);
        assertThat(odd.selectors()).containsExactly("{\"rego\":\"x\"}");
        assertThat(claim.constraints().get(0).matchAttribute()).isEmpty();
        assertThat(claim.allocation()).isEmpty();
    }

    @Test
    void cutsListsAndNamesThem() throws IOException {
        ResourceClaim claim = claim("""
                {"metadata": {"name": "c"}, "status": {"allocation": {"devices": {"results": [%s]}}}}
                """.formatted(String.join(",", Collections.nCopies(5000, "{\"device\": \"d\"}"))));

        assertThat(claim.devices()).hasSize(1000);
        assertThat(claim.problems()).containsExactly("it has more than 1000 allocated devices");
    }

    @Test
    void rejectsAClaimWithoutAName() {
        assertThatThrownBy(() -> claim("{spec: {}}")).hasMessage("a ResourceClaim has no metadata.name");
    }

    @Test
    void readsAClass() throws IOException {
        DeviceClass read = ClaimReader.deviceClass(Documents.read("""
                metadata: {name: vf, creationTimestamp: "2026-01-01T00:00:00Z"}
                spec:
                  extendedResourceName: example.com/vf
                  selectors: [{cel: {expression: device.driver == 'vf.example.com'}}]
                """).get(0));

        assertThat(read.extendedResource()).contains("example.com/vf");
        assertThat(read.selectors()).isEqualTo(List.of("device.driver == 'vf.example.com'"));
        assertThat(read.created()).isPresent();
    }

    private static ResourceClaim claim(String text) throws IOException {
        return ClaimReader.claim(Documents.read(text).get(0));
    }
}

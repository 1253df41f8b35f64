package io.numaledger.scheduling.dra;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.evaluation.claim.ClaimedDevice;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.evaluation.claim.ResourceSlice;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.objects.PodManifest;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.explain.Explanation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

/** Slices, claims and allocations as they should not be. They are named, and nothing else stops. */
class HostileClaimsTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** What a device can be, other than right. */
    private static final List<String> DEVICES = List.of(
            "{'name': 'd-%d', 'attributes': {'resource.kubernetes.io/numaNode': {'string': '1'}}}",
            "{'name': 'd-%d', 'attributes': {'resource.kubernetes.io/numaNode': {'int': 1024}}}",
            "{'name': 'd-%d', 'attributes': {'resource.kubernetes.io/numaNode': {'int': -9}}}",
            "{'name': 'd-%d', 'attributes': {'resource.kubernetes.io/numaNode': {'int': 99999999999999999999}}}",
            "{'name': 'd-%d', 'attributes': {'resource.kubernetes.io/numaNode': {'ints': []}}}",
            "{'name': 'd-%d', 'attributes': {'resource.kubernetes.io/numaNode': [1]}}",
            "{'name': 'd-%d', 'attributes': {'resource.kubernetes.io/pciBusID': {'string': 7}}}",
            "{'name': 'd-%d', 'attributes': {'resource.kubernetes.io/pciBusID': {'string': 'zz'}}}",
            "{'name': 'd-%d', 'attributes': {'model': {'later': 'x'}}, 'capacity': 7, 'taints': {'a': 1}}",
            "{'name': 'd \\u0007 %d'}",
            "{'name': ['d-%d']}",
            "'d-%d'");

    private final TestCluster cluster = new TestCluster();

    @BeforeEach
    void twoNodes() {
        cluster.apply(
                ClusterYaml.node("odd")
                        .replaceFirst(
                                "name: odd",
                                "name: odd, annotations: {numaledger.io/pci-numa-nodes: '0000:00:00.0-0000:ff:1f.7=0'}"),
                ClusterYaml.node("right"));
        cluster.apply(
                slice("right", "{'name': 'vf-0', 'attributes': {'resource.kubernetes.io/numaNode': {'int': 0}}}"));
        cluster.apply("""
                {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "vf"},
                 "spec": {"selectors": [{"cel": {"expression": "device.driver == 'vf.example.com'"}}]}}
                """);
    }

    private static String slice(String node, String devices) {
        return """
                {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "%1$s"},
                 "spec": {"driver": "vf.example.com", "nodeName": "%1$s", "devices": [%2$s],
                          "pool": {"name": "%1$s", "generation": 1, "resourceSliceCount": 1}}}
                """.formatted(node, devices.replace('\'', '"'));
    }

    private static String claim(String spec, String status) {
        return """
                {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "mine", "namespace": "default"},
                 "spec": {"devices": %s}, "status": %s}
                """.formatted(spec.replace('\'', '"'), status.replace('\'', '"'));
    }

    private static final String ONE = "{'requests': [{'name': 'r', 'exactly': {'deviceClassName': 'vf'}}]}";

    private static PodFacts pod() {
        return ClusterYaml.parsePod(ClusterYaml.pod(
                "x",
                "cpu: 2, memory: 1Gi",
                ", annotations: {numaledger.io/claim-alignment: required}",
                "  resourceClaims: [{name: device, resourceClaimName: mine}]",
                ""));
    }

    /** Whoever explains a pod describes its claims. */
    @Test
    void manyClaimsThatAreDescribedEndInTime() throws IOException {
        String devices = IntStream.range(0, 200)
                .mapToObj(at -> "{'name': 'd-%d', 'attributes': {'resource.kubernetes.io/numaNode': {'int': %d}}}"
                        .formatted(at, at % 2))
                .collect(Collectors.joining(","));
        cluster.apply(slice("odd", devices));
        String requests = IntStream.range(0, 40)
                .mapToObj(at ->
                        "{'name': 'r%d', 'exactly': {'deviceClassName': 'vf', 'selectors': [{'cel': {'expression': 'x.y()'}}]}}"
                                .formatted(at))
                .collect(Collectors.joining(","));
        JsonNode template = new ObjectMapper()
                .readTree(
                        "{'metadata': {'name': 't'}, 'spec': {'spec': {'devices': {'requests': [%s], 'constraints': [{'matchAttribute': 'a/b'}]}}}}"
                                .formatted(requests)
                                .replace('\'', '"'));
        String claims = IntStream.range(0, 3000)
                .mapToObj("{name: c%d, resourceClaimTemplateName: t}"::formatted)
                .collect(Collectors.joining(", "));
        PodManifest pod = PodManifest.read(ClusterYaml.pod(
                        "x",
                        "cpu: 2, memory: 1Gi",
                        ", annotations: {numaledger.io/claim-alignment: required}",
                        "  resourceClaims: [%s]".formatted(claims),
                        ""))
                .withTemplates(List.of(template));

        assertTimeout(
                LIMIT,
                () -> assertThat(Explanation.ofAll(cluster.state, List.of(), pod.pod(), pod.claims()))
                        .hasSize(2));
    }

    private List<Boolean> admits() {
        return cluster.evaluate(List.of("odd", "right"), pod()).stream()
                .map(Evaluation::admits)
                .toList();
    }

    /** Why nodes refuse the pod. */
    private String explained() {
        return Explanation.ofAll(cluster.state, pod()).stream()
                .map(Explanation::evaluation)
                .filter(Refused.class::isInstance)
                .map(refused -> PodNames.ALL.text(((Refused) refused).message()))
                .collect(Collectors.joining("\n"));
    }

    @Test
    void aSliceOfOddDevicesIsReadInPart() {
        String devices = IntStream.range(0, 24_000)
                .mapToObj(at -> DEVICES.get(at % DEVICES.size()).formatted(at))
                .collect(Collectors.joining(","));
        ResourceSlice slice =
                ClusterYaml.read(slice("odd", devices)).devices().slices().get(0);
        assertThat(slice.devices()).hasSize(10_000);
        assertThat(slice.problems()).hasSize(6);

        assertTimeout(LIMIT, () -> {
            cluster.state.claims().sliceChanged(slice);
            cluster.apply(claim(ONE, "{}"));
            assertThat(cluster.state.claims().devices("odd").devices())
                    .extracting(Device::numaNodes)
                    .hasOnlyElementsOfType(NumaNodes.Unknown.class);
            assertThat(admits()).containsExactly(false, true);
            assertThat(explained()).contains("on an unknown NUMA node");
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'requests': [{'name': 'r', 'exactly': {'deviceClassName': 'nowhere'}}]}",
                "{'requests': [{'name': 'r', 'exactly': {'deviceClassName': 'vf', 'count': -1}}]}",
                "{'requests': [{'name': 'r', 'exactly': {'deviceClassName': 'vf', 'count': 9223372036854775807}}]}",
                "{'requests': [{'name': 'r', 'later': {}}], 'constraints': [7, {'later': {}}]}",
                "{'requests': [7, [], {'name': 'r', 'firstAvailable': [{}]}]}",
                "[]",
                "7"
            })
    void aClaimOfAnUnknownFormStopsNothing(String spec) {
        cluster.apply(claim(spec, "7"));
        assertThat(admits()).hasSize(2);
        assertThat(explained()).isNotNull();
    }

    @Test
    void aClaimThatIsNotThereIsWaitedFor() {
        assertThat(admits()).containsExactly(false, false);
        assertThat(explained()).contains("the bridge has not seen all of its ResourceClaims yet");
        assertThat(cluster.state.claims().devicesOf(pod())).isEmpty();
    }

    @Test
    void unknownDevicesAreNamedOnce() {
        String results = IntStream.range(0, 5000)
                .mapToObj("{'request': 'r', 'driver': 'gone.example.com', 'pool': 'p', 'device': 'd-%d'}"::formatted)
                .collect(Collectors.joining(",", "{'allocation': {'devices': {'results': [", "]}}}"));
        cluster.apply(claim(ONE, results));

        assertThat(cluster.state.claims().devicesOf(pod()))
                .hasSize(1000)
                .extracting(ClaimedDevice::numaNodes)
                .containsOnly(new NumaNodes.Unknown("no ResourceSlice has it"));
        assertThat(admits()).containsExactly(false, false);
        assertThat(explained())
                .contains("its claims hold gone.example.com/p/d-0, which no ResourceSlice of this node has")
                .doesNotContain("d-1");

        cluster.state.claims().claimDeleted("default", "mine");
        assertThat(cluster.state.claims().nodes()).containsExactly("right");
    }

    @Test
    void aSlowClaimDoesNotTakeLong() {
        String devices = IntStream.range(0, 100)
                .mapToObj(at -> ("{'name': 'd-%d', 'attributes': {'card': {'int': %d},"
                                + " 'resource.kubernetes.io/numaNode': {'int': 0}}}")
                        .formatted(at, at % 7))
                .collect(Collectors.joining(","));
        cluster.apply(slice("odd", devices));
        cluster.apply(claim("""
                {'requests': [{'name': 'r', 'exactly': {'deviceClassName': 'vf', 'count': 8}}],
                 'constraints': [{'distinctAttribute': 'vf.example.com/card'}]}""", "{}"));
        assertTimeout(LIMIT, () -> assertThat(admits()).containsExactly(true, false));
    }
}

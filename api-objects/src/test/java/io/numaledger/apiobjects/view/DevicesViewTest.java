package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.cli.Colours;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.objects.ClaimReader;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.objects.Documents;
import io.numaledger.objects.ResourceSliceReader;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.explain.Explanation;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Devices of ResourceSlices and claims in the views of a node of two zones, where {@code default/a} has CPUs of node-0. */
class DevicesViewTest {

    private static final String DEVICES = """
            - {name: vf-0, attributes: {dra.net/numaNode: {int: 0}}}
            - {name: vf-1, attributes: {dra.net/numaNode: {int: 1}}}
            - {name: vf-2, attributes: {dra.net/numaNode: {int: -1}}}
            """;

    private final TestCluster cluster = new TestCluster();

    @BeforeEach
    void fill() {
        cluster.apply(
                ClusterYaml.node("n"),
                withClaim(ClusterYaml.running("a", "n", "cpu: \"2\", memory: 1Gi", "1-2")),
                withClaim(ClusterYaml.pod("b", "cpu: \"1\"", "", "  nodeName: n", ", phase: Running"))
                        .replace("namespace: default", "namespace: secret")
                        .replace("limits", "requests")
                        .replace("Guaranteed", "Burstable"));
    }

    private static String withClaim(String pod) {
        return pod.replace("  nodeName: n", "  nodeName: n\n  resourceClaims: [{name: vf, resourceClaimName: c}]");
    }

    private void slice(String devices) {
        cluster.state.claims().sliceChanged(new ResourceSliceReader().slice(document("""
                metadata: {name: s}
                spec:
                  driver: vf.example.com
                  nodeName: n
                  pool: {name: n, generation: 1, resourceSliceCount: 1}
                  devices:
                %s
                """.formatted(
                                devices.indent(2)))));
    }

    private void claim(String namespace, String... devices) {
        String results = List.of(devices).stream()
                .map("{request: r, driver: vf.example.com, pool: n, device: %s}"::formatted)
                .collect(Collectors.joining(", "));
        cluster.state.claims().claimChanged(ClaimReader.claim(document("""
                metadata: {name: c, namespace: %s}
                status: {allocation: {devices: {results: [%s]}}}
                """.formatted(namespace, results))));
    }

    private static JsonNode document(String yaml) {
        try {
            return Documents.read(yaml).get(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ObjectNode node(PodNames names) {
        return NodeJson.of(cluster.snapshot("n"), cluster.state, names);
    }

    private static String cell(JsonNode table, String column) {
        for (int i = 0; i < table.path("columnDefinitions").size(); i++) {
            if (table.at("/columnDefinitions/%d/name".formatted(i)).asText().equals(column)) {
                return table.at("/rows/0/cells/" + i).asText();
            }
        }
        return "no such column";
    }

    @Test
    void showsDevicesByZoneAndWhetherPodsAreAligned() {
        slice(DEVICES);
        assertThat(cell(NumaNodeTable.of(List.of(node(PodNames.ALL))), "Free DRA Devices"))
                .isEqualTo("vf.example.com 1,1 (1 on no known zone)");
        claim("default", "vf-1");
        claim("secret", "vf-2");

        assertThat(NodeText.of(node(PodNames.ALL), false, Colours.NONE).lines())
                .endsWith(
                        "  devices of vf.example.com: node-0 1 of 1 free, node-1 0 of 1 free, unknown zone 0 of 1 free",
                        "  default/a on node-0 (observed)",
                        "    claims misaligned: vf.example.com/vf-1 on node-1; CPUs on node-0; vf-1 of driver vf.example.com on node-1",
                        "  secret/b (claims)",
                        "    claims unknown: vf.example.com/vf-2 on an unknown zone; the pod has no CPUs or memory of its own on known NUMA nodes");
        assertThat(cell(NumaNodeTable.of(List.of(node(PodNames.ALL))), "Free DRA Devices"))
                .isEqualTo("vf.example.com 1,0");
        claim("default", "vf-0");
        assertThat(NodeText.of(node(PodNames.ALL), false, Colours.NONE))
                .contains("    claims aligned: vf.example.com/vf-0 on node-0\n");
    }

    @Test
    void showsTheCapacityThatClaimsShare() {
        slice("""
                - {name: vf-0, allowMultipleAllocations: true, attributes: {dra.net/numaNode: {int: 0}}, capacity: {memory: {value: 64Gi}}}
                - {name: vf-1, attributes: {dra.net/numaNode: {int: 1}}, capacity: {memory: {value: 64Gi}}}
                """);
        cluster.state.claims().claimChanged(ClaimReader.claim(document("""
                metadata: {name: c, namespace: default}
                status: {allocation: {devices: {results: [
                  {request: r, driver: vf.example.com, pool: n, device: vf-0, shareID: s, consumedCapacity: {memory: 16Gi}}]}}}
                """)));

        assertThat(node(PodNames.ALL).path("draCapacities").toString())
                .isEqualTo("[{\"driver\":\"vf.example.com\",\"zone\":\"node-0\",\"capacity\":\"vf.example.com/memory\","
                        + "\"claimed\":\"17179869184\",\"all\":\"68719476736\"}]");
        assertThat(NodeText.of(node(PodNames.ALL), false, Colours.NONE).lines())
                .contains("  vf.example.com/memory of vf.example.com: node-0 48Gi of 64Gi free");
    }

    @Test
    void addsNothingWithoutDevicesAndClaims() {
        TestCluster other = new TestCluster();
        other.apply(ClusterYaml.node("n"), ClusterYaml.running("a", "n", "cpu: \"2\", memory: 1Gi", "1-2"));

        ObjectNode node = NodeJson.of(other.snapshot("n"), other.state, PodNames.ALL);
        assertThat(node).isEqualTo(NodeJson.of(other.snapshot("n")));
        assertThat(NodeText.of(node, true, Colours.NONE)).doesNotContain("claims", "devices of");
        assertThat(cell(NumaNodeTable.of(List.of(node)), "Free DRA Devices")).isEqualTo("no such column");
    }

    @Test
    void hidesPodsThatTheReaderMayNotList() {
        slice(DEVICES);
        claim("default", "vf-0");
        claim("secret", "vf-1");

        ObjectNode node = node(PodNames.of("default"));
        assertThat(node.toString()).contains("vf-0").doesNotContain("secret", "vf-1");
        assertThat(node.at("/otherPods/count").asInt()).isEqualTo(1);
        assertThat(node.at("/draDevices/1").toString())
                .isEqualTo("{\"driver\":\"vf.example.com\",\"zone\":\"node-1\",\"claimed\":1,\"free\":0}");
    }

    @Test
    void saysWhyAlignmentIsUnknown() {
        assertThat(alignment()).isEqualTo("unknown: the ResourceClaim c does not exist");
        claim("default");
        assertThat(alignment()).isEqualTo("unknown: no device is allocated to its claims");
        claim("default", "vf-2");
        assertThat(alignment())
                .isEqualTo(
                        "unknown: the NUMA node of vf-2 of driver vf.example.com is not known: no ResourceSlice has it");
        slice(DEVICES);
        assertThat(alignment())
                .isEqualTo(
                        "unknown: the NUMA node of vf-2 of driver vf.example.com is not known: its attribute dra.net/numaNode is -1");
    }

    private String alignment() {
        JsonNode claims = node(PodNames.ALL).at("/pods/0/claims");
        return claims.path("alignment").asText() + ": " + claims.path("text").asText();
    }

    @Test
    void countsTenThousandDevicesAndNamesAFewOfAPod() {
        slice(IntStream.range(0, 10_000)
                .mapToObj(index -> "- {name: d%d, attributes: {resource.kubernetes.io/numaNode: {int: %d}}}\n"
                        .formatted(index, index % 2))
                .collect(Collectors.joining()));
        claim("default", IntStream.range(0, 500).mapToObj(index -> "d" + index).toArray(String[]::new));

        ObjectNode node = node(PodNames.ALL);
        assertThat(node.path("draDevices").toString()).isEqualTo("""
                [{"driver":"vf.example.com","zone":"node-0","claimed":250,"free":4750},\
                {"driver":"vf.example.com","zone":"node-1","claimed":250,"free":4750}]""");
        assertThat(node.at("/pods/0/claims/devices")).hasSize(20);
        assertThat(node.at("/pods/0/claims/devicesLeftOut").asInt()).isEqualTo(480);
        assertThat(DevicesText.devices(node.at("/pods/0"))).endsWith("; vf.example.com/d2 on node-0 and 497 more");
        assertThat(node.toString()).hasSizeLessThan(10_000);
    }

    @Test
    void countsAtMostTwoHundredDriversAndZones() {
        slice(IntStream.range(0, 300)
                .mapToObj(index -> "- {name: d%d, attributes: {resource.kubernetes.io/numaNode: {int: %d}}}\n"
                        .formatted(index, index))
                .collect(Collectors.joining()));

        ObjectNode node = node(PodNames.ALL);
        assertThat(node.path("draDevices")).hasSize(200);
        assertThat(NodeText.of(node, false, Colours.NONE)).contains("\n  devices of 100 more drivers or zones\n");
    }

    @Test
    void warnsOfSlicesThatCannotBeReadWhole() {
        slice(DEVICES + "- {name: \"b a d\"}\n");

        assertThat(node(PodNames.ALL).at("/warnings/0").asText())
                .isEqualTo("the ResourceSlice s of driver vf.example.com is read in part: "
                        + "the device name 'b a d' is odd, or not the only one; ask who runs its driver");
    }

    /** The kubelet would take CPUs of node-0. */
    @Test
    void explainsHowDevicesWouldLieWhateverThePodDemands() throws IOException {
        slice(DEVICES);
        claim("default", "vf-1");
        PodFacts pod = ClusterYaml.parsePod(
                withClaim(ClusterYaml.pod("x", "cpu: \"2\", memory: 1Gi", "", "  nodeName: n", "")));

        JsonNode claims = explained(pod);
        assertThat(claims.path("alignment").asText()).isEqualTo("not-aligned");
        assertThat(claims.path("text").asText())
                .isEqualTo("CPUs would come from node-0; its claims hold vf-1 of driver vf.example.com, on node-1");
        claim("default", "vf-0");
        assertThat(explained(pod)).isEqualTo(new ObjectMapper().readTree("""
                {"alignment": "aligned", "text": "its devices lie on the zones of its CPUs and memory"}"""));
        assertThat(explained(ClusterYaml.pending("y", "cpu: \"2\", memory: 1Gi"))
                        .isMissingNode())
                .isTrue();
    }

    private JsonNode explained(PodFacts pod) {
        return ExplanationJson.full(Explanation.ofAll(cluster.state, pod).get(0))
                .path("claims");
    }
}

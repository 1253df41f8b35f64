package io.numaledger.kubectl.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.numaledger.cli.Finding;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.kubectl.zones.EvaluatedZones;
import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import static org.assertj.core.api.Assertions.assertThat;

class ClaimChecksTest {

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private static JsonNode node(String name, String devices, String... pods) throws IOException {
        return YAML.readTree(
                "{node: %s, draDevices: [%s], pods: [%s]}".formatted(name, devices, String.join(", ", pods)));
    }

    private static String pod(String name, String claims) {
        return "{pod: default/%s, claims: {%s}}".formatted(name, claims);
    }

    @Test
    void namesTheFirstMisalignedPodsAndHowMany() throws IOException {
        List<String> pods = new ArrayList<>(List.of(pod("good", "alignment: aligned"), "{pod: default/none}"));
        for (int i = 0; i < 7; i++) {
            pods.add(pod("p" + i, "alignment: misaligned, text: 'CPUs on node-0; vf-%d on node-1'".formatted(i)));
        }

        assertThat(ClaimChecks.of(List.of(node("n", "", pods.toArray(String[]::new)))))
                .containsExactly(
                        Finding.warn(
                                "claims",
                                "pods=default/p0@n,default/p1@n,default/p2@n,default/p3@n,default/p4@n and 2 more: devices of their claims lie on other NUMA nodes than their CPUs or memory; the first one has CPUs on node-0; vf-0 on node-1; see docs/claim-alignment.md#pods-that-run-misaligned of the source code"));
    }

    @Test
    void saysWhatTheKubeletSaysOfADriverThatDoesNotPrepareDevices() throws IOException {
        List<PodFacts> pods = new ArrayList<>();
        for (String phase : List.of("Pending", "Running")) {
            pods.add(ClusterYaml.parsePod(ClusterYaml.pod(
                    phase.toLowerCase(Locale.ROOT),
                    "",
                    "",
                    "  nodeName: n\n  resourceClaims: [{name: vf, resourceClaimName: c}]",
                    ", phase: " + phase)));
        }
        String event =
                "{involvedObject: {uid: uid-%s}, reason: FailedPrepareDynamicResources, message: 'no socket: %s'}";
        List<JsonNode> events = List.of(
                YAML.readTree(event.formatted("pending", "x")),
                YAML.readTree(event.formatted("running", "x")),
                YAML.readTree(event.formatted("gone", "x")));

        assertThat(ClaimChecks.unprepared(
                        events, pods, List.of(node("n", "", pod("pending", "devices: [{driver: vf.example.com}]")))))
                .containsExactly(
                        Finding.fail(
                                "claims",
                                "pods=default/pending@n: the devices of their claims are not prepared, drivers=vf.example.com; the kubelet of the first one says: no socket: x; look at the driver's pods on the node"));
        assertThat(ClaimChecks.unprepared(events.subList(1, 3), pods, List.of()))
                .isEmpty();
    }

    @Test
    void namesDriversWhoseDevicesHaveNoKnownNumaNode() throws IOException {
        String devices = "{driver: a, zone: node-0, claimed: 1, free: 1}, {driver: a, claimed: 1, free: 2}";

        assertThat(ClaimChecks.of(
                        List.of(node("n", devices), node("m", devices, pod("x", "alignment: unknown, text: because")))))
                .containsExactly(
                        Finding.warn(
                                "claims",
                                "nodes=m,n: the NUMA nodes of 6 devices of driver a are not known, so that they count as near no CPUs; see docs/claim-alignment.md#numa-nodes-of-devices of the source code"),
                        Finding.ok(
                                "claims",
                                "no claimed device is known to lie away from the CPUs and memory of its pod: pods=1"));
    }

    @Test
    void saysNothingInAClusterWithoutSuchDevices() {
        assertThat(ClaimChecks.of(
                        new EvaluatedZones(ClusterYaml.read(ClusterYaml.node("n")), SnapshotSettings.DEFAULT).nodes()))
                .isEmpty();
    }
}

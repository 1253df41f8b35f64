package io.numaledger.simulator.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.agent.exclude.Exclusions;
import io.numaledger.agent.run.KubeletAnswer;
import io.numaledger.agent.run.Observation;
import io.numaledger.agent.sysfs.NodeProbe;
import io.numaledger.agent.sysfs.SysfsProbe;
import io.numaledger.annotation.Annotations;
import io.numaledger.annotation.PodRecords;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.kubectl.zones.EvaluatedZones;
import io.numaledger.kubectl.zones.Zones.ExplainedPod;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.nrt.profile.ProfileName;
import io.numaledger.objects.ClusterDump;
import io.numaledger.objects.PodManifest;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.simulator.hardware.ExampleNodes;
import io.numaledger.simulator.hardware.HardwareTree;
import io.numaledger.simulator.hardware.KubeletSpec;
import io.numaledger.simulator.hardware.NodeSpec;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A machine with 34 NUMA nodes on the whole path: sysfs tree, probe, podresources, NodeResourceTopology, annotations, and the bridge's
 * explanation. On the node run a pod on node-0 with 40 CPUs and one GPU, and another with 50 CPUs on node-1.
 */
class ManyNumaNodesPathTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private static Path hardware;

    @BeforeAll
    static void writeHardware() throws IOException {
        HardwareTree.write(ExampleNodes.gb200(), hardware);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            one zone is left for it             | None   | 20  | 1Gi   | 1 | fits [node-0]
            only the other zone has two GPUs    | None   | 20  | 1Gi   | 2 | fits [node-1]
            two zones, as one has 72 CPUs       | None   | 80  | 1Gi   | 0 | TopologyAffinityError needs 80 cpu on 2 zones; node-0 and node-1 have 52 free, held by default/a, default/b
            CPUs and GPUs in different zones    | None   | 30  | 1Gi   | 2 | TopologyAffinityError 2 nvidia.com/gpu only on node-1 (2 free); 30 cpu only on node-0 (31 free); restricted needs one zone for all
            memory beside the CPUs              | Static | 20  | 100Gi | 1 | fits [node-0]
            memory of two zones that are in use | Static | 20  | 500Gi | 0 | TopologyAffinityError needs 500Gi memory on 2 zones; the Memory Manager keeps zones in the groups in which pods use them: node-0 (default/a), node-1 (default/b)
            """)
    void explainsAsTheKubeletDecides(
            String situation, String memoryPolicy, long cpus, String memory, long gpus, String expected)
            throws IOException {
        NodeSpec spec = spec(MemoryPolicy.parse(memoryPolicy));
        SimulatedKubelet kubelet = new SimulatedKubelet(spec, ReportLag.none(), InstantSource.system());
        ArrayNode dump = JSON.createArrayNode();
        kubelet.admit("default", "a", request("uid-a", 40, "10Gi", 1));
        kubelet.admit("default", "b", request("uid-b", 50, "10Gi", 0));
        Observation seen = observe(kubelet);
        dump.add(node(spec)).add(topology(spec, seen));
        for (int i = 0; i < seen.annotated().size(); i++) {
            PodRecords records =
                    PodRecords.of(seen.annotated().get(i), seen.pods().get(i));
            boolean first = seen.pods().get(i).name().equals("a");
            dump.add(running(pod(seen.pods().get(i).name(), first ? 40 : 50, "10Gi", first ? 1 : 0), records));
        }

        JsonNode explained = explain(dump, pod("x", cpus, memory, gpus));
        Admission admission = kubelet.admit("default", "x", request("uid-x", cpus, memory, gpus));

        assertThat(text(explained)).as(situation).isEqualTo(expected);
        assertThat(admission.isAdmitted()).isEqualTo(explained.path("fits").asBoolean());
        assertThat(explained.path("assumptions")).isEmpty();
    }

    private static NodeSpec spec(MemoryPolicy memory) throws IOException {
        NodeSpec spec = ExampleNodes.gb200();
        KubeletSpec kubelet = spec.kubelet();
        return spec.withKubelet(kubelet.withMemoryManager(
                new MemoryManagerConfig(memory, kubelet.memoryManager().reservedMemory(), Optional.empty())));
    }

    private static String text(JsonNode explained) {
        return explained.path("fits").asBoolean()
                ? "fits " + explained.path("zones").toString().replace("\"", "")
                : explained.path("reason").asText() + " "
                        + explained.path("message").asText();
    }

    private static PodRequest request(String uid, long cpus, String memory, long gpus) {
        Map<String, RequestedAmount> amounts = new TreeMap<>();
        amounts.put("cpu", RequestedAmount.of(cpus));
        amounts.put("memory", RequestedAmount.parse(memory));
        if (gpus > 0) {
            amounts.put("nvidia.com/gpu", RequestedAmount.of(gpus));
        }
        return PodRequest.of(uid, ContainerRequest.app("c", amounts));
    }

    private static Observation observe(SimulatedKubelet kubelet) {
        NodeProbe.Reading probed = new NodeProbe.Reading(
                new SysfsProbe(hardware.resolve("sys")).probe().topology(), List.of());
        assertThat(probed.machine().numaNodes()).hasSize(34);
        return Observation.of(
                probed,
                KubeletAnswer.of(Optional.of(kubelet.allocatable()), kubelet.list(), Exclusions.NONE),
                Map.of(),
                false);
    }

    private static JsonNode topology(NodeSpec spec, Observation seen) throws IOException {
        KubeletSettings settings = ReportingNode.settings(spec.kubelet());
        JsonNode topology = JSON.readTree(NodeTopologyJson.write(seen.topology(
                spec.name(),
                Optional.empty(),
                settings,
                ProfileName.NUMALEDGER.profile(false).orElseThrow(),
                List.of())));
        assertThat(topology.path("zones")).hasSize(34);
        return topology;
    }

    private static JsonNode node(NodeSpec spec) {
        ObjectNode node = object("Node", spec.name());
        ObjectNode status = node.putObject("status");
        status.putObject("nodeInfo").put("kubeletVersion", "v1.36.3");
        status.putObject("capacity").put("nvidia.com/gpu", "4");
        status.putObject("allocatable").put("nvidia.com/gpu", "4");
        return node;
    }

    private static ObjectNode pod(String name, long cpus, String memory, long gpus) {
        ObjectNode pod = object("Pod", name);
        ObjectNode container =
                pod.putObject("spec").putArray("containers").addObject().put("name", "c");
        ObjectNode resources = container.putObject("resources");
        for (String field : new String[] {"requests", "limits"}) {
            ObjectNode amounts =
                    resources.putObject(field).put("cpu", Long.toString(cpus)).put("memory", memory);
            if (gpus > 0) {
                amounts.put("nvidia.com/gpu", Long.toString(gpus));
            }
        }
        return pod;
    }

    private static ObjectNode running(ObjectNode pod, PodRecords records) {
        ((ObjectNode) pod.get("spec")).put("nodeName", "gb200");
        pod.putObject("status")
                .put("qosClass", "Guaranteed")
                .put("phase", "Running")
                .put("startTime", "2026-01-01T00:00:00Z");
        ObjectNode annotations = ((ObjectNode) pod.get("metadata")).putObject("annotations");
        records.observed().ifPresent(text -> annotations.put(Annotations.OBSERVED, text));
        records.placement().ifPresent(text -> annotations.put(Annotations.PLACEMENT, text));
        return pod;
    }

    private static ObjectNode object(String kind, String name) {
        ObjectNode object = JSON.createObjectNode().put("kind", kind);
        object.putObject("metadata").put("name", name).put("namespace", "default");
        return object;
    }

    private JsonNode explain(ArrayNode items, JsonNode pod) throws IOException {
        ObjectNode list = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "List");
        list.set("items", items);
        ExplainedPod asked = new ExplainedPod("default/asked", Optional.of(PodManifest.read(pod.toString())));
        return new EvaluatedZones(ClusterDump.parse(list.toString()), SnapshotSettings.DEFAULT)
                .explain(asked, List.of())
                .get(0);
    }
}

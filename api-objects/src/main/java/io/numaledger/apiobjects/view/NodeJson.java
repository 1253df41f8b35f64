package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.evaluation.facts.NodeConstraints;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.ZoneAmounts;
import io.numaledger.kubelet.AdmissionEffort;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.nrt.TopologyAttributes;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.scheduling.dra.ClusterClaims;
import io.numaledger.scheduling.dra.PodDevices;
import io.numaledger.scheduling.explain.NodeWarnings;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.topology.NumaNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Node snapshots as JSON: zones, holders, confidence. */
public final class NodeJson {

    private static final ObjectMapper JSON = new ObjectMapper();

    private NodeJson() {}

    public static ObjectNode of(NodeSnapshot node) {
        return of(node, List.of(), PodNames.ALL);
    }

    /**
     * A node with devices and claims of Dynamic Resource Allocation, and with what is wrong on the node.
     *
     * @param names which pods may be named; others are added up
     */
    public static ObjectNode of(NodeSnapshot node, ClusterState cluster, PodNames names) {
        List<PodFacts> pods = cluster.podsOn(node.name());
        ClusterClaims claims = cluster.claims();
        ObjectNode json = of(node, PodDevices.on(node, pods, claims), names);
        DevicesJson.add(claims.devices(node.name()), json);
        List<Sentence> warnings = new ArrayList<>(NodeWarnings.of(node, pods));
        claims.problemsOn(node.name()).stream().map(Sentence::of).forEach(warnings::add);
        if (!warnings.isEmpty()) {
            ArrayNode texts = json.putArray("warnings");
            warnings.stream().map(names::text).forEach(texts::add);
        }
        return json;
    }

    /** A node with the places of its CPUs, memory and GPUs, and which of them each pod holds. For one node: lists would be long. */
    public static ObjectNode detailed(NodeSnapshot node, ClusterState cluster, PodNames names) {
        ObjectNode json = of(node, cluster, names);
        NodeDetails.add(node, names, json);
        return json;
    }

    private static ObjectNode of(NodeSnapshot node, List<PodDevices> devices, PodNames names) {
        ObjectNode json = JSON.createObjectNode();
        json.put("node", node.name());
        NodeConstraints constraints = node.node().constraints();
        constraints.ready().ifPresent(ready -> json.put("ready", ready));
        if (constraints.unschedulable()) {
            json.put("unschedulable", true);
        }
        if (!constraints.taints().isEmpty()) {
            ArrayNode taints = json.putArray("taints");
            constraints.taints().forEach(taint -> taints.add(taint.toString()));
        }
        if (node.unknowns().isRestarting()) {
            json.put("kubelet", TopologyAttributes.RESTARTING);
        }
        json.put("confidence", node.confidence().toString());
        json.put("confidenceReason", names.text(node.reason()));
        json.put(
                "unmodelled",
                node.model().unmodelled().map(why -> why.kind().toString()).orElse(null));
        node.model().kubelet().ifPresent(kubelet -> {
            json.put("topologyManagerPolicy", kubelet.rules().topologyPolicy().toString());
            json.put("topologyManagerScope", kubelet.rules().topologyScope().toString());
            AdmissionEffort.of(kubelet).warning().ifPresent(warning -> json.put("slowAdmission", warning));
        });
        json.set("zones", zones(node));
        Map<Boolean, List<HoldingPod>> holding = HoldingPod.of(node, devices).stream()
                .collect(Collectors.partitioningBy(pod -> names.shows(pod.holder())));
        ArrayNode pods = json.putArray("pods");
        holding.getOrDefault(true, List.of()).forEach(pod -> pods.add(pod.json()));
        List<HoldingPod> hidden = holding.getOrDefault(false, List.of());
        if (!hidden.isEmpty()) {
            Placement.Builder sum = new Placement.Builder();
            hidden.forEach(pod -> sum.add(pod.placement()));
            json.putObject("otherPods")
                    .put("count", hidden.size())
                    .set("placement", ExplanationJson.placement(sum.build()));
        }
        json.set("assumptions", ExplanationJson.assumptions(node.assumptions(), names));
        return json;
    }

    /**
     * The status of a node as {@code kubectl get nodes} prints it, such as {@code Ready,SchedulingDisabled}.
     *
     * @param node as this class writes it
     */
    public static String status(JsonNode node) {
        String ready = !node.has("ready") ? "Unknown" : node.path("ready").asBoolean() ? "Ready" : "NotReady";
        return ready
                + (node.has("kubelet") ? ",KubeletRestarting" : "")
                + (node.path("unschedulable").asBoolean() ? ",SchedulingDisabled" : "");
    }

    /** The amounts of each zone; empty where nothing is known of them. */
    static ArrayNode zones(NodeSnapshot node) {
        ArrayNode zones = JSON.createArrayNode();
        node.model()
                .kubelet()
                .ifPresent(kubelet -> kubelet.machine()
                        .topology()
                        .numaNodes()
                        .forEach(numaNode -> zones.add(zone(node, kubelet, numaNode))));
        return zones;
    }

    private static ObjectNode zone(NodeSnapshot node, KubeletModel kubelet, NumaNode numaNode) {
        ObjectNode json = JSON.createObjectNode();
        json.put("zone", numaNode.zoneName());
        NodeState now = node.now().orElseThrow();
        SortedMap<String, Long> free = ZoneAmounts.free(kubelet, now, numaNode);
        json.set("free", amounts(free));
        json.set(
                "freeAfterReleases",
                amounts(ZoneAmounts.free(kubelet, node.afterReleases().orElseThrow(), numaNode)));
        json.set("allocatable", amounts(ZoneAmounts.free(kubelet, kubelet.empty(), numaNode)));
        SortedMap<String, Long> largest = new TreeMap<>(ZoneAmounts.largestRequests(kubelet, now, numaNode));
        largest.entrySet().removeIf(each -> each.getValue().equals(free.get(each.getKey())));
        if (!largest.isEmpty()) {
            json.set("largestRequest", amounts(largest));
        }
        return json;
    }

    private static ObjectNode amounts(SortedMap<String, Long> amounts) {
        ObjectNode json = JSON.createObjectNode();
        amounts.forEach((resource, amount) -> json.put(resource, Amounts.text(resource, amount)));
        return json;
    }
}

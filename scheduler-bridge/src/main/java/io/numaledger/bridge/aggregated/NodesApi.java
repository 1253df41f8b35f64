package io.numaledger.bridge.aggregated;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.view.ApiGroup;
import io.numaledger.apiobjects.view.NodeJson;
import io.numaledger.apiobjects.view.NumaNodeTable;
import io.numaledger.bridge.access.ApiAccess;
import io.numaledger.bridge.access.Caller;
import io.numaledger.bridge.access.Reviews.Action;
import io.numaledger.bridge.aggregated.NodeEvents.Form;
import io.numaledger.bridge.aggregated.NodeResourceVersions.Comparison;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.HeadDecision;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.scheduling.state.ClusterState;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** NumaNodes, which can be read and watched. One alone is answered with the places of what its pods hold. */
final class NodesApi {

    private final ClusterState cluster;
    private final ApiAccess access;
    private final NodeResourceVersions versions;
    private final NodeWatches watches;

    NodesApi(ClusterState cluster, ApiAccess access) {
        this.cluster = cluster;
        this.access = access;
        this.versions = new NodeResourceVersions(cluster);
        this.watches = new NodeWatches(cluster, versions);
    }

    HeadDecision decide(Request head) {
        if (!head.method().equals("GET")) {
            return AggregatedApi.refused(405, "numanodes can be read and watched, and not written");
        }
        return AggregatedApi.asStatus(access.decide(head, reading(head)));
    }

    private static Action reading(Request head) {
        if (WatchQuery.isIn(head)) {
            return ApiAccess.action("watch", ApiGroup.NODES, "", WatchQuery.node(head));
        }
        String name = name(head);
        return ApiAccess.action(name.isEmpty() ? "list" : "get", ApiGroup.NODES, "", name);
    }

    private static String name(Request head) {
        return head.rest().isEmpty() ? "" : head.rest().substring(1);
    }

    /** @throws IllegalArgumentException for a watch that is not served */
    Answer answer(Request request) {
        return access.answer(request, reading(request), caller -> {
            if (WatchQuery.isIn(request)) {
                return watch(caller, WatchQuery.of(request), asTable(request));
            }
            String name = name(request);
            PodNames names = access.podNames(caller);
            return name.isEmpty() ? list(names, asTable(request)) : one(name, names, asTable(request));
        });
    }

    private Answer watch(Caller caller, WatchQuery query, boolean asTable) throws IOException {
        return watches.begin(caller.name(), query, new Form(access.lastingPodNames(caller), asTable));
    }

    private Answer one(String name, PodNames names, boolean asTable) {
        return cluster.snapshot(name)
                .map(snapshot -> NodeJson.detailed(snapshot, cluster, names))
                .map(found -> AggregatedApi.json(200, asTable ? NumaNodeTable.of(List.of(found)) : node(found)))
                .orElseGet(() -> Answer.text(404, "numanodes.numaledger.io \"%s\" not found".formatted(name)));
    }

    /** Versions are read first: what changes meanwhile has a later one. */
    private Answer list(PodNames names, boolean asTable) {
        String version = String.valueOf(versions.update(Comparison.NONE));
        Map<String, Long> byNode = versions.byNode();
        List<ObjectNode> nodes = cluster.snapshots().stream()
                .map(snapshot -> NodeJson.of(snapshot, cluster, names))
                .toList();
        ObjectNode answer = asTable ? NumaNodeTable.of(nodes) : list(nodes, byNode);
        answer.withObject("/metadata").put("resourceVersion", version);
        return AggregatedApi.json(200, answer);
    }

    private static boolean asTable(Request request) {
        return Optional.ofNullable(request.headers().get("Accept")).orElse("").contains("as=Table");
    }

    private static ObjectNode list(List<ObjectNode> nodes, Map<String, Long> byNode) {
        ObjectNode list = AggregatedApi.object("NumaNodeList");
        list.putObject("metadata");
        ArrayNode items = list.putArray("items");
        nodes.forEach(status -> {
            ObjectNode node = node(status);
            Optional.ofNullable(byNode.get(status.path("node").asText()))
                    .ifPresent(version -> node.withObject("/metadata").put("resourceVersion", String.valueOf(version)));
            items.add(node);
        });
        return list;
    }

    private static ObjectNode node(ObjectNode status) {
        ObjectNode node = AggregatedApi.object("NumaNode");
        node.putObject("metadata").put("name", status.path("node").asText());
        node.set("status", status);
        return node;
    }
}

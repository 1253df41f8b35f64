package io.numaledger.bridge.aggregated;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.view.ApiGroup;
import io.numaledger.apiobjects.view.ApiTable;
import io.numaledger.apiobjects.view.StrandedJson;
import io.numaledger.apiobjects.view.StrandedTable;
import io.numaledger.bridge.access.ApiAccess;
import io.numaledger.bridge.access.Reviews.Action;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.HeadDecision;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.scheduling.stranded.MoveSearch;
import io.numaledger.scheduling.stranded.StrandedCapacity;

import java.util.List;
import java.util.Optional;

/** StrandedCapacities, one for each reference pod. One alone is answered with nodes, and with the moves that would make room. */
final class StrandedApi {

    private final StrandedCapacity capacity;
    private final MoveSearch.Finder moves;
    private final ApiAccess access;

    StrandedApi(StrandedCapacity capacity, MoveSearch.Finder moves, ApiAccess access) {
        this.capacity = capacity;
        this.moves = moves;
        this.access = access;
    }

    HeadDecision decide(Request head) {
        if (!head.method().equals("GET") || head.query().containsKey("watch")) {
            return AggregatedApi.refused(405, "strandedcapacities can be read, and not watched or written");
        }
        return AggregatedApi.asStatus(access.decide(head, reading(head)));
    }

    private static Action reading(Request head) {
        String name = name(head);
        return ApiAccess.action(name.isEmpty() ? "list" : "get", ApiGroup.STRANDED, "", name);
    }

    private static String name(Request head) {
        return head.rest().isEmpty() ? "" : head.rest().substring(1);
    }

    Answer answer(Request request) {
        String name = name(request);
        boolean isTable = ApiTable.isAskedFor(
                Optional.ofNullable(request.headers().get("Accept")).orElse(""));
        return access.answer(request, reading(request), caller -> {
            List<ObjectNode> found = StrandedJson.of(capacity.report()).stream()
                    .filter(status ->
                            name.isEmpty() || status.path("reference").asText().equals(name))
                    .toList();
            if (found.isEmpty() && !name.isEmpty()) {
                return Answer.text(404, "strandedcapacities.numaledger.io \"%s\" not found".formatted(name));
            }
            if (isTable) {
                return AggregatedApi.json(200, StrandedTable.of(found));
            }
            return AggregatedApi.json(
                    200, name.isEmpty() ? list(found) : object(full(found.get(0), name, access.podNames(caller))));
        });
    }

    private static ObjectNode list(List<ObjectNode> found) {
        ObjectNode list = AggregatedApi.object("StrandedCapacityList");
        list.putObject("metadata");
        ArrayNode items = list.putArray("items");
        found.forEach(status -> items.add(object(status)));
        return list;
    }

    private ObjectNode full(ObjectNode status, String name, PodNames names) {
        status.set("nodes", StrandedJson.nodes(capacity.nodes(name)));
        status.set("moves", StrandedJson.moves(moves.find(name), names));
        return status;
    }

    private static ObjectNode object(ObjectNode status) {
        ObjectNode object = AggregatedApi.object("StrandedCapacity");
        object.putObject("metadata").put("name", status.path("reference").asText());
        object.set("status", status);
        return object;
    }
}

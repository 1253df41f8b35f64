package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.evaluation.holder.Holder;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.scheduling.stranded.MoveSearch.Proposal;
import io.numaledger.scheduling.stranded.StrandedReport;
import io.numaledger.scheduling.stranded.StrandedReport.NodeRow;
import io.numaledger.scheduling.stranded.StrandedReport.Row;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Stranded capacity as JSON, one object for each reference pod. */
public final class StrandedJson {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** The most nodes that are listed. */
    private static final int MOST_NODES = 20;

    private StrandedJson() {}

    /** The counts by reference pod. */
    public static List<ObjectNode> of(StrandedReport report) {
        Map<String, List<Row>> byReference = new TreeMap<>();
        report.rows()
                .forEach(row -> byReference
                        .computeIfAbsent(row.reference(), any -> new ArrayList<>())
                        .add(row));
        List<ObjectNode> all = new ArrayList<>();
        byReference.forEach((reference, rows) -> all.add(json(report, reference, rows)));
        return all;
    }

    private static ObjectNode json(StrandedReport report, String reference, List<Row> rows) {
        ObjectNode json = JSON.createObjectNode().put("reference", reference);
        json.put("byZones", rows.stream().mapToLong(Row::byZones).sum());
        json.put("bySums", rows.stream().mapToLong(Row::bySums).sum());
        json.put("stranded", rows.stream().mapToLong(Row::stranded).sum());
        ArrayNode pools = json.putArray("pools");
        rows.forEach(row -> pools.add(pool(row)));
        return json.put("unknownNodes", report.unknown())
                .put("closedNodes", report.closed())
                .put("complete", report.complete());
    }

    private static ObjectNode pool(Row row) {
        ObjectNode json = JSON.createObjectNode().put("pool", row.pool());
        row.sizes().forEach(json.putArray("sizes")::add);
        json.put("nodes", row.nodes())
                .put("byZones", row.byZones())
                .put("bySums", row.bySums())
                .put("stranded", row.stranded());
        ObjectNode reasons = json.putObject("reasons");
        row.reasons().forEach((reason, pods) -> reasons.put(reason.toString(), pods));
        return json;
    }

    /** The nodes that strand the most. */
    public static ArrayNode nodes(List<NodeRow> nodes) {
        ArrayNode json = JSON.createArrayNode();
        nodes.stream()
                .limit(MOST_NODES)
                .forEach(row -> json.addObject()
                        .put("node", row.node())
                        .put("pool", row.pool())
                        .put("byZones", row.count().byZones())
                        .put("bySums", row.count().bySums())
                        .put("stranded", row.count().stranded())
                        .put(
                                "reason",
                                row.count().reason().map(Object::toString).orElse("")));
        return json;
    }

    /** @param names which pods may be named */
    public static ArrayNode moves(List<Proposal> proposals, PodNames names) {
        ArrayNode json = JSON.createArrayNode();
        proposals.forEach(proposal -> {
            ArrayNode pods = json.addObject().put("frees", proposal.frees()).putArray("pods");
            proposal.moves()
                    .forEach(move -> pods.addObject()
                            .put("pod", names.text(Holder.of(move.pod().key())))
                            .put("node", move.node())
                            .put("target", move.target()));
        });
        return json;
    }
}

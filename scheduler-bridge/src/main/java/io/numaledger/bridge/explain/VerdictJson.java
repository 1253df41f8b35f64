package io.numaledger.bridge.explain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.bridge.node.Assumption;
import io.numaledger.bridge.verdict.Verdict;
import io.numaledger.kubelet.answer.Why;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.topology.AffinityMask;

import java.util.Collection;
import java.util.TreeMap;

/** Verdicts as JSON, the same in the API, on the command line and in the logs. */
public final class VerdictJson {

    private static final ObjectMapper JSON = new ObjectMapper();

    private VerdictJson() {}

    /** {@code node}, {@code fits}, {@code reason}, {@code zones} and {@code placement}, and nothing else. */
    public static ObjectNode line(Verdict verdict) {
        ObjectNode line = JSON.createObjectNode();
        line.put("node", verdict.node());
        line.put("fits", verdict.fits());
        line.put("reason", verdict.code().map(Verdict.Code::toString).orElse(null));
        line.set("zones", zones(verdict.mask()));
        line.set("placement", placement(verdict.placement()));
        return line;
    }

    /** The same with everything that explains it. */
    public static ObjectNode full(Verdict verdict, Advice advice) {
        ObjectNode full = line(verdict);
        full.put("message", verdict.sentence());
        ArrayNode why = full.putArray("why");
        verdict.why().forEach(each -> why.add(why(each)));
        full.put("advice", advice.sentence());
        full.put("confidence", verdict.confidence().toString());
        full.set("assumptions", assumptions(verdict.assumptions()));
        full.put("drawnByChance", verdict.draws());
        return full;
    }

    private static JsonNode why(Why why) {
        ObjectNode json = JSON.createObjectNode();
        json.put("resource", why.resource());
        json.set("zones", why.mask().map(VerdictJson::zones).orElseGet(JSON::createArrayNode));
        json.put("need", Long.toUnsignedString(why.need()));
        json.put("free", Long.toUnsignedString(why.free()));
        json.put("width", why.widthWanted());
        ArrayNode holders = json.putArray("holders");
        why.holders().forEach(holders::add);
        return json;
    }

    /** Codes with what they are about. */
    public static ArrayNode assumptions(Collection<Assumption> assumptions) {
        ArrayNode json = JSON.createArrayNode();
        assumptions.forEach(each -> json.addObject()
                .put("code", each.code())
                .put("about", each.about())
                .put("text", each.kind().toString()));
        return json;
    }

    /** Names, by id. */
    public static ArrayNode zones(AffinityMask mask) {
        ArrayNode zones = JSON.createArrayNode();
        mask.ids().forEach(id -> zones.add("node-" + id));
        return zones;
    }

    /** KAI's annotation form: zones by name, quantities as strings. */
    public static ArrayNode placement(Placement placement) {
        ArrayNode json = JSON.createArrayNode();
        TreeMap<String, Amounts> byName = new TreeMap<>();
        placement.zones().forEach((id, amounts) -> byName.put("node-" + id, amounts));
        byName.forEach((name, amounts) -> {
            ObjectNode zone = json.addObject().put("zone", name);
            ObjectNode amount = zone.putObject("amount");
            amounts.byResource().forEach((resource, value) -> amount.put(resource, Amounts.text(resource, value)));
        });
        return json;
    }
}

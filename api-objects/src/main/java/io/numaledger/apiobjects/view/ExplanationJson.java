package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.Evaluation.Unknown;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.holder.Holder;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.evaluation.snapshot.Assumption;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.scheduling.explain.Explanation;
import io.numaledger.scheduling.scheduler.SchedulerFinding;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.ZoneName;

import java.util.Collection;
import java.util.Optional;
import java.util.TreeMap;

/** Explanations as JSON, the same in the API and on the command line. */
public final class ExplanationJson {

    private static final ObjectMapper JSON = new ObjectMapper();

    private ExplanationJson() {}

    private static ObjectNode line(String node, Evaluation evaluation) {
        Optional<PredictedPlacement> predicted = evaluation instanceof Fits fits ? fits.placement() : Optional.empty();
        ObjectNode line = JSON.createObjectNode();
        line.put("node", node);
        line.put("fits", evaluation.admits());
        line.put(
                "reason",
                evaluation instanceof Refused refused ? refused.reason().toString() : null);
        line.set("zones", zones(predicted.map(PredictedPlacement::numaNodes).orElse(AffinityMask.NONE)));
        line.set(
                "placement",
                placement(predicted.map(PredictedPlacement::placement).orElse(Placement.EMPTY)));
        return line;
    }

    /** Where the pod would be placed, or why not, and everything that explains it. */
    public static ObjectNode full(Explanation explanation) {
        return full(explanation, PodNames.ALL);
    }

    /** @param names which pods may be named */
    public static ObjectNode full(Explanation explanation, PodNames names) {
        Evaluation evaluation = explanation.evaluation();
        ObjectNode full = line(explanation.node().name(), evaluation);
        full.put("schedulable", explanation.schedulable());
        ArrayNode reasons = full.putArray("nodeReasons");
        explanation.nodeReasons().forEach(reason -> reasons.add(names.text(reason)));
        full.put("summary", evaluation instanceof Refused refused ? refused.summary() : "");
        full.put("message", names.text(message(evaluation)));
        ArrayNode resources = full.putArray("resources");
        if (evaluation instanceof Refused refused) {
            refused.resources().forEach(fit -> resources.add(resource(fit, names)));
        }
        full.put("advice", explanation.advice().map(names::text).orElse(""));
        ArrayNode notAligned = full.putArray("notAligned");
        explanation
                .notAligned()
                .forEach(each -> notAligned
                        .addObject()
                        .put("reason", each.reason().toString())
                        .put("text", each.text()));
        explanation.claims().ifPresent(check -> full.set("claims", DevicesJson.of(check)));
        full.put("confidence", explanation.confidence().toString());
        full.set("assumptions", assumptions(explanation.node().assumptions(), names));
        full.put(
                "undetermined",
                evaluation instanceof Fits fits
                        && fits.placement()
                                .filter(PredictedPlacement::undetermined)
                                .isPresent());
        return full;
    }

    /** What is wrong with the scheduler of the pod that is explained. */
    public static ObjectNode scheduler(SchedulerFinding finding) {
        return JSON.createObjectNode()
                .put("finding", finding.kind().toString())
                .put("name", finding.scheduler())
                .put("text", finding.message("this pod"));
    }

    private static Sentence message(Evaluation evaluation) {
        if (evaluation instanceof Refused refused) {
            return refused.message();
        }
        return evaluation instanceof Unknown unknown ? unknown.why() : Sentence.of("");
    }

    private static ObjectNode resource(ResourceFit fit, PodNames names) {
        ObjectNode json = JSON.createObjectNode();
        json.put("resource", fit.resource());
        json.set("zones", fit.mask().map(ExplanationJson::zones).orElseGet(JSON::createArrayNode));
        json.put("need", Long.toUnsignedString(fit.need()));
        json.put("free", Long.toUnsignedString(fit.free()));
        json.put("width", fit.widthWanted());
        ArrayNode holders = json.putArray("holders");
        fit.holders().stream().map(Holder::of).map(names::text).distinct().forEach(holders::add);
        return json;
    }

    static ArrayNode assumptions(Collection<Assumption> assumptions, PodNames names) {
        ArrayNode json = JSON.createArrayNode();
        assumptions.forEach(each -> json.addObject()
                .put("code", each.code())
                .put("about", names.text(each.object()))
                .put("text", each.kind().toString()));
        return json;
    }

    private static ArrayNode zones(AffinityMask numaNodes) {
        ArrayNode zones = JSON.createArrayNode();
        ZoneName.of(numaNodes).forEach(zones::add);
        return zones;
    }

    /** KAI's annotation format: zones by name, quantities as strings. */
    static ArrayNode placement(Placement placement) {
        ArrayNode json = JSON.createArrayNode();
        TreeMap<String, Amounts> byName = new TreeMap<>();
        placement.zones().forEach((id, amounts) -> byName.put(ZoneName.of(id), amounts));
        byName.forEach((name, amounts) -> {
            ObjectNode zone = json.addObject().put("zone", name);
            ObjectNode amount = zone.putObject("amount");
            amounts.byResource().forEach((resource, value) -> amount.put(resource, Amounts.text(resource, value)));
        });
        return json;
    }
}

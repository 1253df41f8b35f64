package io.numaledger.bridge.extender;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.bridge.evaluation.Evaluation;
import io.numaledger.bridge.evaluation.Evaluation.Refused;
import io.numaledger.bridge.evaluation.Evaluation.Unknown;
import io.numaledger.bridge.objects.PodObject;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The result of a filter call, and its encoding as ExtenderFilterResult (k8s.io/kube-scheduler, extender/v1). */
public final class FilterResult {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final ExtenderArgs args;
    private final List<Evaluation> evaluations;
    private final Optional<String> invalid;

    /**
     * @param evaluations by the place of the node in the request; empty if the pod itself is invalid
     * @param invalid why the pod itself is refused
     */
    FilterResult(ExtenderArgs args, List<Evaluation> evaluations, Optional<String> invalid) {
        this.args = args;
        this.evaluations = evaluations;
        this.invalid = invalid;
    }

    /** The number of nodes that are left. */
    public int admitting() {
        return (int) evaluations.stream().filter(Evaluation::admits).count();
    }

    /** How many of them are left although nothing is known of their zones. */
    public int unknown() {
        return (int) evaluations.stream().filter(Unknown.class::isInstance).count();
    }

    /** Each different refusal, with the number of nodes that it concerns. */
    public Map<Refused, Integer> refusals() {
        Map<Refused, Integer> refusals = new HashMap<>();
        for (Evaluation evaluation : evaluations) {
            if (evaluation instanceof Refused refused) {
                refusals.merge(refused, 1, Integer::sum);
            }
        }
        return refusals;
    }

    /** Why the pod itself is refused, whatever the node. */
    public Optional<String> invalid() {
        return invalid;
    }

    byte[] encode(ZoneRefusals zoneRefusals, CandidateLimit limit) throws IOException {
        BitSet answered = limit.best(evaluations, args.seed());
        boolean namesRefused = limit.namesRefused(answered.cardinality());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.getFactory().createGenerator(out)) {
            json.writeStartObject();
            if (args.full()) {
                writeNodeObjects(json, answered);
            } else {
                writeNodeNames(json, answered);
            }
            json.writeObjectFieldStart("FailedNodes");
            if (namesRefused) {
                writeRefused(json, any -> !zoneRefusals.isUnresolvable(any));
            }
            json.writeEndObject();
            json.writeObjectFieldStart("FailedAndUnresolvableNodes");
            if (invalid.isPresent()) {
                for (String name : args.names()) {
                    json.writeStringField(name, invalid.get());
                }
            }
            if (namesRefused) {
                writeRefused(json, zoneRefusals::isUnresolvable);
            }
            json.writeEndObject();
            json.writeStringField("Error", "");
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    private void writeNodeNames(JsonGenerator json, BitSet answered) throws IOException {
        json.writeNullField("Nodes");
        json.writeArrayFieldStart("NodeNames");
        for (int place = answered.nextSetBit(0); place >= 0; place = answered.nextSetBit(place + 1)) {
            args.names().write(place, json::writeRawUTF8String);
        }
        json.writeEndArray();
    }

    private void writeNodeObjects(JsonGenerator json, BitSet answered) throws IOException {
        json.writeObjectFieldStart("Nodes");
        json.writeObjectFieldStart("metadata");
        json.writeEndObject();
        json.writeArrayFieldStart("items");
        for (int place = answered.nextSetBit(0); place >= 0; place = answered.nextSetBit(place + 1)) {
            json.writeTree(args.objects().get(place));
        }
        json.writeEndArray();
        json.writeEndObject();
        json.writeNullField("NodeNames");
    }

    /**
     * kube-scheduler writes these texts into the pod's condition PodScheduled, and retries the pod at once whenever the condition
     * changes. They must therefore be the same in each answer until the reason changes.
     */
    private void writeRefused(JsonGenerator json, Predicate<Refused> which) throws IOException {
        Map<String, SerializedString> texts = new HashMap<>();
        for (int place = 0; place < evaluations.size(); place++) {
            if (evaluations.get(place) instanceof Refused refused && which.test(refused)) {
                json.writeFieldName(args.names().get(place));
                json.writeString(texts.computeIfAbsent(
                        refused.summary(), text -> new SerializedString(PodObject.REFUSED_FOR_ZONES + text)));
            }
        }
    }
}

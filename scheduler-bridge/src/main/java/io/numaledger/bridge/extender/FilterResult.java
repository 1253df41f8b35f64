package io.numaledger.bridge.extender;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.Evaluation.Unknown;
import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.objects.PodObject;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.text.ControlCharacters;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** The result of a filter call, and its encoding as ExtenderFilterResult (k8s.io/kube-scheduler, extender/v1). */
public final class FilterResult {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final byte[] FIRST_NAME = {'"'};
    private static final byte[] NEXT_NAME = {',', '"'};
    private static final byte[] IN_ANOTHER_LIST = {};

    private final ExtenderArgs args;
    private final List<Evaluation> evaluations;
    private final Optional<String> invalid;
    private final BatchEvaluator evaluator;
    private final Refusals refusals;
    private final Map<Refused, Integer> counts;
    private final int admitting;

    /**
     * @param evaluations by the place of the node in the request; empty if the pod itself is invalid
     * @param invalid why the pod itself is refused
     * @param evaluator explains single refusals
     */
    FilterResult(ExtenderArgs args, List<Evaluation> evaluations, Optional<String> invalid, BatchEvaluator evaluator) {
        this.args = args;
        this.evaluations = evaluations;
        this.invalid = invalid.map(ControlCharacters::escaped);
        this.evaluator = evaluator;
        this.refusals = new Refusals(evaluations);
        this.counts = refusals.counts();
        this.admitting = evaluations.size()
                - counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** The number of nodes that are left. */
    public int admitting() {
        return admitting;
    }

    /** How many of them are left although nothing is known of their zones. */
    public int unknown() {
        return (int) evaluations.stream().filter(Unknown.class::isInstance).count();
    }

    /** Each different refusal, with the number of nodes that it concerns. */
    public Map<Refused, Integer> refusals() {
        return counts;
    }

    /** The nodes that are held, if none is left. */
    List<String> held() {
        if (admitting > 0
                || counts.keySet().stream().noneMatch(each -> each.reason().isHold())) {
            return List.of();
        }
        return IntStream.range(0, evaluations.size())
                .filter(place -> evaluations.get(place) instanceof Refused refused
                        && refused.reason().isHold())
                .mapToObj(args.names()::get)
                .toList();
    }

    /**
     * A node that has refused the pod.
     *
     * @param message with its free amounts
     */
    public record Example(String node, Sentence message) {}

    /** The first node whose refusal has this summary, with its free amounts as long as it refuses the pod for this. */
    public Example example(String summary) {
        for (int place = 0; place < evaluations.size(); place++) {
            if (evaluations.get(place) instanceof Refused refused
                    && refused.summary().equals(summary)) {
                String node = args.names().get(place);
                return new Example(
                        node,
                        evaluator
                                .refusal(node, args.pod())
                                .filter(now -> now.summary().equals(summary))
                                .orElse(refused)
                                .message());
            }
        }
        throw new IllegalArgumentException("no node has refused the pod for this: summary=" + summary);
    }

    /** Why the pod itself is refused, whatever the node. */
    public Optional<String> invalid() {
        return invalid;
    }

    byte[] encode(ZoneRefusals zoneRefusals, CandidateLimit limit) throws IOException {
        BitSet answered = limit.best(evaluations, args.seed());
        boolean namesRefused = limit.namesRefused(answered.cardinality());
        try (ByteArrayBuilder out = new ByteArrayBuilder();
                JsonGenerator json = JSON.getFactory().createGenerator(out)) {
            json.writeStartObject();
            if (args.full()) {
                writeNodeObjects(json, answered);
            } else {
                writeNodeNames(json, answered);
            }
            json.writeObjectFieldStart("FailedNodes");
            if (namesRefused) {
                json.flush();
                writeRefused(out, any -> !zoneRefusals.isUnresolvable(any));
            }
            json.writeEndObject();
            json.writeObjectFieldStart("FailedAndUnresolvableNodes");
            if (invalid.isPresent()) {
                for (String name : args.names()) {
                    json.writeStringField(name, invalid.get());
                }
            }
            if (namesRefused) {
                json.flush();
                writeRefused(out, zoneRefusals::isUnresolvable);
            }
            json.writeEndObject();
            json.writeStringField("Error", "");
            json.writeEndObject();
            json.flush();
            return out.toByteArray();
        }
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
     *
     * <p>A generator would encode each of the thousands of names anew.
     */
    private void writeRefused(ByteArrayBuilder out, Predicate<Refused> which) throws IOException {
        byte[][] afterName = afterName(which);
        byte[] beforeName = FIRST_NAME;
        for (int place = 0; place < evaluations.size(); place++) {
            int number = refusals.at(place);
            if (number != Refusals.NONE && afterName[number] != IN_ANOTHER_LIST) {
                out.write(beforeName);
                args.names().write(place, out::write);
                out.write(afterName[number]);
                beforeName = NEXT_NAME;
            }
        }
    }

    /** The bytes after the name of a node, by the number of the refusal. */
    private byte[][] afterName(Predicate<Refused> which) {
        Map<String, byte[]> bySummary = new HashMap<>();
        return refusals.objects().stream()
                .map(refused -> which.test(refused)
                        ? bySummary.computeIfAbsent(refused.summary(), FilterResult::afterName)
                        : IN_ANOTHER_LIST)
                .toArray(byte[][]::new);
    }

    private static byte[] afterName(String summary) {
        String shown = PodObject.REFUSED_FOR_ZONES + ControlCharacters.escaped(summary);
        String text = new String(JsonStringEncoder.getInstance().quoteAsString(shown));
        return "\":\"%s\"".formatted(text).getBytes(StandardCharsets.UTF_8);
    }
}

package io.numaledger.bridge.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.ledger.Ledger;
import io.numaledger.bridge.verdict.Verdict;

import java.io.IOException;
import java.util.Optional;

/**
 * {@code bind}: the commit point. The pod is judged anew and its exact zones are reserved in one step; then it is bound, and the prediction
 * written, in one call. Whoever lost a race gets an error, and the scheduler tries again elsewhere.
 */
public final class BindVerb {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Ledger ledger;
    private final Binder binder;
    private final DecisionLog decisions;

    public BindVerb(Ledger ledger, Binder binder, DecisionLog decisions) {
        this.ledger = ledger;
        this.binder = binder;
        this.decisions = decisions;
    }

    /** @throws IllegalArgumentException for a malformed request */
    public byte[] answer(byte[] body) throws IOException {
        JsonNode args;
        try {
            args = JSON.readTree(body);
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "malformed request: %s; send ExtenderBindingArgs as JSON".formatted(e.getOriginalMessage()), e);
        }
        String namespace = required(args, "PodNamespace");
        String name = required(args, "PodName");
        String node = required(args, "Node");
        Optional<String> error = bind(namespace, name, args.path("PodUID").asText(), node);
        return JSON.writeValueAsBytes(JSON.createObjectNode().put("Error", error.orElse("")));
    }

    private static String required(JsonNode args, String field) {
        String value = args == null ? "" : args.path(field).asText();
        if (value.isEmpty()) {
            throw new IllegalArgumentException(
                    "malformed request: %s is missing; send ExtenderBindingArgs as JSON".formatted(field));
        }
        return value;
    }

    private Optional<String> bind(String namespace, String name, String uid, String node) {
        PodFacts pod;
        try {
            Optional<PodFacts> known = ledger.pod(namespace + "/" + name)
                    .filter(facts -> facts.uid().equals(uid));
            pod = known.isPresent() ? known.get() : binder.read(namespace, name, uid);
        } catch (IOException e) {
            return Optional.of(e.getMessage());
        }
        return ledger.bind(node, pod, verdict -> commit(pod, node, verdict));
    }

    private Optional<String> commit(PodFacts pod, String node, Optional<Verdict> verdict) {
        if (verdict.isPresent() && !verdict.get().fits()) {
            decisions.bindRefused(pod, node, verdict.get());
            return Optional.of("NUMA: node %s took another pod meanwhile: %s"
                    .formatted(node, verdict.get().sentence()));
        }
        try {
            binder.bind(pod, node, verdict.map(Verdict::placement).filter(placement -> !placement.isEmpty()));
            decisions.bound(pod, node, verdict);
            return Optional.empty();
        } catch (IOException e) {
            ledger.release(node, pod);
            decisions.bindFailed(pod, node, e.getMessage());
            return Optional.of(e.getMessage());
        }
    }
}

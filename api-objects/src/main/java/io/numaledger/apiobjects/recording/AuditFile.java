package io.numaledger.apiobjects.recording;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.holder.Holder;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.scheduling.audit.AuditEntry;
import io.numaledger.scheduling.audit.Prediction;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A missed prediction as three parts of one archive: the node as node YAML; what its pods held, with the pod and the kubelet's decision;
 * and what was predicted. {@code sim up} simulates such a node, and {@code sim replay} judges who erred.
 */
public final class AuditFile {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private AuditFile() {}

    /**
     * The parts {@code nodes}, {@code pods} and {@code audit}; absent for an entry without the node's state.
     *
     * @param names other pods are numbered
     * @throws IllegalArgumentException if node YAML cannot express the node
     */
    public static Optional<ObjectNode> of(AuditEntry entry, PodNames names) {
        return entry.prediction()
                .seen()
                .filter(seen -> seen.now().isPresent())
                .map(seen -> of(entry, seen, numbered(names)));
    }

    private static ObjectNode of(AuditEntry entry, NodeSnapshot seen, UnaryOperator<String> names) {
        ObjectNode file = JSON.objectNode();
        file.set("nodes", NodeYaml.of("recorded", seen.model().kubelet().orElseThrow()));
        ObjectNode pods = file.putObject("pods");
        String key = entry.pod().key();
        pods.set("held", HeldByPods.of(seen, key, names));
        pods.set("decided", RecordedDecision.of(entry.prediction().pod().request(), result(entry.pod())));
        ObjectNode audit = audit(entry.prediction());
        audit.put("outcome", entry.outcome().toString());
        entry.after()
                .filter(after -> after.now().isPresent())
                .ifPresent(after -> audit.set("after", HeldByPods.of(after, key, names)));
        file.set("audit", audit);
        return file;
    }

    private static ObjectNode audit(Prediction prediction) {
        ObjectNode audit = JSON.objectNode()
                .put("node", prediction.node())
                .put("at", prediction.at().toString())
                .put("confidence", prediction.confidence().toString())
                .put("states", prediction.states())
                .put("undetermined", prediction.placement().undetermined());
        audit.set(
                "predicted",
                RecordedDecision.admitted(
                        prediction.placement().allocation().running().containers()));
        return audit;
    }

    private static ObjectNode result(PodFacts pod) {
        return pod.records()
                .placement()
                .flatMap(record -> record.believed())
                .map(observed -> RecordedDecision.admitted(observed.containers()))
                .orElseGet(() -> pod.reason().isPresent()
                        ? RecordedDecision.refused(
                                pod.reason().get(), pod.message().orElse(""))
                        : RecordedDecision.admitted(List.of()));
    }

    private static UnaryOperator<String> numbered(PodNames names) {
        Map<String, String> hidden = new HashMap<>();
        return key -> names.shows(Holder.of(key))
                ? key
                : hidden.computeIfAbsent(key, any -> "pod-of-another-namespace-" + (hidden.size() + 1));
    }
}

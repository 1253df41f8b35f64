package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.annotation.Annotations;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.kubectl.zones.ClusterSource;
import io.numaledger.kubectl.zones.Zones;
import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.objects.FailureMessage;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** {@code /data/time}: what has happened since the page's server was started, and refusals that can still be seen. Each call looks again. */
final class TimeData implements DataSource {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MOST_ENTRIES = 1_000;
    private static final Set<String> REFUSALS =
            Arrays.stream(Refusal.Reason.values()).map(Refusal.Reason::toString).collect(Collectors.toSet());

    private static final String PLANS_NOT_SEEN =
            "plans of groups without scheduling gates stay in the bridge: only its Events about them are shown";
    private static final String WITHOUT_AUDIT =
            "; a prediction is compared with the observation if this page has read both, so that pods that were bound and observed between two readings are missing";

    private final ShownCluster shown;
    private final ShownPods pods;
    private final InstantSource clock;
    private final Instant since;
    private final NodeChanges nodes = new NodeChanges();
    private final Map<String, ObjectNode> entries = new LinkedHashMap<>();

    TimeData(ShownCluster shown, ClusterSource cluster, InstantSource clock) {
        this.shown = shown;
        this.pods = new ShownPods(cluster);
        this.clock = clock;
        this.since = clock.instant().truncatedTo(ChronoUnit.SECONDS);
    }

    @Override
    public synchronized JsonNode read(String path, Map<String, String> query) throws IOException {
        Set<String> notes = new TreeSet<>(Set.of(PLANS_NOT_SEEN));
        String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        ShownPods.Listed audits = audits();
        nodes.next(shown.nodes().statuses()).stream()
                .filter(entry -> audits.left().isPresent() || !isPrediction(entry))
                .forEach(entry -> add(now + entry, now, entry));
        refusals(pods.failed(), notes);
        misses(audits, notes);
        events(pods.events(), notes);
        plans(pods.waiting(), now, notes);
        ObjectNode json = JSON.createObjectNode().put("since", since.toString()).put("readAt", now);
        List<ObjectNode> latest = new ArrayList<>(entries.values());
        latest.sort((a, b) -> b.path("at").asText().compareTo(a.path("at").asText()));
        json.putArray("entries").addAll(latest);
        ArrayNode texts = json.putArray("notes");
        notes.forEach(texts::add);
        return json;
    }

    /** @param key which happens once */
    private void add(String key, String at, ObjectNode entry) {
        if (entries.putIfAbsent(key, entry.put("at", at)) == null && entries.size() > MOST_ENTRIES) {
            Iterator<String> oldest = entries.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    private void refusals(ShownPods.Listed failed, Set<String> notes) {
        failed.left().ifPresent(notes::add);
        failed.objects().stream()
                .filter(pod -> REFUSALS.contains(pod.at("/status/reason").asText()))
                .forEach(pod -> add(
                        pod.at("/metadata/uid").asText(key(pod)),
                        pod.at("/status/startTime")
                                .asText(pod.at("/metadata/creationTimestamp").asText()),
                        refusal(pod)));
    }

    private static ObjectNode refusal(JsonNode pod) {
        String reason = pod.at("/status/reason").asText();
        String said = FailureMessage.of(
                        "Failed",
                        pod.at("/status/message").asText(),
                        pod.at("/metadata/namespace").asText(),
                        pod.at("/metadata/name").asText())
                .map(": "::concat)
                .orElse("");
        boolean predicted = pod.at("/metadata/annotations").has(Annotations.PREDICTED);
        return JSON.createObjectNode()
                .put("kind", "refusal")
                .put("object", key(pod))
                .put("node", pod.at("/spec/nodeName").asText())
                .put(
                        "text",
                        reason
                                + said
                                + (predicted
                                        ? "; the bridge had placed it, so that its prediction missed"
                                        : "; the bridge had not placed it"));
    }

    private static boolean isPrediction(JsonNode entry) {
        return entry.path("kind").asText().equals("prediction");
    }

    /** The predictions that a bridge has compared with what the kubelets did. */
    private ShownPods.Listed audits() throws IOException {
        Zones zones = shown.zones();
        try {
            return new ShownPods.Listed(zones.audits(), Optional.empty());
        } catch (IOException e) {
            return new ShownPods.Listed(List.of(), Optional.of(String.valueOf(e.getMessage())));
        }
    }

    private void misses(ShownPods.Listed audits, Set<String> notes) {
        audits.left().map(why -> why + WITHOUT_AUDIT).ifPresent(notes::add);
        for (JsonNode audit : audits.objects()) {
            String outcome = audit.path("outcome").asText();
            if (!outcome.equals("same")) {
                boolean refused = outcome.equals("refused");
                ObjectNode entry = JSON.createObjectNode()
                        .put("kind", refused ? "refusal" : "prediction")
                        .put("object", audit.path("pod").asText())
                        .put("node", audit.path("node").asText())
                        .put(
                                "text",
                                refused
                                        ? audit.path("reason").asText()
                                                + "; the bridge had placed it, so that its prediction missed"
                                        : "the kubelet chose other " + outcome);
                entry.set("predicted", audit.at("/predicted/placement"));
                entry.set("observed", audit.at("/observed/placement"));
                add(audit.path("uid").asText(), audit.path("observedAt").asText(), entry);
            }
        }
    }

    private static String key(JsonNode object) {
        return object.at("/metadata/namespace").asText() + "/"
                + object.at("/metadata/name").asText();
    }

    private void events(ShownPods.Listed events, Set<String> notes) {
        events.left().ifPresent(notes::add);
        for (JsonNode event : events.objects()) {
            String reason = event.path("reason").asText();
            String at = event.path("lastTimestamp").asText();
            if (at.compareTo(since.toString()) >= 0) {
                add(
                        event.at("/metadata/uid").asText(),
                        at,
                        JSON.createObjectNode()
                                .put("kind", reason.startsWith("Group") ? "group" : "event")
                                .put(
                                        "object",
                                        event.at("/involvedObject/namespace").asText() + "/"
                                                + event.at("/involvedObject/name")
                                                        .asText())
                                .put(
                                        "text",
                                        reason + ": " + event.path("message").asText()));
            }
        }
    }

    private void plans(ShownPods.Listed waiting, String now, Set<String> notes) {
        waiting.left().ifPresent(notes::add);
        for (JsonNode pod : waiting.objects()) {
            String node = pod.path("metadata")
                    .path("annotations")
                    .path(PodFacts.PLANNED_NODE)
                    .asText();
            if (!node.isEmpty()) {
                add(
                        "plan " + pod.at("/metadata/uid").asText() + " " + node,
                        now,
                        JSON.createObjectNode()
                                .put("kind", "group")
                                .put("object", key(pod))
                                .put("node", node)
                                .put("text", "its group's plan has it on this node"));
            }
        }
    }
}

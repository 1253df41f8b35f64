package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.kubectl.zones.ClusterSource;
import io.numaledger.kubectl.zones.Zones.ExplainedPod;
import io.numaledger.objects.ClusterDump;
import io.numaledger.objects.ObjectReader;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * {@code /data/waiting}: the pods without a node and their groups, the oldest first; {@code /data/waiting/pod/NAMESPACE/NAME} and
 * {@code /data/waiting/group/NAMESPACE/NAME}: why one of them waits.
 */
final class WaitingData implements DataSource {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String POD = "pod/";
    private static final String GROUP = "group/";
    private static final int MOST_PODS = 1_000;

    /** The most pods in a report: each costs an explanation for all nodes. */
    private static final int MOST_IN_REPORT = 20;

    private final ShownCluster shown;
    private final ClusterSource cluster;
    private final ShownPods pods;

    WaitingData(ShownCluster shown, ClusterSource cluster) {
        this.shown = shown;
        this.cluster = cluster;
        this.pods = new ShownPods(cluster);
    }

    @Override
    public JsonNode read(String path, Map<String, String> query) throws IOException {
        if (path.startsWith(POD)) {
            String key = path.substring(POD.length());
            return WaitingReasons.of(shown.zones().explain(ExplainedPod.named(key), List.of()));
        }
        return path.startsWith(GROUP)
                ? cluster.evaluated().explainGroup(path.substring(GROUP.length()), OptionalInt.empty())
                : list();
    }

    @Override
    public List<String> inReport() throws IOException {
        List<String> paths = new ArrayList<>(List.of(""));
        JsonNode list = list();
        list.path("pods").forEach(pod -> paths.add(POD + pod.path("pod").asText()));
        List<String> groups = new ArrayList<>();
        list.path("groups")
                .forEach(group -> groups.add(GROUP + group.path("group").asText()));
        List<String> some = new ArrayList<>(paths.subList(0, Math.min(paths.size(), 1 + MOST_IN_REPORT)));
        some.addAll(groups.subList(0, Math.min(groups.size(), MOST_IN_REPORT)));
        return some;
    }

    private ObjectNode list() throws IOException {
        ShownPods.Listed listed = pods.waiting();
        List<JsonNode> oldest = listed.objects().stream()
                .sorted(Comparator.comparing(WaitingData::since))
                .toList();
        ObjectNode json = JSON.createObjectNode().put("waiting", oldest.size());
        ArrayNode entries = json.putArray("pods");
        SortedMap<PodGroupName, List<PodFacts>> groups = new TreeMap<>();
        ObjectReader reader = ObjectReader.keepingConstraints();
        for (JsonNode pod : oldest) {
            PodFacts facts = ClusterDump.pod(pod, reader);
            facts.group()
                    .group()
                    .ifPresent(group -> groups.computeIfAbsent(group, any -> new ArrayList<>())
                            .add(facts));
            if (entries.size() < MOST_PODS) {
                entries.add(entry(pod, facts));
            }
        }
        ArrayNode all = json.putArray("groups");
        groups.forEach((group, members) -> all.add(entry(group, members)));
        ArrayNode notes = json.putArray("notes");
        listed.left().ifPresent(notes::add);
        return json;
    }

    private static String since(JsonNode pod) {
        return pod.at("/metadata/creationTimestamp").asText();
    }

    private static ObjectNode entry(JsonNode pod, PodFacts facts) {
        ObjectNode json = JSON.createObjectNode()
                .put("pod", facts.key())
                .put("since", since(pod))
                .put("scheduler", facts.scheduler())
                .put("needsAlignment", facts.needsAlignment());
        facts.group().group().ifPresent(group -> json.put("group", group.toString()));
        facts.group().gates().stream().sorted().forEach(json.putArray("gates")::add);
        for (JsonNode condition : pod.at("/status/conditions")) {
            if (condition.path("type").asText().equals("PodScheduled")) {
                json.put("said", condition.path("message").asText());
            }
        }
        return json;
    }

    private static ObjectNode entry(PodGroupName group, List<PodFacts> members) {
        ObjectNode json = JSON.createObjectNode().put("group", group.toString()).put("waiting", members.size());
        members.stream()
                .flatMapToInt(pod -> pod.group().minMember().stream())
                .findFirst()
                .ifPresent(least -> json.put("minMember", least));
        ArrayNode pods = json.putArray("pods");
        members.stream().map(PodFacts::key).limit(MOST_IN_REPORT).forEach(pods::add);
        return json;
    }
}

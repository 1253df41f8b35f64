package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.UnmodelledConstraint;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.scheduling.rehearsal.AddRehearsal;
import io.numaledger.scheduling.rehearsal.ChangeRehearsal;
import io.numaledger.scheduling.rehearsal.ChangeRehearsal.By;
import io.numaledger.scheduling.rehearsal.ChangedNode;
import io.numaledger.scheduling.rehearsal.DrainRehearsal;
import io.numaledger.scheduling.rehearsal.Fate;
import io.numaledger.scheduling.rehearsal.RehearsedPod;
import io.numaledger.scheduling.stranded.RoomCounts.Room;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/** Rehearsals as JSON, one object each. */
public final class RehearsalJson {

    private static final ObjectMapper JSON = new ObjectMapper();

    private RehearsalJson() {}

    /** @param action {@code drain}, or {@code remove} where nodes do not come back */
    public static ObjectNode drain(String action, DrainRehearsal.Result result) {
        ObjectNode json = JSON.createObjectNode().put("action", action);
        result.largestAtOnce().ifPresent(most -> json.put("largestAtOnce", most));
        addSums(json, result.pods());
        ArrayNode steps = json.putArray("steps");
        result.steps().forEach(step -> {
            ObjectNode one = steps.addObject();
            step.nodes().forEach(one.putArray("nodes")::add);
            one.set("pods", pods(step.pods()));
        });
        return json;
    }

    /** @param most how many nodes were to be added at most */
    public static ObjectNode add(String like, int most, AddRehearsal.Result result) {
        ObjectNode json = JSON.createObjectNode()
                .put("action", "add")
                .put("like", like)
                .put("most", most)
                .put("needed", result.needed());
        List<RehearsedPod> all = new ArrayList<>(result.fitting());
        all.addAll(result.added());
        all.addAll(result.waiting());
        addSums(json, all);
        json.set("fitting", pods(result.fitting()));
        json.set("added", pods(result.added()));
        json.set("waiting", pods(result.waiting()));
        return json;
    }

    /** @param pools the pool of a node */
    public static ObjectNode change(By by, ChangeRehearsal.Result result, Function<NodeFacts, String> pools) {
        ObjectNode json = JSON.createObjectNode().put("action", "change").put("by", by.toString());
        addSums(
                json,
                result.nodes().stream().flatMap(node -> node.pods().stream()).toList());
        Map<String, List<ChangedNode>> byPool = new TreeMap<>();
        result.nodes()
                .forEach(
                        node -> byPool.computeIfAbsent(pools.apply(node.before().node()), any -> new ArrayList<>())
                                .add(node));
        ArrayNode all = json.putArray("pools");
        byPool.forEach((pool, nodes) -> all.add(pool(pool, nodes)));
        ArrayNode room = json.putArray("room");
        result.room().forEach((reference, change) -> {
            ObjectNode one = room.addObject().put("reference", reference);
            one.set("before", room(change.before()));
            one.set("after", room(change.after()));
        });
        ArrayNode nodes = json.putArray("nodes");
        result.nodes().forEach(node -> nodes.add(node(node)));
        json.set("fitting", pods(result.fitting()));
        result.unfitting().forEach(json.putArray("unfitting")::add);
        return json;
    }

    private static ObjectNode pool(String pool, List<ChangedNode> nodes) {
        ObjectNode json = JSON.createObjectNode().put("pool", pool).put("nodes", nodes.size());
        json.put("notStarting", nodes.stream().filter(node -> !node.starts()).count());
        addSums(json, nodes.stream().flatMap(node -> node.pods().stream()).toList());
        nodes.stream()
                .max(Comparator.comparingLong(RehearsalJson::bad))
                .filter(node -> bad(node) > 0)
                .ifPresent(worst -> json.put("worst", worst.name()));
        return json;
    }

    private static long bad(ChangedNode node) {
        return node.pods().stream().filter(pod -> pod.fate().isBad()).count();
    }

    private static ObjectNode node(ChangedNode node) {
        ObjectNode json = JSON.createObjectNode()
                .put("node", node.name())
                .put("starts", node.starts())
                .put("objection", node.objection());
        ArrayNode delete = json.putArray("delete");
        node.delete().stream().map(Object::toString).sorted().forEach(delete::add);
        json.put("confidence", snapshot(node).confidence().toString());
        json.set("assumed", ExplanationJson.assumptions(node.assumed(), PodNames.ALL));
        json.set(
                "zonesBefore",
                NodeJson.zones(node.before().snapshots().likeliest().snapshot()));
        json.set("zonesAfter", node.starts() ? NodeJson.zones(snapshot(node)) : JSON.createArrayNode());
        json.set("pods", pods(node.pods()));
        return json;
    }

    private static NodeSnapshot snapshot(ChangedNode node) {
        return node.after().orElse(node.before()).snapshots().likeliest().snapshot();
    }

    private static ObjectNode room(Room room) {
        return JSON.createObjectNode().put("byZones", room.byZones()).put("bySums", room.bySums());
    }

    /** How many pods of each fate there are, zeros included, and what was not considered of them. */
    private static void addSums(ObjectNode json, Collection<RehearsedPod> pods) {
        ObjectNode sums = json.putObject("pods");
        for (Fate fate : Fate.values()) {
            sums.put(
                    fate.toString(),
                    pods.stream().filter(pod -> pod.fate() == fate).count());
        }
        json.put("notConsidered", notConsidered(pods));
    }

    private static String notConsidered(Collection<RehearsedPod> pods) {
        Set<UnmodelledConstraint> all = EnumSet.noneOf(UnmodelledConstraint.class);
        pods.stream()
                .filter(pod -> pod.fate() != Fate.STAYS)
                .forEach(pod -> all.addAll(pod.pod().constraints().unmodelled()));
        return UnmodelledConstraint.text(all);
    }

    private static ArrayNode pods(List<RehearsedPod> pods) {
        ArrayNode json = JSON.createArrayNode();
        pods.forEach(pod -> {
            ObjectNode one = json.addObject()
                    .put("pod", pod.pod().key())
                    .put("node", pod.node())
                    .put("fate", pod.fate().toString());
            pod.target().ifPresent(target -> one.put("target", target));
            one.put("why", pod.why()).put("notConsidered", notConsidered(List.of(pod)));
        });
        return json;
    }
}

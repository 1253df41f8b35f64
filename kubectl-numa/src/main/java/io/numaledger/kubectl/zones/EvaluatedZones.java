package io.numaledger.kubectl.zones;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.view.ExplanationJson;
import io.numaledger.apiobjects.view.NodeJson;
import io.numaledger.apiobjects.view.StrandedJson;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.DisruptionBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.UnmodelledConstraint;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.ClusterObjects;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.kubectl.client.UnknownNameException;
import io.numaledger.objects.PodManifest;
import io.numaledger.scheduling.explain.Explanation;
import io.numaledger.scheduling.group.GroupExplanation;
import io.numaledger.scheduling.pool.NodePools;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.rehearsal.RehearsedCluster;
import io.numaledger.scheduling.scheduler.SchedulerCheck;
import io.numaledger.scheduling.scheduler.SchedulerLeases;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.StaticCluster;
import io.numaledger.scheduling.stranded.MoveSearch;
import io.numaledger.scheduling.stranded.ReferencePods;
import io.numaledger.scheduling.stranded.StrandedCapacity;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;

/** Zones that are evaluated here, from the objects of a cluster at one time. */
public final class EvaluatedZones implements Zones {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final ClusterObjects objects;
    private final SnapshotSettings settings;
    private final ClusterState cluster;
    private final Instant readAt;
    private final Budgets budgets;
    private final Leases leases;

    /** Reads the disruption budgets, which few answers need. */
    interface Budgets {
        List<DisruptionBudget> read() throws IOException;
    }

    /** Reads the Leases of schedulers, which only explanations need. */
    interface Leases {
        SchedulerLeases read() throws IOException;
    }

    public EvaluatedZones(ClusterObjects objects, SnapshotSettings settings) {
        this(objects, settings, Instant.now(), objects::budgets, () -> SchedulerLeases.UNREAD);
    }

    /** @param readAt when the objects were read */
    EvaluatedZones(ClusterObjects objects, SnapshotSettings settings, Instant readAt, Budgets budgets, Leases leases) {
        this.objects = objects;
        this.settings = settings;
        this.readAt = readAt;
        this.budgets = budgets;
        this.leases = leases;
        this.cluster = StaticCluster.of(objects, settings, InstantSource.system());
    }

    @Override
    public List<JsonNode> nodes() {
        List<JsonNode> nodes = new ArrayList<>();
        cluster.snapshots().forEach(node -> nodes.add(NodeJson.of(node, cluster, PodNames.ALL)));
        return nodes;
    }

    @Override
    public Map<String, SortedMap<String, String>> labels() {
        Map<String, SortedMap<String, String>> labels = new HashMap<>();
        cluster.snapshots()
                .forEach(node ->
                        labels.put(node.name(), node.node().constraints().labels()));
        return labels;
    }

    @Override
    public Optional<JsonNode> node(String name) {
        return cluster.snapshot(name).map(node -> NodeJson.detailed(node, cluster, PodNames.ALL));
    }

    @Override
    public List<JsonNode> explain(ExplainedPod pod, List<String> ended) throws IOException {
        PodFacts facts = pod.manifest().isPresent() ? pod.manifest().get().pod() : named(pod.key());
        for (String each : ended) {
            named(each);
        }
        List<JsonNode> explanations = new ArrayList<>();
        List<ResourceClaim> described = pod.manifest().map(PodManifest::claims).orElse(List.of());
        Explanation.ofAll(cluster, ended, facts, described)
                .forEach(each -> explanations.add(ExplanationJson.full(each)));
        new SchedulerCheck(SchedulerCheck.DEFAULT_NAMES, Optional.empty(), leases.read())
                .of(facts, objects.pods(), readAt)
                .ifPresent(found -> explanations.forEach(
                        each -> ((ObjectNode) each).set("scheduler", ExplanationJson.scheduler(found))));
        return explanations;
    }

    @Override
    public JsonNode explainGroup(String key, OptionalInt least) throws IOException {
        PodGroupName name = cluster.pods().groups().stream()
                .sorted()
                .filter(each -> each.toString().equals(key))
                .findFirst()
                .orElseThrow(() -> UnknownNameException.group(
                        key,
                        cluster.pods().groups().stream()
                                .map(PodGroupName::toString)
                                .toList()));
        int all = cluster.pods().ofGroup(name).size();
        OptionalInt said = least.isPresent() ? least : GroupExplanation.least(cluster, name);
        return json(GroupExplanation.of(cluster, name, said.orElse(all)));
    }

    @Override
    public List<JsonNode> stranded(StrandedSizes sizes) throws IOException {
        return List.copyOf(StrandedJson.of(counted(sizes).report()));
    }

    @Override
    public Optional<JsonNode> stranded(StrandedSizes sizes, String reference) throws IOException {
        StrandedCapacity capacity = counted(sizes);
        DisruptionBudgets now = new DisruptionBudgets(budgets.read());
        MoveSearch.Finder moves = MoveSearch.finder(cluster, capacity, Optional::of, () -> now);
        return StrandedJson.of(capacity.report()).stream()
                .filter(each -> each.path("reference").asText().equals(reference))
                .findFirst()
                .<JsonNode>map(each -> {
                    each.set("nodes", StrandedJson.nodes(capacity.nodes(reference)));
                    each.set("moves", StrandedJson.moves(moves.find(reference), PodNames.ALL));
                    return each;
                });
    }

    /** The cluster, for rehearsals. */
    public RehearsedCluster rehearsed() throws IOException {
        return new RehearsedCluster(cluster, objects.origins(), new DisruptionBudgets(budgets.read()), settings);
    }

    private StrandedCapacity counted(StrandedSizes sizes) throws IOException {
        try {
            StrandedCapacity capacity = new StrandedCapacity(
                    cluster, ReferencePods.of(sizes.references()), new NodePools(sizes.poolLabel())::of);
            var unused = capacity.update(Integer.MAX_VALUE);
            return capacity;
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static ObjectNode json(GroupExplanation explanation) {
        ObjectNode json = JSON.createObjectNode();
        json.put("group", explanation.group().toString())
                .put("needed", explanation.needed())
                .put("waiting", explanation.waiting())
                .put("placeable", explanation.placeable())
                .put("cutOff", explanation.cutOff())
                .put("fits", explanation.fits())
                .put("notConsidered", UnmodelledConstraint.text(explanation.unmodelled()));
        ArrayNode nodes = json.putArray("nodes");
        explanation
                .nodes()
                .forEach((node, pods) ->
                        pods.forEach(nodes.addObject().put("node", node).putArray("pods")::add));
        ArrayNode evictions = json.putArray("evictions");
        explanation
                .evictions()
                .forEach(move -> evictions
                        .addObject()
                        .put("pod", move.pod())
                        .put("node", move.node())
                        .put("target", move.target()));
        return json;
    }

    private PodFacts named(String key) throws IOException {
        return objects.pods().stream()
                .filter(pod -> pod.key().equals(key))
                .findFirst()
                .orElseThrow(() -> UnknownNameException.pod(
                        key, objects.pods().stream().map(PodFacts::key).toList()));
    }
}

package io.numaledger.bridge.extender;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.UnknownNodeAction;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.preemption.ProvenNodes;
import io.numaledger.scheduling.preemption.SearchLimit;
import io.numaledger.scheduling.preemption.VictimSearch;
import io.numaledger.scheduling.preemption.Victims;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeUse;

import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * {@code preempt}: kube-scheduler proposes victims on each node, without which the pod would fit there by node-level requests. The answer
 * names those that free the zones that the pod needs, or leaves the node out.
 *
 * <table>
 * <caption>The answer for one node</caption>
 * <tr><td>the node is not modelled and takes the pod</td><td>the proposed victims</td></tr>
 * <tr><td>no victims help</td><td>left out</td></tr>
 * <tr><td>the pod needs no victims, some are proposed</td><td>left out: nobody ends for nothing, and kube-scheduler tries the pod
 * again</td></tr>
 * <tr><td>otherwise</td><td>the smallest set of victims, which may be empty if the proposed one was</td></tr>
 * </table>
 *
 * <p>All nodes are left out while the pod has a place where others end for it already. kube-scheduler waits only while it sees that they
 * terminate on the node for which the pod is nominated. It ends a nomination if it cannot bind the pod there, and the zones of victims may
 * become free after the API server has deleted them. All are left out, too, if the pod fits a node that kube-scheduler has not offered, and
 * is about to be nominated for it.
 */
public final class PreemptVerb {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final KubernetesSerialization TYPED = new KubernetesSerialization();

    private final ClusterState cluster;
    private final Predicate<PodFacts> isToBeNominated;
    private final Supplier<DisruptionBudgets> budgets;
    private final DecisionListener listener;
    private final ObjectReader reader = new ObjectReader();

    /** @param isToBeNominated whether a pod that fits no node of kube-scheduler's sample fits another one */
    public PreemptVerb(
            ClusterState cluster,
            Predicate<PodFacts> isToBeNominated,
            Supplier<DisruptionBudgets> budgets,
            DecisionListener listener) {
        this.cluster = cluster;
        this.isToBeNominated = isToBeNominated;
        this.budgets = budgets;
        this.listener = listener;
    }

    /**
     * What kube-scheduler proposes for one node.
     *
     * @param uids of the victims
     */
    private record Proposal(Set<String> uids, long violations) {}

    private static final Proposal NOTHING = new Proposal(Set.of(), 0);

    /** @throws IllegalArgumentException for a malformed request */
    public byte[] answer(byte[] body) throws IOException {
        JsonNode args = read(body);
        PodFacts pod = cluster.pods().known(reader.pod(TYPED.convertValue(args.path("Pod"), PodObject.class)));
        SearchLimit limit = new SearchLimit();
        EvaluationBudget budget = EvaluationBudget.ofSearch(pod, cluster.costlyPods());
        boolean waits = isHeld(pod)
                || cluster.nominated().awaitsNamedVictims(pod)
                || waitsForReleases(pod, limit, budget)
                || isToBeNominated.test(pod);
        SortedMap<String, Proposal> proposals = waits ? Collections.emptySortedMap() : proposals(args);
        SortedMap<String, Victims> found = new TreeMap<>();
        ObjectNode result = JSON.createObjectNode();
        ObjectNode nodes = result.putObject("NodeNameToMetaVictims");
        for (Map.Entry<String, Proposal> each : proposals.entrySet()) {
            String node = each.getKey();
            Proposal proposal = each.getValue();
            Optional<NodeUse> use = cluster.use(node, budget);
            if (use.isEmpty() || isUnfiltered(use.get(), pod)) {
                write(nodes.putObject(node), proposal.uids(), proposal.violations());
                continue;
            }
            find(use.get(), pod, proposal, limit)
                    .filter(victims ->
                            !victims.pods().isEmpty() || proposal.uids().isEmpty())
                    .filter(victims -> !cluster.nominated().areNamedForAnother(pod, victims.pods()))
                    .ifPresent(victims -> {
                        Set<String> uids = new HashSet<>();
                        victims.pods().forEach(victim -> uids.add(victim.uid().orElseThrow()));
                        found.put(node, victims);
                        write(nodes.putObject(node), uids, victims.violations());
                    });
        }
        Map<String, List<PodFacts>> named = new HashMap<>();
        found.forEach((node, victims) -> named.put(node, victims.pods()));
        named.values().removeIf(List::isEmpty);
        cluster.nominated().victimsNamed(pod, named);
        listener.preempting(pod, proposals.size(), found);
        return JSON.writeValueAsBytes(result);
    }

    /** Nothing is known of the node's zones, and it takes the pod all the same. */
    private static boolean isUnfiltered(NodeUse use, PodFacts pod) {
        return !use.isModelled() && use.now().admitsByZones(pod);
    }

    /**
     * Whether the pod fits the node where others end for it only once they have ended; or fits it since so short a time that its scheduler may not
     * have tried it there. Another pod may have the place by now: then others have to end, or nobody would wake the pod.
     */
    private boolean waitsForReleases(PodFacts pod, SearchLimit limit, EvaluationBudget budget) {
        return cluster.nominated()
                .nodeOf(pod)
                .flatMap(node -> cluster.use(node, budget))
                .filter(use -> cluster.nominated().hasJustNamedVictims(pod)
                        || !use.now().admits(pod))
                .flatMap(use -> find(use, pod, NOTHING, limit))
                .filter(victims -> victims.pods().isEmpty())
                .isPresent();
    }

    /** Nobody else has to end for a pod that only waits until more is known of its nominated node. */
    private boolean isHeld(PodFacts pod) {
        return pod.priority()
                .nominatedNode()
                .flatMap(cluster::snapshot)
                .flatMap(snapshot -> snapshot.unknowns().about(pod.request()))
                .filter(part -> part.action() == UnknownNodeAction.HOLD)
                .isPresent();
    }

    private Optional<Victims> find(NodeUse use, PodFacts pod, Proposal proposal, SearchLimit limit) {
        if (!pod.priority().preempts()) {
            return Optional.empty();
        }
        return new VictimSearch(use, pod, budgets.get(), limit)
                .find(pod.constraints().tied() ? proposal.uids() : unmodelled(use, pod, proposal));
    }

    /** Proposed victims that may have to end for another reason than zones and what pods request of the node. */
    private static Set<String> unmodelled(NodeUse use, PodFacts pod, Proposal proposal) {
        return use.pods().stream()
                .filter(other -> ProvenNodes.isInTheWay(other, pod))
                .flatMap(other -> other.uid().stream())
                .filter(proposal.uids()::contains)
                .collect(Collectors.toSet());
    }

    private static JsonNode read(byte[] body) throws IOException {
        try {
            JsonNode args = JSON.readTree(body);
            if (args != null && args.path("Pod").isObject()) {
                return args;
            }
            throw new IllegalArgumentException(
                    "malformed request: Pod is missing; send ExtenderPreemptionArgs as JSON");
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "malformed request: %s; send ExtenderPreemptionArgs as JSON".formatted(e.getOriginalMessage()), e);
        }
    }

    /** With {@code nodeCacheCapable}, victims are UIDs; without it, whole pods. */
    private static SortedMap<String, Proposal> proposals(JsonNode args) {
        SortedMap<String, Proposal> proposals = new TreeMap<>();
        JsonNode whole = args.path("NodeNameToVictims");
        JsonNode named = args.path("NodeNameToMetaVictims");
        (whole.isObject() ? whole : named).properties().forEach(node -> {
            Set<String> uids = new HashSet<>();
            node.getValue()
                    .path("Pods")
                    .forEach(victim -> uids.add(victim.path("UID")
                            .asText(victim.path("metadata").path("uid").asText())));
            proposals.put(
                    node.getKey(),
                    new Proposal(uids, node.getValue().path("NumPDBViolations").asLong()));
        });
        return proposals;
    }

    private static void write(ObjectNode node, Set<String> uids, long violations) {
        ArrayNode pods = node.putArray("Pods");
        uids.stream().sorted().forEach(uid -> pods.addObject().put("UID", uid));
        node.put("NumPDBViolations", violations);
    }
}

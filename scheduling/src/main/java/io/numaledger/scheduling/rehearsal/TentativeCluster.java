package io.numaledger.scheduling.rehearsal;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.ClassCopies;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.fit.SchedulingRequest;
import io.numaledger.evaluation.fit.TentativeNode;
import io.numaledger.scheduling.state.Feasibility;
import io.numaledger.scheduling.state.NodeUse;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import static java.util.Objects.requireNonNull;

/** The nodes of a cluster in a rehearsal: pods end, nodes close and change, and pods are placed. Not thread-safe. */
final class TentativeCluster {

    private static final String BY_ZONES = "by zones, it does not fit";

    private static final String NOT_EVALUATED = "too much work to evaluate";

    private final Map<String, RehearsedNode> nodes = new HashMap<>();
    private final NavigableSet<RehearsedNode> open = new TreeSet<>(RehearsedNode.EMPTIEST_FIRST);
    private final Map<SchedulingRequest, Refusals> refusals = new HashMap<>();

    /** What was found for a pod: a node that takes it, or why none does. */
    record Placed(Optional<String> node, String why) {}

    /**
     * What is known of equal pods.
     *
     * @param nodes whose zones have refused them since something there became free
     */
    private record Refusals(Set<String> nodes, Optional<ClassCopies> counts) {

        static Refusals of(PodFacts pod) {
            return new Refusals(
                    new HashSet<>(),
                    FullModel.isConditional(pod) || !pod.claims().isEmpty()
                            ? Optional.empty()
                            : Optional.of(new ClassCopies(pod)));
        }

        /** Whether the zones of a node refuse them, as far as that is known without the full model. */
        boolean include(RehearsedNode node) {
            return nodes.contains(node.name())
                    || counts.filter(node::refusesByCounts).isPresent();
        }
    }

    TentativeCluster(Collection<NodeUse> uses) {
        uses.forEach(use -> put(RehearsedNode.of(use)));
    }

    /** Adds a node, which is open. */
    void put(RehearsedNode node) {
        nodes.put(node.name(), node);
        open.add(node);
    }

    /** The node as it is in the rehearsal now. */
    RehearsedNode node(String name) {
        return requireNonNull(nodes.get(name));
    }

    /** What is used of a node at the beginning, or since its kubelet was changed. */
    NodeUse use(String name) {
        return node(name).use();
    }

    /** The node in the rehearsal. */
    TentativeNode state(String name) {
        return node(name).state();
    }

    /** The pods on a node in the rehearsal. */
    List<PodFacts> pods(String name) {
        return node(name).pods();
    }

    /** No pod is placed on this node from now on. */
    void close(String name) {
        open.remove(node(name));
    }

    /** Pods are placed on this node again. */
    void reopen(String name) {
        open.add(node(name));
    }

    /** A node has another kubelet from now on, and is open. */
    void change(NodeUse use) {
        close(use.node().name());
        put(RehearsedNode.of(use));
        freed(use.node().name());
    }

    /** Pods of a node have ended. */
    void end(String name, Collection<PodFacts> ended) {
        replace(node(name).without(ended));
        freed(name);
    }

    private void freed(String name) {
        refusals.values().forEach(known -> known.nodes().remove(name));
    }

    private void replace(RehearsedNode node) {
        boolean isOpen = open.remove(node(node.name()));
        nodes.put(node.name(), node);
        if (isOpen) {
            open.add(node);
        }
    }

    /** Places a pod on the node of which most is free among those that take it. */
    Placed place(PodFacts pod) {
        Refusals known = refusals(pod);
        SortedMap<String, Integer> reasons = new TreeMap<>();
        for (RehearsedNode node : open) {
            Feasibility feasibility = Feasibility.of(node.use(), node.state(), node.pods());
            Optional<Refused> obstacle = feasibility.obstacle(pod);
            if (obstacle.isPresent() || known.include(node)) {
                reasons.merge(obstacle.map(Refused::summary).orElse(BY_ZONES), 1, Integer::sum);
                continue;
            }
            Optional<TentativeNode> with = feasibility.with(pod);
            if (with.isPresent()) {
                replace(node.with(pod, with.get()));
                return new Placed(Optional.of(node.name()), "");
            }
            if (node.use().reserved().isEmpty() && pod.claims().isEmpty()) {
                known.nodes().add(node.name());
            }
            reasons.merge(feasibility.isNotEvaluated(pod) ? NOT_EVALUATED : BY_ZONES, 1, Integer::sum);
        }
        return new Placed(Optional.empty(), text(reasons));
    }

    private Refusals refusals(PodFacts pod) {
        try {
            return refusals.computeIfAbsent(SchedulingRequest.of(pod), any -> Refusals.of(pod));
        } catch (IllegalArgumentException invalidAnnotation) {
            return new Refusals(new HashSet<>(), Optional.empty());
        }
    }

    private static String text(SortedMap<String, Integer> reasons) {
        return reasons.isEmpty()
                ? "no node is left"
                : reasons.entrySet().stream()
                        .map(each -> "%d nodes: %s".formatted(each.getValue(), each.getKey()))
                        .collect(Collectors.joining("; "));
    }
}

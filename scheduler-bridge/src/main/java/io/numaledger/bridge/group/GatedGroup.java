package io.numaledger.bridge.group;

import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.objects.PodGroup;
import io.numaledger.bridge.objects.PodGroupName;
import io.numaledger.bridge.topology.Topologies;
import io.numaledger.bridge.topology.TopologyRequest;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The pods of a group with the gate of groups.
 *
 * @param gated not released yet, the oldest first
 * @param released tied to a node by a plan, and without a node so far
 * @param succeeded how many have run already
 */
record GatedGroup(
        PodGroupName name,
        List<PodFacts> bound,
        List<PodFacts> released,
        List<PodFacts> gated,
        int succeeded,
        int least) {

    /** How many run, have run or are tied to a node. */
    int placed() {
        return bound.size() + released.size() + succeeded;
    }

    /** Some run without others that they need, and those are waiting. */
    boolean isIncomplete() {
        return !(bound.isEmpty() && released.isEmpty()) && placed() < least && !(gated.isEmpty() && released.isEmpty());
    }

    /** Pods that have a node, or are tied to one → its name. */
    Map<PodFacts, String> nodes() {
        Map<PodFacts, String> nodes = new LinkedHashMap<>();
        bound.forEach(pod -> nodes.put(pod, pod.node().orElseThrow()));
        released.forEach(pod -> nodes.put(pod, plannedNode(pod).orElseThrow()));
        return nodes;
    }

    /** What the PodGroup says, or the first pod that says something. */
    Optional<TopologyRequest> topology(Optional<PodGroup> object, Topologies topologies) {
        return Stream.concat(
                        object.stream().map(PodGroup::topology),
                        Stream.of(gated, released, bound).flatMap(List::stream).map(PodFacts::annotations))
                .map(annotations -> TopologyRequest.of(annotations, topologies))
                .flatMap(Optional::stream)
                .findFirst();
    }

    PodFacts first() {
        return List.of(gated, released, bound).stream()
                .flatMap(List::stream)
                .findFirst()
                .orElseThrow();
    }

    List<String> gatedUids() {
        return gated.stream().map(pod -> pod.uid().orElse("")).toList();
    }

    /** How many more have to run; 1 or more. */
    int needed() {
        return Math.max(1, least - placed());
    }

    /** Whether enough pods are there to be planned. */
    boolean isPlannable() {
        return !gated.isEmpty() && placed() + gated.size() >= least;
    }

    /** On which node a pod is to run, as its plan has written. */
    static Optional<String> plannedNode(PodFacts pod) {
        return pod.annotation(PodFacts.PLANNED_NODE);
    }
}

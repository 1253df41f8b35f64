package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.nrt.NodeTopology;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The pods of one node: those that the watch shows, and deleted ones whose end no kubelet has confirmed. The node's lock guards it.
 */
final class NodePods {

    private final SortedMap<String, PodFacts> pods = new TreeMap<>();
    private final UnconfirmedDeletions deletions;
    private final NodeAgent agent;
    private boolean observed;

    NodePods(InstantSource clock) {
        this.deletions = new UnconfirmedDeletions(clock);
        this.agent = new NodeAgent(clock);
    }

    /** The pods by their keys, ended ones included. */
    SortedMap<String, PodFacts> all() {
        return Collections.unmodifiableSortedMap(pods);
    }

    /** Returns the pod as it was before; absent: it is new. */
    Optional<PodFacts> put(PodFacts pod) {
        Optional<PodFacts> before = Optional.ofNullable(pods.put(pod.key(), pod));
        observed |= pod.observed();
        agentChanged(pod);
        return before;
    }

    /** Returns the pod as it was; absent: there was none. */
    Optional<PodFacts> remove(String key) {
        Optional<PodFacts> before = Optional.ofNullable(pods.remove(key));
        before.ifPresent(this::agentChanged);
        return before;
    }

    private void agentChanged(PodFacts pod) {
        if (pod.isAgent()) {
            agent.update(pods.values());
        }
    }

    /** A pod was deleted that may still hold something. */
    void keepDeleted(PodFacts before) {
        PodFacts deleted = before.deleted();
        pods.put(deleted.key(), deleted);
        deletions.add(deleted);
    }

    /** Removes the deleted pods that hold nothing any more. */
    List<PodFacts> takeEnded(Optional<NodeTopology> topology) {
        return deletions.takeEnded(topology, pods.values()).stream()
                .flatMap(key -> Optional.ofNullable(pods.remove(key)).stream())
                .toList();
    }

    /** Whether some pod was observed, by whatever exporter. */
    boolean areObserved() {
        return observed;
    }

    boolean includeStartingAgent() {
        return pods.values().stream().anyMatch(pod -> pod.startingAgent() && !pod.ended());
    }

    /** The keys of those that are terminating. */
    List<String> terminating() {
        return pods.values().stream()
                .filter(pod -> pod.terminating() && !pod.ended())
                .map(PodFacts::key)
                .toList();
    }

    /** See {@link NodeAgent#isAway}. */
    boolean isAgentAway() {
        return agent.isAway();
    }

    /** When time alone changes something: a deleted pod is taken to have ended, or the agent counts as away. */
    Stream<Instant> nextChanges() {
        return Stream.of(deletions.nextEnd(), agent.nextAway()).flatMap(Optional::stream);
    }
}

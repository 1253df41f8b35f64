package io.numaledger.bridge.run;

import io.numaledger.bridge.run.NodeProblems.Problem;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.scheduling.explain.CpuConflict;
import io.numaledger.scheduling.state.ClusterNode;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Reports CPUs that a kubelet gave to two pods, or although they are reserved: in the log, and as an event on each pod. Looks only at nodes
 * that have changed since. For one thread.
 */
final class CpuConflictReporter {

    private static final Logger log = LoggerFactory.getLogger(CpuConflictReporter.class);

    /** @param version of the node's state */
    private record Found(long version, List<CpuConflict> conflicts) {}

    private final PodEvents events;
    private final NodeProblems conflicts = new NodeProblems(
            Optional.empty(),
            "",
            (node, problem, nodes) ->
                    log.warn("event=node.cpus_shared node={} message=\"{}\" nodes={}", node, problem.message(), nodes),
            "event=node.cpus_separate node={} nodes={}");

    /** The events that were written, by pod key and uid. */
    private Map<String, List<CpuConflict>> reported = new HashMap<>();

    private Map<String, Found> nodes = Map.of();

    CpuConflictReporter(PodEvents events) {
        this.events = events;
    }

    /** Call it every ten seconds or so. */
    void report(ClusterState cluster) {
        nodes = found(cluster);
        SortedMap<String, List<CpuConflict>> found = new TreeMap<>();
        nodes.forEach((node, known) -> {
            if (!known.conflicts().isEmpty()) {
                found.put(node, known.conflicts());
            }
        });
        SortedMap<String, Problem> problems = new TreeMap<>();
        Map<String, List<CpuConflict>> now = new HashMap<>();
        found.forEach((node, all) -> {
            problems.put(node, new Problem("", text(all, PodNames.ALL)));
            cluster.podsOn(node).forEach(pod -> warn(pod, of(pod, all), now));
        });
        conflicts.report(problems);
        reported = now;
    }

    private Map<String, Found> found(ClusterState cluster) {
        NodeIndex index = cluster.index();
        Map<String, Found> found = new HashMap<>();
        for (int at = 0; at < index.size(); at++) {
            String name = index.name(at);
            long version = cluster.versions().get(index.slot(at)); // before the pods are read
            Found before = nodes.get(name);
            found.put(
                    name,
                    before != null && before.version() == version
                            ? before
                            : new Found(version, conflicts(index.node(at))));
        }
        return found;
    }

    private static List<CpuConflict> conflicts(ClusterNode node) {
        return node.model().map(model -> CpuConflict.of(model, node.pods())).orElse(List.of());
    }

    private static List<CpuConflict> of(PodFacts pod, List<CpuConflict> found) {
        return found.stream().filter(each -> each.pods().contains(pod.key())).toList();
    }

    /** Warns once, and again when the conflicts change. */
    private void warn(PodFacts pod, List<CpuConflict> own, Map<String, List<CpuConflict>> now) {
        String instance = pod.key() + " " + pod.uid().orElse("");
        if (!own.isEmpty()) {
            now.put(instance, own);
            if (!own.equals(reported.get(instance))) {
                events.warn(pod, "CpusShared", text(own, PodNames.of(pod.namespace())));
            }
        }
    }

    private static String text(List<CpuConflict> found, PodNames names) {
        return found.stream().map(each -> names.text(each.sentence())).collect(Collectors.joining("; "));
    }
}

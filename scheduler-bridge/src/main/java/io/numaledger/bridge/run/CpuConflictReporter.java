package io.numaledger.bridge.run;

import io.numaledger.bridge.explain.CpuConflict;
import io.numaledger.bridge.holder.PodNames;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.run.NodeProblems.Problem;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.watch.PodEvents;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Reports CPUs that a kubelet gave to two pods, or although they are reserved: in the log, and as an event on each pod. For one thread. */
final class CpuConflictReporter {

    private static final Logger log = LoggerFactory.getLogger(CpuConflictReporter.class);

    private final PodEvents events;
    private final NodeProblems conflicts = new NodeProblems(
            Optional.empty(),
            "",
            (node, problem, nodes) ->
                    log.warn("event=node.cpus_shared node={} message=\"{}\" nodes={}", node, problem.message(), nodes),
            "event=node.cpus_separate node={} nodes={}");

    /** The events that were written, by pod key and uid. */
    private Map<String, List<CpuConflict>> reported = new HashMap<>();

    CpuConflictReporter(PodEvents events) {
        this.events = events;
    }

    /** Looks at all pods: call it every ten seconds or so. */
    void report(ClusterState cluster) {
        SortedMap<String, Problem> problems = new TreeMap<>();
        Map<String, List<CpuConflict>> now = new HashMap<>();
        cluster.models().forEach((node, model) -> {
            List<PodFacts> pods = cluster.podsOn(node);
            List<CpuConflict> found = CpuConflict.of(model, pods);
            if (!found.isEmpty()) {
                problems.put(node, new Problem("", text(found, PodNames.ALL)));
                pods.forEach(pod -> warn(pod, of(pod, found), now));
            }
        });
        conflicts.report(problems);
        reported = now;
    }

    private static List<CpuConflict> of(PodFacts pod, List<CpuConflict> found) {
        return found.stream().filter(each -> each.pods().contains(pod.key())).toList();
    }

    /** Once, and again when it changes. */
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

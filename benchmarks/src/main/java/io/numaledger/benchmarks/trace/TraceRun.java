package io.numaledger.benchmarks.trace;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One list of pods on the nodes, with one way to choose a node, in simulated seconds. A pod that fits nowhere waits, and is tried on each
 * node where a pod ends, the oldest pod first. Pods are bound, run and end without delay, and no node is reserved for older pods.
 */
final class TraceRun {

    private final List<TraceNode> nodes;
    private final NodeChoice choice;
    private final TreeMap<Long, List<Runnable>> events = new TreeMap<>();
    /** Pods that fit nowhere. */
    private final TreeSet<TracePod> waiting = new TreeSet<>(TracePod.BY_AGE);

    private final TraceOutcomes outcomes = new TraceOutcomes();
    private int first;
    private long now;
    private Optional<TraceReport.Gpus> gpus = Optional.empty();

    /** @param pods at least one */
    TraceRun(List<TraceNode> nodes, NodeChoice choice, Collection<TracePod> pods) {
        this.nodes = nodes;
        this.choice = choice;
        pods.forEach(pod -> at(pod.arrivesAt(), () -> arrive(pod)));
        at(events.lastKey(), () -> gpus = Optional.of(outcomes.gpus(nodes)));
    }

    private void at(long time, Runnable event) {
        events.computeIfAbsent(time, any -> new ArrayList<>()).add(event);
    }

    TraceReport run() {
        while (!events.isEmpty()) {
            Map.Entry<Long, List<Runnable>> next = events.firstEntry();
            now = next.getKey();
            for (int i = 0; i < next.getValue().size(); i++) { // events may add some for the same time
                next.getValue().get(i).run();
            }
            events.remove(now);
        }
        return outcomes.report(gpus.orElseThrow());
    }

    private void arrive(TracePod pod) {
        outcomes.arrived(pod);
        tryToPlace(pod);
    }

    /** Begins where the last search ended, as kube-scheduler does. */
    private void tryToPlace(TracePod pod) {
        Optional<TraceNode> best = Optional.empty();
        long bestRank = 0;
        int left = choice.mostFitting(nodes.size());
        for (int i = 0; i < nodes.size() && left > 0; i++) {
            TraceNode node = nodes.get(first);
            first = (first + 1) % nodes.size();
            if (choice.fits(node, pod)) {
                left--;
                long rank = choice.rank(node, pod);
                if (best.isEmpty() || rank > bestRank) {
                    best = Optional.of(node);
                    bestRank = rank;
                }
            }
        }
        best.ifPresentOrElse(node -> bind(node, pod), () -> waiting.add(pod));
    }

    private void bind(TraceNode node, TracePod pod) {
        if (!node.start(pod).isAdmitted()) {
            outcomes.refused(pod).ifPresent(seconds -> at(now + seconds, () -> tryToPlace(pod)));
            return;
        }
        outcomes.ran(pod, now - pod.arrivesAt());
        pod.runs().ifPresent(runs -> at(now + runs, () -> end(node, pod)));
    }

    private void end(TraceNode node, TracePod ended) {
        node.end(ended);
        for (Iterator<TracePod> each = waiting.iterator(); each.hasNext(); ) {
            TracePod pod = each.next();
            if (choice.fits(node, pod)) {
                each.remove();
                bind(node, pod);
            }
        }
    }
}

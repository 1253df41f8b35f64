package io.numaledger.benchmarks.trace;

import io.numaledger.benchmarks.node.ModelNode;
import io.numaledger.benchmarks.node.SimulatedTime;

import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * One list of pods on the nodes, with one way to choose a node, in simulated seconds. A pod that fits nowhere waits, and is tried on each
 * node where a pod ends, the oldest pod first. Pods are bound, run and end without delay, and no node is reserved for older pods.
 */
final class TraceRun {

    private final List<ModelNode> nodes;
    private final NodeChoice choice;
    private final SimulatedTime time = new SimulatedTime();
    /** Pods that fit nowhere. */
    private final TreeSet<TracePod> waiting = new TreeSet<>(TracePod.BY_AGE);

    private final TraceOutcomes outcomes = new TraceOutcomes();
    private int first;
    private Optional<TraceReport.Gpus> gpus = Optional.empty();

    /** @param pods at least one */
    TraceRun(List<ModelNode> nodes, NodeChoice choice, Collection<TracePod> pods) {
        this.nodes = nodes;
        this.choice = choice;
        pods.forEach(pod -> time.at(pod.arrivesAt(), () -> arrive(pod)));
        time.at(time.last(), () -> gpus = Optional.of(outcomes.gpus(nodes)));
    }

    TraceReport run() {
        time.run();
        return outcomes.report(gpus.orElseThrow());
    }

    private void arrive(TracePod pod) {
        outcomes.arrived(pod);
        tryToPlace(pod);
    }

    /** Begins where the last search ended, as kube-scheduler does. */
    private void tryToPlace(TracePod pod) {
        Optional<ModelNode> best = Optional.empty();
        long bestRank = 0;
        int left = choice.mostFitting().applyAsInt(nodes.size());
        for (int i = 0; i < nodes.size() && left > 0; i++) {
            ModelNode node = nodes.get(first);
            first = (first + 1) % nodes.size();
            if (choice.fits().test(node, pod)) {
                left--;
                long rank = choice.rank().applyAsLong(node, pod);
                if (best.isEmpty() || rank > bestRank) {
                    best = Optional.of(node);
                    bestRank = rank;
                }
            }
        }
        best.ifPresentOrElse(node -> bind(node, pod), () -> waiting.add(pod));
    }

    private void bind(ModelNode node, TracePod pod) {
        if (!node.start(pod.model()).isAdmitted()) {
            outcomes.refused(pod).ifPresent(seconds -> time.at(time.now() + seconds, () -> tryToPlace(pod)));
            return;
        }
        outcomes.ran(pod, time.now() - pod.arrivesAt());
        pod.runs().ifPresent(runs -> time.at(time.now() + runs, () -> end(node, pod)));
    }

    private void end(ModelNode node, TracePod ended) {
        node.end(ended.model().name());
        for (Iterator<TracePod> each = waiting.iterator(); each.hasNext(); ) {
            TracePod pod = each.next();
            if (choice.fits().test(node, pod)) {
                each.remove();
                bind(node, pod);
            }
        }
    }
}

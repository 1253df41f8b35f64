package io.numaledger.benchmarks.trace;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One list of pods on the nodes, with one way to choose a node, in simulated seconds. A pod that fits nowhere waits, and is tried on each
 * node where a pod ends, the oldest pod first. A pod that its kubelet refuses is created again as by the Job controller: after 10
 * seconds, then after twice the time, 6 minutes at most; after six times it is given up. Pods are bound, run and end without delay, and no
 * node is reserved for older pods.
 */
final class TraceRun {

    private static final long FIRST_BACKOFF = 10;
    private static final long LONGEST_BACKOFF = 360;
    private static final int MOST_REFUSALS = 7;

    private static final Comparator<TracePod> BY_AGE = Comparator.comparingLong(TracePod::arrivesAt)
            .thenComparing(each -> each.pod().name());

    private final List<TraceNode> nodes;
    private final NodeChoice choice;
    private final TreeMap<Long, List<Runnable>> events = new TreeMap<>();
    /** Pods that fit nowhere. */
    private final TreeSet<TracePod> waiting = new TreeSet<>(BY_AGE);
    /** Pods that have arrived and do not run, also those that were refused or given up. */
    private final TreeSet<TracePod> pending = new TreeSet<>(BY_AGE);
    /** Name of a pod → how often a kubelet refused it. */
    private final Map<String, Integer> refusals = new HashMap<>();

    private final List<Long> waits = new ArrayList<>();
    private int first;
    private int givenUp;
    private long now;
    private Optional<TraceReport.Gpus> gpus = Optional.empty();

    /** @param pods at least one */
    TraceRun(List<TraceNode> nodes, NodeChoice choice, Collection<TracePod> pods) {
        this.nodes = nodes;
        this.choice = choice;
        pods.forEach(pod -> at(pod.arrivesAt(), () -> arrive(pod)));
        at(events.lastKey(), () -> gpus = Optional.of(countGpus()));
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
        return new TraceReport(
                waits.stream().sorted().toList(),
                refusals.size(),
                refusals.values().stream().mapToInt(Integer::intValue).sum(),
                givenUp,
                gpus.orElseThrow());
    }

    private void arrive(TracePod pod) {
        pending.add(pod);
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
        if (!node.start(pod)) {
            refused(pod);
            return;
        }
        pending.remove(pod);
        waits.add(now - pod.arrivesAt());
        pod.runs().ifPresent(runs -> at(now + runs, () -> end(node, pod)));
    }

    private void refused(TracePod pod) {
        int times = refusals.merge(pod.pod().name(), 1, Integer::sum);
        if (times < MOST_REFUSALS) {
            at(now + Math.min(LONGEST_BACKOFF, FIRST_BACKOFF << (times - 1)), () -> tryToPlace(pod));
        } else {
            givenUp++;
        }
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

    private TraceReport.Gpus countGpus() {
        List<TracePod> pods =
                pending.stream().filter(pod -> pod.pod().gpus() > 0).toList();
        long free = 0;
        long stranded = 0;
        for (TraceNode node : nodes) {
            free += node.free(TraceNodeType.GPU);
            stranded += !pods.isEmpty() && pods.stream().noneMatch(node::admits) ? node.free(TraceNodeType.GPU) : 0;
        }
        return new TraceReport.Gpus(
                nodes.stream()
                        .mapToLong(node -> node.allocatable(TraceNodeType.GPU))
                        .sum(),
                free,
                stranded,
                pods.stream().mapToLong(pod -> pod.pod().gpus()).sum());
    }
}

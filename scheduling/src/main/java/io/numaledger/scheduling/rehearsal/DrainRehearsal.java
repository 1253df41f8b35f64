package io.numaledger.scheduling.rehearsal;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.rehearsal.TentativeCluster.Placed;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Whether the pods of nodes that are drained find room on the others, by zones and by what is modelled of kube-scheduler's filters. */
public final class DrainRehearsal {

    /** The most nodes for which an order, and the largest number at once, is looked for. */
    private static final int MOST_TO_ORDER = 64;

    private final RehearsedCluster cluster;
    private final boolean comesBack;

    /**
     * Nodes that are drained together.
     *
     * @param pods all of their pods
     */
    public record Step(List<String> nodes, List<RehearsedPod> pods) {

        public Step {
            nodes = List.copyOf(nodes);
            pods = List.copyOf(pods);
        }
    }

    /**
     * The drains of all nodes.
     *
     * @param steps in their order
     * @param largestAtOnce how many nodes can be drained at once with no pod waiting; empty: it was not looked for
     */
    public record Result(List<Step> steps, Optional<Integer> largestAtOnce) {

        public Result {
            steps = List.copyOf(steps);
        }

        /** All pods of all steps. */
        public List<RehearsedPod> pods() {
            return steps.stream().flatMap(step -> step.pods().stream()).toList();
        }
    }

    /** @param comesBack whether a node takes pods again before the next ones are drained */
    public DrainRehearsal(RehearsedCluster cluster, boolean comesBack) {
        this.cluster = cluster;
        this.comesBack = comesBack;
    }

    /**
     * Drains nodes, in an order in which the fewest pods wait.
     *
     * @param atOnce how many are drained together
     */
    public Result of(List<String> nodes, int atOnce) {
        List<String> order = atOnce == 1 && comesBack && nodes.size() <= MOST_TO_ORDER ? ordered(nodes) : nodes;
        return new Result(
                steps(order, atOnce),
                comesBack && nodes.size() <= MOST_TO_ORDER ? Optional.of(largest(order)) : Optional.empty());
    }

    private int largest(List<String> order) {
        int works = 0;
        int fails = order.size() + 1;
        while (fails - works > 1) {
            int tried = (works + fails) / 2;
            boolean allRun = waiting(order, tried) == 0;
            works = allRun ? tried : works;
            fails = allRun ? fails : tried;
        }
        return works;
    }

    /** The given order, and after the others those nodes whose pods would wait. */
    private List<String> ordered(List<String> nodes) {
        List<String> order = new ArrayList<>();
        List<String> left = new ArrayList<>(nodes);
        boolean found = waiting(nodes, 1) > 0;
        while (found && !left.isEmpty()) {
            found = false;
            for (String node : List.copyOf(left)) {
                List<String> tried = new ArrayList<>(order);
                tried.add(node);
                if (waiting(tried, 1) == waiting(order, 1)) {
                    order.add(node);
                    left.remove(node);
                    found = true;
                }
            }
        }
        order.addAll(left);
        return order;
    }

    private long waiting(List<String> order, int atOnce) {
        return steps(order, atOnce).stream()
                .flatMap(step -> step.pods().stream())
                .filter(pod -> pod.fate() == Fate.WAITS || pod.fate() == Fate.PENDING)
                .count();
    }

    private List<Step> steps(List<String> order, int atOnce) {
        Set<String> evicted = new HashSet<>();
        TentativeCluster tentative = cluster.tentative(evicted);
        List<Step> steps = new ArrayList<>();
        for (int from = 0; from < order.size(); from += atOnce) {
            steps.add(step(tentative, evicted, order.subList(from, Math.min(order.size(), from + atOnce))));
        }
        return steps;
    }

    private Step step(TentativeCluster tentative, Set<String> evicted, List<String> nodes) {
        nodes.forEach(tentative::close);
        List<RehearsedPod> pods = new ArrayList<>();
        List<RehearsedPod> leaving = new ArrayList<>();
        for (String node : nodes) {
            List<RehearsedPod> ofNode = evict(tentative, evicted, node);
            ofNode.forEach(pod -> (pod.fate() == Fate.PENDING ? leaving : pods).add(pod));
        }
        List<RehearsedPod> waiting = place(tentative, leaving, pods);
        if (comesBack) {
            nodes.forEach(tentative::reopen);
            for (RehearsedPod pod : waiting) {
                pods.add(tentative
                        .place(pod.pod().madeAnew())
                        .node()
                        .map(pod::takenLater)
                        .orElse(pod));
            }
        } else {
            pods.addAll(waiting);
        }
        return new Step(nodes, pods);
    }

    /** Ends what a drain evicts. The pods for which others are made are pending. */
    private List<RehearsedPod> evict(TentativeCluster tentative, Set<String> evicted, String node) {
        List<RehearsedPod> fates = new ArrayList<>();
        List<PodFacts> gone = new ArrayList<>();
        for (PodFacts pod : tentative.pods(node)) {
            RehearsedPod fate = cluster.drained(pod, node);
            fates.add(fate);
            if (fate.fate() == Fate.PENDING || fate.fate() == Fate.LOST) {
                gone.add(pod);
                pod.uid().ifPresent(evicted::add);
            }
        }
        tentative.end(node, gone);
        return fates;
    }

    /** Places pods where others take them; returns those that nobody takes. */
    private static List<RehearsedPod> place(
            TentativeCluster tentative, List<RehearsedPod> leaving, List<RehearsedPod> placed) {
        List<RehearsedPod> waiting = new ArrayList<>();
        leaving.stream()
                .sorted((one, other) -> RehearsedCluster.QUEUE.compare(one.pod(), other.pod()))
                .forEach(pod -> {
                    Placed found = tentative.place(pod.pod().madeAnew());
                    RehearsedPod now = pod.placed(found);
                    (now.fate() == Fate.PENDING ? waiting : placed).add(now);
                });
        return waiting;
    }
}

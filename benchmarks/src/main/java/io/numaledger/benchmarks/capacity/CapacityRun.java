package io.numaledger.benchmarks.capacity;

import io.numaledger.benchmarks.churn.ChurnMix;
import io.numaledger.benchmarks.churn.ChurnMix.Arrival;
import io.numaledger.benchmarks.churn.ModelNode;
import io.numaledger.pod.PodRequest;
import io.numaledger.simulator.hardware.NodeSpecYaml;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * One mix under one set of rules, in simulated milliseconds. When pods have ended, all waiting pods are tried one after the other;
 * when a pod is created, only that pod is.
 */
final class CapacityRun {

    /** From the end of a pod until its zones are known to be free, and from a binding until the pod runs. */
    private static final long DELAY = 300;

    private final List<ModelNode> nodes;
    private final PodRule pods;
    private final NodeRule rule;
    private final long holdAfter;
    private final long backoff;
    private final TreeMap<Long, List<Runnable>> events = new TreeMap<>();
    private final List<WaitingPod> waiting = new ArrayList<>();
    private final List<Long> waits = new ArrayList<>();
    private long now;

    /**
     * The rules of a run.
     *
     * @param holdAfter how long a pod waits before younger ones must leave it its node; zero: never
     * @param backoff how long a pod is not tried again after it was refused
     */
    record Rules(PodRule pods, NodeRule nodes, Duration holdAfter, Duration backoff) {}

    CapacityRun(ChurnMix mix, Rules rules) {
        this.nodes =
                NodeSpecYaml.parse(mix.nodes()).stream().map(ModelNode::new).toList();
        this.pods = rules.pods();
        this.rule = rules.nodes();
        this.holdAfter = rules.holdAfter().toMillis();
        this.backoff = rules.backoff().toMillis();
        mix.arrivals().forEach(arrival -> at(arrival.at().toMillis(), () -> create(arrival)));
    }

    private void at(long time, Runnable event) {
        events.computeIfAbsent(time, any -> new ArrayList<>()).add(event);
    }

    /** The waits of the pods that ran, in milliseconds from creation to binding, sorted. */
    List<Long> run() {
        while (!events.isEmpty()) {
            Map.Entry<Long, List<Runnable>> next = events.pollFirstEntry();
            now = next.getKey();
            next.getValue().forEach(Runnable::run);
        }
        return waits.stream().sorted().toList();
    }

    private void create(Arrival arrival) {
        OptionalLong runs =
                arrival.runs().stream().mapToLong(Duration::toMillis).findFirst();
        tryToPlace(new WaitingPod(ModelNode.request(arrival.pod()), now, runs, now));
    }

    private void retry() {
        List<WaitingPod> before = waiting.stream().sorted(pods.order()).toList();
        before.forEach(this::retry);
    }

    private void retry(WaitingPod pod) {
        if (pod.triedAt() + backoff > now) {
            at(pod.triedAt() + backoff, () -> retry(pod));
        } else if (waiting.remove(pod)) {
            tryToPlace(pod);
        }
    }

    private void tryToPlace(WaitingPod pod) {
        Optional<ModelNode> node = nodes.stream()
                .filter(each -> each.admits(pod.request()) && !isHeld(each, pod))
                .max(Comparator.comparingLong((ModelNode each) -> rule.rank(each, each.change(pod.request())))
                        .thenComparing(Comparator.comparingLong(ModelNode::requestedCpu)
                                .reversed()));
        if (node.isEmpty()) {
            waiting.add(pod.refusedAt(now));
            return;
        }
        node.get().start(pod.request(), Set.of());
        waits.add(now - pod.createdAt());
        pod.runs().ifPresent(runs -> at(now + DELAY + runs + DELAY, () -> end(node.get(), pod.request())));
    }

    /** Whether an older pod that has waited for long could run on the node, but not beside this one. */
    private boolean isHeld(ModelNode node, WaitingPod pod) {
        return holdAfter > 0
                && waiting.stream()
                        .filter(other -> other.createdAt() < pod.createdAt() && now - other.createdAt() >= holdAfter)
                        .anyMatch(
                                other -> node.admits(other.request()) && !node.admits(pod.request(), other.request()));
    }

    private void end(ModelNode node, PodRequest pod) {
        node.end(pod.name());
        retry();
    }
}

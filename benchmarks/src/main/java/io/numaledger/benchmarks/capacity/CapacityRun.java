package io.numaledger.benchmarks.capacity;

import io.numaledger.benchmarks.churn.ChurnMix;
import io.numaledger.benchmarks.churn.ChurnMix.Arrival;
import io.numaledger.benchmarks.node.ModelNode;
import io.numaledger.benchmarks.node.ModelPod;
import io.numaledger.benchmarks.node.NodeType;
import io.numaledger.benchmarks.node.SimulatedTime;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.simulator.hardware.NodeSpecYaml;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One mix under one set of rules, in simulated milliseconds. When pods have ended, all waiting pods are tried one after the other;
 * when a pod is created, only that pod is.
 */
final class CapacityRun {

    /** From the end of a pod until its zones are known to be free, and from a binding until the pod runs. */
    private static final long DELAY = 300;

    private final ResourceIndex index = new ResourceIndex();
    private final List<ModelNode> nodes;
    private final PodRule pods;
    private final NodeRule rule;
    private final long holdAfter;
    private final long backoff;
    private final SimulatedTime time = new SimulatedTime();
    private final List<WaitingPod> waiting = new ArrayList<>();
    private final List<Long> waits = new ArrayList<>();

    /**
     * The rules of a run.
     *
     * @param holdAfter how long a pod waits before younger ones must leave it its node; zero: never
     * @param backoff how long a pod is not tried again after it was refused
     */
    record Rules(PodRule pods, NodeRule nodes, Duration holdAfter, Duration backoff) {}

    CapacityRun(ChurnMix mix, Rules rules) {
        this.nodes = NodeSpecYaml.parse(mix.nodes()).stream()
                .map(spec -> new ModelNode(NodeType.of(spec, index)))
                .toList();
        this.pods = rules.pods();
        this.rule = rules.nodes();
        this.holdAfter = rules.holdAfter().toMillis();
        this.backoff = rules.backoff().toMillis();
        mix.arrivals().forEach(arrival -> time.at(arrival.at().toMillis(), () -> create(arrival)));
    }

    /** The waits of the pods that ran, in milliseconds from creation to binding, sorted. */
    List<Long> run() {
        time.run();
        return waits.stream().sorted().toList();
    }

    private void create(Arrival arrival) {
        OptionalLong runs =
                arrival.runs().stream().mapToLong(Duration::toMillis).findFirst();
        tryToPlace(new WaitingPod(ModelPod.of(arrival.pod(), index), time.now(), runs, time.now()));
    }

    private void retry() {
        List<WaitingPod> before = waiting.stream().sorted(pods.order()).toList();
        before.forEach(this::retry);
    }

    private void retry(WaitingPod pod) {
        if (pod.triedAt() + backoff > time.now()) {
            time.at(pod.triedAt() + backoff, () -> retry(pod));
        } else if (waiting.remove(pod)) {
            tryToPlace(pod);
        }
    }

    private void tryToPlace(WaitingPod pod) {
        Optional<ModelNode> node = nodes.stream()
                .filter(each -> each.admits(pod.pod()) && !isHeld(each, pod))
                .max(Comparator.comparingLong((ModelNode each) -> rule.rank(each, each.change(pod.pod())))
                        .thenComparing(Comparator.comparingLong(ModelNode::requestedCpu)
                                .reversed()));
        if (node.isEmpty()) {
            waiting.add(pod.refusedAt(time.now()));
            return;
        }
        node.get().start(pod.pod());
        waits.add(time.now() - pod.createdAt());
        pod.runs()
                .ifPresent(runs -> time.at(
                        time.now() + DELAY + runs + DELAY,
                        () -> end(node.get(), pod.pod().name())));
    }

    /** Whether an older pod that has waited for long could run on the node, but not beside this one. */
    private boolean isHeld(ModelNode node, WaitingPod pod) {
        return holdAfter > 0
                && waiting.stream()
                        .filter(other ->
                                other.createdAt() < pod.createdAt() && time.now() - other.createdAt() >= holdAfter)
                        .anyMatch(other -> node.admits(other.pod()) && !node.admits(pod.pod(), other.pod()));
    }

    private void end(ModelNode node, String pod) {
        node.end(pod);
        retry();
    }
}

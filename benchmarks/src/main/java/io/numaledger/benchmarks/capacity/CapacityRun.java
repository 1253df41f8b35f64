package io.numaledger.benchmarks.capacity;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
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
    private final int sample;
    private final SimulatedTime time = new SimulatedTime();
    private final List<WaitingPod> waiting = new ArrayList<>();
    private final List<Long> waits = new ArrayList<>();

    /** Where the next sample begins. */
    private int next;

    /**
     * The rules of a run.
     *
     * @param holdAfter how long a pod waits before younger ones must leave it its node; zero: never
     * @param backoff how long a pod is not tried again after it was refused
     * @param sample the best node is chosen among so many nodes with enough free CPUs; among all of them if none of these admits the
     *     pod; 0: always among all
     */
    record Rules(PodRule pods, NodeRule nodes, Duration holdAfter, Duration backoff, int sample) {

        /** No node is left to older pods. */
        Rules withSample(int nodesInSample) {
            return new Rules(pods, nodes, Duration.ZERO, backoff, nodesInSample);
        }
    }

    /** @param mixes their nodes and pods together */
    CapacityRun(List<ChurnMix> mixes, Rules rules) {
        this.nodes = mixes.stream()
                .flatMap(mix -> NodeSpecYaml.parse(mix.nodes()).stream())
                .map(spec -> new ModelNode(NodeType.of(spec, index)))
                .toList();
        this.pods = rules.pods();
        this.rule = rules.nodes();
        this.holdAfter = rules.holdAfter().toMillis();
        this.backoff = rules.backoff().toMillis();
        this.sample = rules.sample();
        for (int i = 0; i < mixes.size(); i++) {
            String suffix = "-" + i;
            mixes.get(i).arrivals().forEach(arrival -> time.at(arrival.at().toMillis(), () -> create(arrival, suffix)));
        }
    }

    /** The waits of the pods that ran, in milliseconds from creation to binding, sorted. */
    List<Long> run() {
        time.run();
        return waits.stream().sorted().toList();
    }

    private void create(Arrival arrival, String suffix) {
        OptionalLong runs =
                arrival.runs().stream().mapToLong(Duration::toMillis).findFirst();
        Pod pod = new PodBuilder(arrival.pod())
                .editMetadata()
                .withName(arrival.pod().getMetadata().getName() + suffix)
                .endMetadata()
                .build();
        tryToPlace(new WaitingPod(ModelPod.of(pod, index), time.now(), runs, time.now()), nodes);
    }

    private void retry(List<ModelNode> changed) {
        List<WaitingPod> before = waiting.stream().sorted(pods.order()).toList();
        before.forEach(pod -> retry(pod, changed));
    }

    private void retry(WaitingPod pod, List<ModelNode> changed) {
        if (pod.triedAt() + backoff > time.now()) {
            time.at(pod.triedAt() + backoff, () -> retry(pod, nodes));
        } else if (waiting.remove(pod)) {
            tryToPlace(pod, changed);
        }
    }

    private void tryToPlace(WaitingPod pod, List<ModelNode> among) {
        Optional<ModelNode> node =
                best(pod, sample == 0 ? among : sample(pod, among)).or(() -> best(pod, among));
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

    private Optional<ModelNode> best(WaitingPod pod, List<ModelNode> among) {
        return among.stream()
                .filter(each -> each.admits(pod.pod()) && !isReserved(each, pod))
                .max(Comparator.comparingLong((ModelNode each) -> rule.rank(each, each.change(pod.pod())))
                        .thenComparing(Comparator.comparingLong(ModelNode::requestedCpu)
                                .reversed()));
    }

    /** As kube-scheduler looks for nodes that fit by its own plugins, beginning where it stopped (findNodesThatPassFilters). */
    private List<ModelNode> sample(WaitingPod pod, List<ModelNode> among) {
        List<ModelNode> found = new ArrayList<>();
        int looked = 0;
        while (looked < among.size() && found.size() < sample) {
            ModelNode node = among.get((next + looked++) % among.size());
            if (node.requestedCpu() + pod.cpu() <= node.type().cpuMillis()) {
                found.add(node);
            }
        }
        next = (next + looked) % nodes.size();
        return found;
    }

    /** Whether an older pod that has waited for long could run on the node, but not beside this one. */
    private boolean isReserved(ModelNode node, WaitingPod pod) {
        return holdAfter > 0
                && waiting.stream()
                        .filter(other ->
                                other.createdAt() < pod.createdAt() && time.now() - other.createdAt() >= holdAfter)
                        .anyMatch(other -> node.admits(other.pod()) && !node.admits(pod.pod(), other.pod()));
    }

    private void end(ModelNode node, String pod) {
        node.end(pod);
        retry(holdAfter > 0 ? nodes : List.of(node)); // without reservations, none of the other nodes takes one now
    }

    /**
     * A pod without a node. All times are in milliseconds of simulated time.
     *
     * @param runs how long it runs; empty: until the end
     * @param triedAt when it was last refused by all nodes; its creation, if it was never
     */
    private record WaitingPod(ModelPod pod, long createdAt, OptionalLong runs, long triedAt) {

        long cpu() {
            return pod.cpu();
        }

        WaitingPod refusedAt(long now) {
            return new WaitingPod(pod, createdAt, runs, now);
        }
    }

    /** Which waiting pod is tried first when something has become free. */
    enum PodRule {
        /** Also the order of kube-scheduler, if all are tried each time: it begins with the one that was tried longest ago. */
        OLDEST,
        LARGEST,
        SMALLEST;

        Comparator<WaitingPod> order() {
            Comparator<WaitingPod> byAge = Comparator.comparingLong(WaitingPod::createdAt);
            return switch (this) {
                case OLDEST -> byAge;
                case LARGEST ->
                    Comparator.comparingLong(WaitingPod::cpu).reversed().thenComparing(byAge);
                case SMALLEST -> Comparator.comparingLong(WaitingPod::cpu).thenComparing(byAge);
            };
        }
    }
}

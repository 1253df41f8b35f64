package io.numaledger.benchmarks.node;

import io.numaledger.evaluation.score.FreeAmounts;
import io.numaledger.evaluation.score.PlacementChange;
import io.numaledger.fastpath.NodeCounts;
import io.numaledger.fastpath.Verdict;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import static java.util.Objects.requireNonNull;

/** A node whose kubelet is a model: it admits pods at once, and frees at once what an ended pod held. */
public final class ModelNode {

    private final NodeType type;
    private final KubeletModel kubelet;
    private final Map<String, ModelPod> pods = new TreeMap<>();
    private long requestedCpu;
    private NodeState state;
    private long[] free;
    private FreeAmounts amounts;
    private Optional<NodeCounts> counts;

    /** A node without pods. */
    public ModelNode(NodeType type) {
        this.type = type;
        this.kubelet = type.kubelet();
        change(kubelet.empty());
    }

    private void change(NodeState next) {
        state = next;
        free = type.table().free(next);
        amounts = new FreeAmounts(type.table(), free);
        counts = type.fastPath().flatMap(model -> model.counts(next, free));
        requestedCpu = pods.values().stream().mapToLong(ModelPod::cpu).sum();
    }

    public NodeType type() {
        return type;
    }

    /** Of the pods that run here, in milli-CPU. */
    public long requestedCpu() {
        return requestedCpu;
    }

    /** The names of the pods that run here. */
    public Set<String> pods() {
        return pods.keySet();
    }

    /** What is free of a resource in all zones together; 0 if the node has none of it. */
    public long free(String resource) {
        return type.total(resource, at -> free[at]);
    }

    /** Whether the kubelet would admit the pod. */
    public boolean admits(ModelPod pod) {
        if (requestedCpu + pod.cpu() > type.cpuMillis()) {
            return false;
        }
        Verdict verdict = evaluate(pod);
        return verdict == Verdict.UNDECIDED ? after(state, pod).isPresent() : !verdict.isRefused();
    }

    /** Whether the kubelet would admit both, one after the other. */
    public boolean admits(ModelPod first, ModelPod second) {
        return requestedCpu + first.cpu() + second.cpu() <= type.cpuMillis()
                && after(state, first).flatMap(next -> after(next, second)).isPresent();
    }

    /** By the fast path. */
    private Verdict evaluate(ModelPod pod) {
        return counts.map(each -> type.fastPath().orElseThrow().evaluate(type.evaluator(), each, pod.compiled()))
                .orElse(Verdict.UNDECIDED);
    }

    private Optional<NodeState> after(NodeState before, ModelPod pod) {
        Decision decision = kubelet.admit(before, pod.request());
        return decision.admission().isAdmitted()
                ? Optional.of(kubelet.started(decision.state(), pod.request()))
                : Optional.empty();
    }

    /** How a pod that the kubelet would admit changes the zones, as the bridge estimates it. */
    public PlacementChange change(ModelPod pod) {
        long[] taken = new long[free.length];
        if (evaluate(pod) == Verdict.ADMITTED) {
            type.evaluator().place(counts.orElseThrow(), pod.compiled(), taken);
        } else {
            long[] after = type.table().free(after(state, pod).orElseThrow());
            Arrays.setAll(taken, at -> Math.max(0, free[at] - after[at]));
        }
        return new PlacementChange(amounts, taken);
    }

    /** Starts the pod, if the kubelet admits it. */
    public Admission start(ModelPod pod) {
        Decision decision = kubelet.admit(state, pod.request());
        if (decision.admission().isAdmitted()) {
            pods.put(pod.name(), pod);
            change(kubelet.started(decision.state(), pod.request()));
        }
        return decision.admission();
    }

    /** Starts a pod in place of others. Does nothing and returns false if the kubelet would still refuse it. */
    public boolean start(ModelPod pod, Set<String> victims) {
        NodeState before = state;
        long cpu = requestedCpu + pod.cpu();
        for (String victim : victims) {
            before = kubelet.ended(before, victim);
            cpu -= requireNonNull(pods.get(victim)).cpu();
        }
        Optional<NodeState> after =
                cpu > type.cpuMillis() ? Optional.empty() : after(kubelet.removeStaleState(before), pod);
        after.ifPresent(now -> {
            pods.keySet().removeAll(victims);
            pods.put(pod.name(), pod);
            change(now);
        });
        return after.isPresent();
    }

    /** Ends a pod, if it runs here. */
    public void end(String name) {
        if (pods.remove(name) != null) {
            change(kubelet.removeStaleState(kubelet.ended(state, name)));
        }
    }
}

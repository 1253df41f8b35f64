package io.numaledger.benchmarks.churn;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.numaledger.bridge.score.FreeAmounts;
import io.numaledger.bridge.score.PlacementChange;
import io.numaledger.fastpath.ZoneTable;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.node.PodRequests;
import io.numaledger.simulator.node.SpecModel;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** A node whose kubelet is a model: it admits pods at once, and frees at once what an ended pod held. */
public final class ModelNode {

    private final KubeletModel kubelet;
    private final ZoneTable table;
    private final long cpuMillis;
    private final Map<String, PodRequest> pods = new TreeMap<>();
    private NodeState state;

    public ModelNode(NodeSpec spec) {
        this.kubelet = SpecModel.start(spec);
        this.table = ZoneTable.of(kubelet);
        this.state = kubelet.empty();
        this.cpuMillis = 1000L
                * (spec.machine().onlineCpus().size()
                        - spec.kubelet().reservedSystemCpus().size());
    }

    /** The request of a pod that was never created: its name is its UID. */
    public static PodRequest request(Pod pod) {
        return PodRequests.of(new PodBuilder(pod)
                .editMetadata()
                .withUid(pod.getMetadata().getName())
                .endMetadata()
                .build());
    }

    /** The CPUs that the pod's containers ask for together, in milli-CPU. */
    public static long cpu(PodRequest pod) {
        return pod.containers().stream()
                .map(ContainerRequest::resources)
                .mapToLong(resources -> resources
                        .requests()
                        .getOrDefault("cpu", RequestedAmount.ZERO)
                        .millis())
                .sum();
    }

    /** In milli-CPU, without what is reserved for the system. */
    public long allocatableCpu() {
        return cpuMillis;
    }

    /** Of the pods that run here, in milli-CPU. */
    public long requestedCpu() {
        return pods.values().stream().mapToLong(ModelNode::cpu).sum();
    }

    public ZoneTable table() {
        return table;
    }

    /** The names of the pods that run here. */
    public Set<String> pods() {
        return pods.keySet();
    }

    /** Whether the kubelet would admit the pods one after the other. */
    public boolean admits(PodRequest... requests) {
        Optional<NodeState> after = Optional.of(state);
        long cpu = requestedCpu();
        for (PodRequest request : requests) {
            cpu += cpu(request);
            after = after.flatMap(before -> after(before, request));
        }
        return after.isPresent() && cpu <= cpuMillis;
    }

    private Optional<NodeState> after(NodeState before, PodRequest pod) {
        Decision decision = kubelet.admit(before, pod);
        return decision.admission().isAdmitted()
                ? Optional.of(kubelet.started(decision.state(), pod))
                : Optional.empty();
    }

    /** How a pod that the kubelet would admit changes the zones. */
    public PlacementChange change(PodRequest pod) {
        long[] free = table.free(state);
        long[] taken = table.free(after(state, pod).orElseThrow());
        Arrays.setAll(taken, at -> Math.max(0, free[at] - taken[at]));
        return new PlacementChange(new FreeAmounts(table, free), taken);
    }

    /** Starts a pod in place of others. Does nothing and returns false if the kubelet would still refuse it. */
    public boolean start(PodRequest pod, Set<String> victims) {
        NodeState before = state;
        for (String victim : victims) {
            before = kubelet.ended(before, victim);
        }
        long others = pods.entrySet().stream()
                .filter(each -> !victims.contains(each.getKey()))
                .mapToLong(each -> cpu(each.getValue()))
                .sum();
        Optional<NodeState> after =
                others + cpu(pod) > cpuMillis ? Optional.empty() : after(kubelet.removeStaleState(before), pod);
        after.ifPresent(now -> {
            victims.forEach(pods::remove);
            pods.put(pod.name(), pod);
            state = now;
        });
        return after.isPresent();
    }

    /** Ends a pod, if it runs here. */
    public void end(String name) {
        if (pods.remove(name) != null) {
            state = kubelet.removeStaleState(kubelet.ended(state, name));
        }
    }
}

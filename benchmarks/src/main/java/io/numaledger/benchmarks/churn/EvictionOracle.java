package io.numaledger.benchmarks.churn;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.node.PodRequests;
import io.numaledger.simulator.node.SpecModel;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a scheduler with full knowledge would do with a {@link PriorityChurn}: it knows each kubelet's state at once, places each pod on the
 * first node that admits it, the important ones and then the older ones first, and evicts the fewest pods for an important one that fits
 * nowhere.
 */
final class EvictionOracle {

    /** Larger sets of victims are not tried. */
    private static final int MAX_VICTIMS = 4;

    private final Map<String, Node> nodes = new TreeMap<>();
    private final Map<String, Pod> waiting = new TreeMap<>();
    private final Set<String> ran = new TreeSet<>();
    private final Set<String> high = new HashSet<>();
    private int evicted;

    private static final class Node {
        private final KubeletModel kubelet;
        private final long cpuMillis;
        private NodeState state;
        private final Map<String, PodRequest> pods = new TreeMap<>();

        Node(NodeSpec spec) {
            this.kubelet = SpecModel.start(spec);
            this.state = kubelet.empty();
            this.cpuMillis = 1000L
                    * (spec.machine().onlineCpus().size()
                            - spec.kubelet().reservedSystemCpus().size());
        }

        Optional<NodeState> with(NodeState before, PodRequest pod, Set<String> without) {
            long others = pods.entrySet().stream()
                    .filter(each -> !without.contains(each.getKey()))
                    .mapToLong(each -> cpu(each.getValue()))
                    .sum();
            if (others + cpu(pod) > cpuMillis) {
                return Optional.empty();
            }
            Decision decision = kubelet.admit(before, pod);
            return decision.admission() instanceof Admission.Admitted
                    ? Optional.of(kubelet.started(decision.state(), pod))
                    : Optional.empty();
        }

        private static long cpu(PodRequest pod) {
            return pod.containers().stream()
                    .map(ContainerRequest::resources)
                    .mapToLong(resources -> resources
                            .requests()
                            .getOrDefault("cpu", RequestedAmount.ZERO)
                            .millis())
                    .sum();
        }

        void remove(String name) {
            if (pods.remove(name) != null) {
                state = kubelet.removeStaleState(kubelet.ended(state, name));
            }
        }
    }

    /** The figures: how many important pods ran, how many others, and how many pods were evicted. */
    static String line(PriorityChurn churn) {
        EvictionOracle oracle = new EvictionOracle();
        NodeSpecYaml.parse(churn.nodes()).forEach(spec -> oracle.nodes.put(spec.name(), new Node(spec)));
        churn.bursts().forEach(oracle::burst);
        long highRan = oracle.ran.stream().filter(oracle.high::contains).count();
        return "measured: churn=priorities seed=%d scheduler=oracle high_ran=%d others_ran=%d evicted=%d"
                .formatted(churn.seed(), highRan, oracle.ran.size() - highRan, oracle.evicted);
    }

    private void burst(PriorityChurn.Burst burst) {
        burst.deleted().forEach(name -> {
            waiting.remove(name);
            nodes.values().forEach(node -> node.remove(name));
        });
        burst.created().forEach(pod -> {
            waiting.put(pod.getMetadata().getName(), pod);
            if (PriorityChurn.isHigh(pod)) {
                high.add(pod.getMetadata().getName());
            }
        });
        for (boolean important : List.of(true, false)) {
            for (Pod pod : List.copyOf(waiting.values())) {
                if (PriorityChurn.isHigh(pod) == important) {
                    place(pod, important);
                }
            }
        }
    }

    private void place(Pod pod, boolean important) {
        String name = pod.getMetadata().getName();
        PodRequest request = named(name, pod);
        for (Node node : nodes.values()) {
            if (start(node, name, request, Set.of())) {
                return;
            }
        }
        for (int size = 1; important && size <= MAX_VICTIMS; size++) {
            for (Node node : nodes.values()) {
                List<String> victims = node.pods.keySet().stream()
                        .filter(each -> !high.contains(each))
                        .toList();
                if (evict(node, name, request, size, 0, victims, new ArrayList<>())) {
                    return;
                }
            }
        }
    }

    private static PodRequest named(String name, Pod pod) {
        Pod copy =
                new PodBuilder(pod).editMetadata().withUid(name).endMetadata().build();
        return PodRequests.of(copy);
    }

    private boolean start(Node node, String name, PodRequest request, Set<String> victims) {
        NodeState before = node.state;
        for (String victim : victims) {
            before = node.kubelet.ended(before, victim);
        }
        Optional<NodeState> after = node.with(node.kubelet.removeStaleState(before), request, victims);
        after.ifPresent(state -> {
            victims.forEach(node.pods::remove);
            evicted += victims.size();
            node.state = state;
            node.pods.put(name, request);
            waiting.remove(name);
            ran.add(name);
        });
        return after.isPresent();
    }

    private boolean evict(
            Node node, String name, PodRequest request, int size, int from, List<String> victims, List<String> taken) {
        if (size == 0) {
            return start(node, name, request, new TreeSet<>(taken));
        }
        for (int i = from; i <= victims.size() - size; i++) {
            taken.add(victims.get(i));
            if (evict(node, name, request, size - 1, i + 1, victims, taken)) {
                return true;
            }
            taken.remove(taken.size() - 1);
        }
        return false;
    }
}

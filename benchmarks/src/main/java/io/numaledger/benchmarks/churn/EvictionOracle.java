package io.numaledger.benchmarks.churn;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.benchmarks.node.ModelNode;
import io.numaledger.benchmarks.node.ModelPod;
import io.numaledger.benchmarks.node.NodeType;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.simulator.hardware.NodeSpecYaml;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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

    private final ResourceIndex index = new ResourceIndex();
    private final Map<String, ModelNode> nodes = new TreeMap<>();
    private final Map<String, Pod> waiting = new TreeMap<>();
    private final Set<String> ran = new TreeSet<>();
    private final Set<String> high = new HashSet<>();
    private int evicted;

    /** The figures: how many important pods ran, how many others, and how many pods were evicted. */
    static String line(PriorityChurn churn) {
        EvictionOracle oracle = new EvictionOracle();
        NodeSpecYaml.parse(churn.nodes())
                .forEach(spec -> oracle.nodes.put(spec.name(), new ModelNode(NodeType.of(spec, oracle.index))));
        churn.bursts().forEach(oracle::burst);
        long highRan = oracle.ran.stream().filter(oracle.high::contains).count();
        return "measured: churn=priorities seed=%d scheduler=oracle high_ran=%d others_ran=%d evicted=%d"
                .formatted(churn.seed(), highRan, oracle.ran.size() - highRan, oracle.evicted);
    }

    private void burst(PriorityChurn.Burst burst) {
        burst.deleted().forEach(name -> {
            waiting.remove(name);
            nodes.values().forEach(node -> node.end(name));
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
        ModelPod model = ModelPod.of(pod, index);
        for (ModelNode node : nodes.values()) {
            if (start(node, model, Set.of())) {
                return;
            }
        }
        for (int size = 1; important && size <= MAX_VICTIMS; size++) {
            for (ModelNode node : nodes.values()) {
                List<String> victims = node.pods().stream()
                        .filter(each -> !high.contains(each))
                        .toList();
                if (evict(node, model, size, 0, victims, new ArrayList<>())) {
                    return;
                }
            }
        }
    }

    private boolean start(ModelNode node, ModelPod pod, Set<String> victims) {
        boolean started = node.start(pod, victims);
        if (started) {
            evicted += victims.size();
            waiting.remove(pod.name());
            ran.add(pod.name());
        }
        return started;
    }

    private boolean evict(ModelNode node, ModelPod pod, int size, int from, List<String> victims, List<String> taken) {
        if (size == 0) {
            return start(node, pod, new TreeSet<>(taken));
        }
        for (int i = from; i <= victims.size() - size; i++) {
            taken.add(victims.get(i));
            if (evict(node, pod, size - 1, i + 1, victims, taken)) {
                return true;
            }
            taken.remove(taken.size() - 1);
        }
        return false;
    }
}

package io.numaledger.scheduling.stranded;

import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.placement.Amounts;
import io.numaledger.scheduling.state.NodeUse;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;

/** The sizes by which the capacity of a node is counted. For one thread. */
public final class ReferencePods {

    /** The most reference pods: more would make each change of a node expensive. */
    public static final int MOST = 20;

    private final List<ReferencePod> chosen;
    private final Map<KubeletModel, Defaults> defaults = new WeakHashMap<>();

    /** The default reference pods of a node of one type with these amounts. */
    private record Defaults(Optional<Long> cpuMillis, Optional<Long> memoryBytes, List<ReferencePod> pods) {}

    private ReferencePods(List<ReferencePod> chosen) {
        this.chosen = List.copyOf(chosen);
    }

    /**
     * The reference pods that an operator has chosen.
     *
     * @param chosen as {@link ReferencePod#parse} reads them; none: those that follow from each node
     * @throws IllegalArgumentException as a sentence
     */
    public static ReferencePods of(List<String> chosen) {
        List<ReferencePod> pods = chosen.stream().map(ReferencePod::parse).toList();
        if (pods.size() > MOST) {
            throw new IllegalArgumentException(
                    "too many reference pods: %d; use %d at most".formatted(pods.size(), MOST));
        }
        Set<String> names = new HashSet<>();
        pods.stream().filter(pod -> !names.add(pod.name())).findFirst().ifPresent(pod -> {
            throw new IllegalArgumentException(
                    "two reference pods have the same name: '%s'; rename one".formatted(pod.name()));
        });
        return new ReferencePods(pods);
    }

    /** The reference pods that the node could run if it were empty, as far as the kinds of its devices decide. */
    List<ReferencePod> on(NodeUse use) {
        return chosen.isEmpty()
                ? defaults(use)
                : chosen.stream()
                        .filter(pod -> use.node().offers(pod.pod().request(), false))
                        .toList();
    }

    private List<ReferencePod> defaults(NodeUse use) {
        NodeFacts node = use.node();
        KubeletModel kubelet =
                use.snapshots().likeliest().snapshot().model().kubelet().orElseThrow();
        Optional<Long> cpus =
                Optional.ofNullable(node.constraints().allocatable().get(Amounts.CPU));
        Optional<Long> memory =
                Optional.ofNullable(node.constraints().allocatable().get("memory"));
        Defaults known = defaults.get(kubelet);
        if (known == null
                || !known.cpuMillis().equals(cpus)
                || !known.memoryBytes().equals(memory)) {
            known = new Defaults(cpus, memory, DefaultReferencePods.of(node, kubelet));
            defaults.put(kubelet, known);
        }
        return known.pods();
    }
}

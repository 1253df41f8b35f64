package io.numaledger.bridge.explain;

import io.numaledger.bridge.evaluation.Evaluation;
import io.numaledger.bridge.evaluation.Evaluation.Refused;
import io.numaledger.bridge.evaluation.FullModel;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.snapshot.NodeSnapshot;
import io.numaledger.bridge.snapshot.PodHolding;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.resource.Quantity;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the smallest change with which a pod would fit a node. */
public final class Advice {

    private static final int MAX_CANDIDATES = 24;

    private Advice() {}

    /** One sentence: wait for terminating pods, end one pod, end two, or request less. Absent where the pod is not refused. */
    public static Optional<String> of(NodeSnapshot node, PodFacts pod, Evaluation evaluation) {
        if (!(evaluation instanceof Refused refused) || node.now().isEmpty()) {
            return Optional.empty();
        }
        if (FullModel.admits(node, node.afterReleases(), pod)) {
            return Optional.of("wait: the pod fits as soon as the terminating pods have ended");
        }
        if (refused.unresolvable()) {
            return Optional.of("the pod does not fit this node even without other pods: " + smaller(refused));
        }
        return oneEnded(node, pod)
                .or(() -> twoEnded(node, pod))
                .map(ended -> "the pod would fit without " + ended)
                .or(() -> Optional.of("more than two other pods would have to end"));
    }

    private static String smaller(Refused refused) {
        return refused.resources().stream()
                .filter(fit -> Long.compareUnsigned(fit.free(), fit.need()) < 0)
                .min(Comparator.comparing(ResourceFit::resource))
                .map(fit -> "request at most %s %s per container or pod, or a number of zones that the node has"
                        .formatted(
                                Quantity.readable(fit.resource(), Long.toUnsignedString(fit.free())), fit.resource()))
                .orElse("its resources need different numbers of zones; request amounts that need the same number");
    }

    private static Stream<String> candidates(NodeSnapshot node) {
        return node.pods().stream()
                .filter(held -> !held.key().equals("*"))
                .sorted(Comparator.comparing(PodHolding::key))
                .map(PodHolding::key)
                .limit(MAX_CANDIDATES);
    }

    private static Optional<String> oneEnded(NodeSnapshot node, PodFacts pod) {
        return candidates(node)
                .filter(key -> fitsWithout(node, pod, List.of(key)))
                .findFirst();
    }

    private static Optional<String> twoEnded(NodeSnapshot node, PodFacts pod) {
        List<String> keys = candidates(node).toList();
        for (int i = 0; i < keys.size(); i++) {
            for (int j = i + 1; j < keys.size(); j++) {
                if (fitsWithout(node, pod, List.of(keys.get(i), keys.get(j)))) {
                    return Optional.of(keys.get(i) + " and " + keys.get(j));
                }
            }
        }
        return Optional.empty();
    }

    private static boolean fitsWithout(NodeSnapshot node, PodFacts pod, List<String> ended) {
        return FullModel.admits(node, without(node, ended), pod);
    }

    /** The node's state after these pods have ended. */
    public static Optional<NodeState> without(NodeSnapshot node, List<String> ended) {
        KubeletModel kubelet = node.model().kubelet().orElseThrow();
        return node.now().map(state -> {
            NodeState left = state;
            for (String key : ended) {
                left = kubelet.ended(left, key);
            }
            return kubelet.removeStaleState(left);
        });
    }
}

package io.numaledger.bridge.explain;

import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.node.HeldPod;
import io.numaledger.bridge.node.NodePicture;
import io.numaledger.bridge.verdict.Judge;
import io.numaledger.bridge.verdict.Verdict;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.answer.Why;
import io.numaledger.placement.Quantity;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The smallest change with which a pod would fit a node.
 *
 * @param sentence empty: it fits, or no small change helps
 */
public record Advice(String sentence) {

    private static final int MAX_CANDIDATES = 24;

    /** Looks for it: wait for releases, end one pod, end two, ask for less. */
    public static Advice of(NodePicture node, PodFacts pod, Verdict verdict) {
        if (verdict.fits() || node.now().isEmpty()) {
            return new Advice("");
        }
        if (Judge.on(node, node.afterReleases(), pod).fits()) {
            return new Advice("wait: it fits as soon as the terminating pods are gone");
        }
        if (!Judge.onEmptyNode(node, pod).fits()) {
            return new Advice("it never fits this node, not even empty: " + smaller(verdict));
        }
        return oneGone(node, pod)
                .or(() -> twoGone(node, pod))
                .map(gone -> new Advice("it would fit without " + gone))
                .orElseGet(() -> new Advice("more than two pods would have to go"));
    }

    private static String smaller(Verdict verdict) {
        return verdict.why().stream()
                .filter(why -> Long.compareUnsigned(why.free(), why.need()) < 0)
                .min(Comparator.comparing(Why::resource))
                .map(why -> "ask for at most %s %s a container or pod, or for a width that the node has"
                        .formatted(
                                Quantity.readable(why.resource(), Long.toUnsignedString(why.free())), why.resource()))
                .orElse("its resources need different numbers of zones; ask for amounts that need the same number");
    }

    private static Stream<String> candidates(NodePicture node) {
        return node.pods().stream()
                .filter(held -> !held.key().equals("*"))
                .sorted(Comparator.comparing(HeldPod::key))
                .map(HeldPod::key)
                .limit(MAX_CANDIDATES);
    }

    private static Optional<String> oneGone(NodePicture node, PodFacts pod) {
        return candidates(node)
                .filter(key -> fitsWithout(node, pod, List.of(key)))
                .findFirst();
    }

    private static Optional<String> twoGone(NodePicture node, PodFacts pod) {
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

    /** True if the pod fits once these are gone. */
    public static boolean fitsWithout(NodePicture node, PodFacts pod, List<String> gone) {
        return Judge.on(node, without(node, gone), pod).fits();
    }

    /** The node without these pods. */
    public static Optional<NodeState> without(NodePicture node, List<String> gone) {
        KubeletModel kubelet = node.model().kubelet().orElseThrow();
        return node.now().map(state -> {
            NodeState left = state;
            for (String key : gone) {
                left = kubelet.remove(left, key);
            }
            return kubelet.sweep(left);
        });
    }
}

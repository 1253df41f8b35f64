package io.numaledger.bridge.explain;

import io.numaledger.bridge.evaluation.Evaluation;
import io.numaledger.bridge.evaluation.Evaluation.Refused;
import io.numaledger.bridge.evaluation.FullModel;
import io.numaledger.bridge.evaluation.RefusalReason;
import io.numaledger.bridge.holder.Holder;
import io.numaledger.bridge.holder.Sentence;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.snapshot.NodeSnapshot;
import io.numaledger.bridge.snapshot.PodHolding;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;
import io.numaledger.resource.Quantity;
import io.numaledger.resource.ResourceKind;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Finds a small change with which a pod would fit a node. Only what the model confirms is recommended. */
public final class Advice {

    /** Bounds the time of one explanation: pairs of pods that are tried. */
    private static final int MAX_PAIRS = 300;

    private static final long MEBI = 1L << 20;

    private Advice() {}

    /** One sentence: wait for terminating pods, end one pod, end two, or request less. Absent where nothing is confirmed. */
    public static Optional<Sentence> of(NodeSnapshot node, PodFacts pod, Evaluation evaluation) {
        if (!(evaluation instanceof Refused refused)
                || refused.reason() == RefusalReason.NUMA_SPREAD_INVALID
                || refused.reason() == RefusalReason.GPU_LINKS_INVALID
                || node.now().isEmpty()) {
            return Optional.empty();
        }
        if (FullModel.admits(node, node.afterReleases(), pod)) {
            return Optional.of(Sentence.of("wait: the pod fits as soon as the terminating pods have ended"));
        }
        if (refused.unresolvable()) {
            return Optional.of(Sentence.of("the pod does not fit this node even without other pods"
                    + smaller(node, pod, refused)
                            .map(amount -> "; it would fit with " + amount)
                            .orElse("")));
        }
        return ended(node, pod);
    }

    /** An amount of one resource with which a pod of one container fits the empty node, and one unit more does not. */
    private static Optional<String> smaller(NodeSnapshot node, PodFacts pod, Refused refused) {
        PodRequest request = pod.request();
        if (request.podLevel().isPresent() || request.inAllocationOrder().size() != 1) {
            return Optional.empty();
        }
        return refused.resources().stream()
                .map(ResourceFit::resource)
                .distinct()
                .flatMap(resource -> smaller(node, pod, resource).stream())
                .findFirst();
    }

    private static Optional<String> smaller(NodeSnapshot node, PodFacts pod, String resource) {
        Optional<NodeState> empty = node.model().kubelet().map(KubeletModel::empty);
        long unit = ResourceKind.of(resource) == ResourceKind.MEMORY ? MEBI : 1;
        long fits = 0;
        long tooMuch = requested(pod, resource) / unit;
        while (tooMuch - fits > 1) {
            long middle = fits + (tooMuch - fits) / 2;
            if (FullModel.admits(node, empty, requesting(pod, resource, middle * unit))) {
                fits = middle;
            } else {
                tooMuch = middle;
            }
        }
        return fits == 0
                ? Optional.empty()
                : Optional.of(Quantity.readable(resource, Quantity.ofWhole(fits * unit)) + " " + resource);
    }

    private static long requested(PodFacts pod, String resource) {
        return pod.request()
                .inAllocationOrder()
                .get(0)
                .resources()
                .requests()
                .getOrDefault(resource, RequestedAmount.ZERO)
                .whole();
    }

    private static PodFacts requesting(PodFacts pod, String resource, long amount) {
        PodRequest request = pod.request();
        ContainerRequest only = request.inAllocationOrder().get(0);
        ContainerRequest changed = new ContainerRequest(
                only.name(),
                only.kind(),
                new Resources(
                        with(only.resources().requests(), resource, amount),
                        with(only.resources().limits(), resource, amount)));
        boolean app = !request.containers().isEmpty();
        return pod.requesting(new PodRequest(
                request.name(),
                request.qosClass(),
                request.podLevel(),
                app ? List.of() : List.of(changed),
                app ? List.of(changed) : List.of()));
    }

    private static SortedMap<String, RequestedAmount> with(
            SortedMap<String, RequestedAmount> amounts, String resource, long amount) {
        SortedMap<String, RequestedAmount> changed = new TreeMap<>(amounts);
        changed.computeIfPresent(resource, (name, before) -> RequestedAmount.of(amount));
        return changed;
    }

    private static Optional<Sentence> ended(NodeSnapshot node, PodFacts pod) {
        List<String> keys = node.pods().stream()
                .map(PodHolding::key)
                .filter(key -> !key.equals(Holder.UNKNOWN))
                .sorted()
                .toList();
        if (!fitsWithout(node, pod, keys)) {
            return Optional.empty();
        }
        for (String key : keys) {
            if (fitsWithout(node, pod, List.of(key))) {
                return Optional.of(without(key));
            }
        }
        int pairs = 0;
        for (int i = 0; i < keys.size(); i++) {
            for (int j = i + 1; j < keys.size(); j++) {
                if (++pairs > MAX_PAIRS) {
                    return Optional.empty();
                }
                if (fitsWithout(node, pod, List.of(keys.get(i), keys.get(j)))) {
                    return Optional.of(without(keys.get(i)).plus(" and ").plus(pod(keys.get(j))));
                }
            }
        }
        return Optional.of(Sentence.of("more than two other pods would have to end"));
    }

    private static Sentence without(String key) {
        return Sentence.of("the pod would fit without ").plus(pod(key));
    }

    private static List<Holder> pod(String key) {
        return List.of(Holder.of(key));
    }

    private static boolean fitsWithout(NodeSnapshot node, PodFacts pod, List<String> ended) {
        return FullModel.admits(node, without(node, ended), pod);
    }

    /** The node's state after these pods have ended. */
    static Optional<NodeState> without(NodeSnapshot node, Collection<String> ended) {
        if (node.model().kubelet().isEmpty()) {
            return node.now();
        }
        KubeletModel kubelet = node.model().kubelet().get();
        return node.now().map(state -> {
            NodeState left = state;
            for (String key : ended) {
                left = kubelet.ended(left, key);
            }
            return kubelet.removeStaleState(left);
        });
    }
}

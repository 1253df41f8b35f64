package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.NamespaceDefaults;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;

import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Binds pods to nodes: each is evaluated once more, gets the resources of its predicted placement, and is written after all pods that were
 * reserved on its node before. Thread-safe.
 */
public final class PodBinds {

    private final ClusterNodes nodes;
    private final NamespaceDefaults namespaceDefaults;
    private final ReservationListener listener;

    PodBinds(ClusterNodes nodes, NamespaceDefaults namespaceDefaults, ReservationListener listener) {
        this.nodes = nodes;
        this.namespaceDefaults = namespaceDefaults;
        this.listener = listener;
    }

    /**
     * Evaluates the pod once more and, if it fits, reserves the resources of its predicted placement. Then has the binding written,
     * after those of all pods that were reserved on this node before.
     *
     * @param write gets the evaluation; empty for a node that the API server does not show, where nothing is reserved
     */
    public <T> T bind(String nodeName, PodFacts asked, Function<Optional<Evaluation>, T> write) {
        return bind(nodeName, asked, (now, evaluation) -> evaluation, write);
    }

    /**
     * Binds as {@link #bind(String, PodFacts, Function)} does, with a further check.
     *
     * @param check gets an evaluation that admits the pod, and returns it or a refusal. Nothing changes on the node meanwhile
     */
    public <T> T bind(
            String nodeName,
            PodFacts asked,
            BiFunction<PossibleSnapshots, Evaluation, Evaluation> check,
            Function<Optional<Evaluation>, T> write) {
        PodFacts pod = namespaceDefaults.apply(asked);
        PodFacts bound = pod.onNode(nodeName);
        BiFunction<PossibleSnapshots, Evaluation, Evaluation> last = (now, evaluation) -> {
            Evaluation checked = check.apply(now, evaluation);
            if (checked instanceof Fits fits) {
                fits.placement().ifPresent(placement -> listener.predicted(bound, now, placement));
            }
            return checked;
        };
        Optional<ClusterNode> known = nodes.find(nodeName);
        Optional<NodeBinds.Reserved> shown = known.flatMap(node -> node.reserve(pod, bound, last));
        if (shown.isEmpty()) {
            return write.apply(Optional.empty());
        }
        ClusterNode node = known.orElseThrow();
        NodeBinds.Reserved reserved = shown.get();
        try {
            reserved.ticket().await();
            return write.apply(node.confirm(reserved, pod, bound, last));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            nodes.changeKnown(nodeName, any -> node.cancel(pod));
            throw new IllegalStateException(
                    "interrupted while earlier pods are bound: pod=%s; the scheduler will retry the pod"
                            .formatted(pod.key()),
                    e);
        } finally {
            reserved.ticket().done();
        }
    }

    /** Cancels the reservation of a pod that was not bound after all. */
    public void cancel(String node, PodFacts pod) {
        nodes.changeKnown(node, known -> known.cancel(pod));
        listener.cancelled(pod);
    }
}

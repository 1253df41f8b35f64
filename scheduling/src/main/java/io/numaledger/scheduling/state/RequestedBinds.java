package io.numaledger.scheduling.state;

import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.facts.BindRequest;
import io.numaledger.evaluation.facts.PodFacts;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Pods that another scheduler has decided to bind and that are not bound yet. They are charged on the selected node, and the devices of their
 * claims are held. Thread-safe.
 */
final class RequestedBinds {

    private final Function<String, Optional<PodFacts>> pods;
    private final BiConsumer<String, Consumer<ClusterNode>> nodes;
    private final BiConsumer<String, Set<DeviceId>> claimed;
    private final Map<String, Requested> requests = new HashMap<>();
    private final Map<String, PodFacts> charged = new HashMap<>();

    /**
     * @param pods the last that was seen of a pod, by key
     * @param nodes changes the node of a name
     * @param claimed gets the key of a pod, and the devices that its claims have by a request
     */
    RequestedBinds(
            Function<String, Optional<PodFacts>> pods,
            BiConsumer<String, Consumer<ClusterNode>> nodes,
            BiConsumer<String, Set<DeviceId>> claimed) {
        this.pods = pods;
        this.nodes = nodes;
        this.claimed = claimed;
    }

    private record Requested(BindRequest request, Set<DeviceId> devices) {}

    synchronized void put(BindRequest request, Set<DeviceId> devices) {
        requests.put(request.podKey(), new Requested(request, devices));
        update(request.podKey());
    }

    synchronized void remove(String podKey) {
        requests.remove(podKey);
        update(podKey);
    }

    /** Charges the pod where it is going to be bound, and ends the charge of one that is bound, ended or deleted. */
    synchronized void update(String podKey) {
        Optional<PodFacts> pod = pods.apply(podKey);
        Optional<Requested> requested = Optional.ofNullable(requests.get(podKey))
                .filter(each -> pod.filter(each.request()::isCarriedOutFor).isPresent());
        claimed.accept(podKey, requested.map(Requested::devices).orElse(Set.of()));
        Optional<PodFacts> now = requested
                .map(Requested::request)
                .flatMap(request -> pod.filter(request::places).map(request::bound));
        Optional<PodFacts> before = Optional.ofNullable(charged.remove(podKey));
        now.ifPresent(bound -> charged.put(podKey, bound));
        if (now.equals(before)) {
            return;
        }
        Optional<String> node = now.or(() -> pod).flatMap(PodFacts::node);
        before.filter(charge -> !node.equals(charge.node()))
                .ifPresent(charge -> nodes.accept(charge.node().orElseThrow(), left -> {
                    left.removePod(podKey);
                    left.release(charge);
                }));
        now.ifPresent(bound -> nodes.accept(bound.node().orElseThrow(), taking -> taking.putPod(bound)));
    }
}

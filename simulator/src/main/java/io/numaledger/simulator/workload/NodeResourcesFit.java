package io.numaledger.simulator.workload;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.evaluation.fit.NodeFit;
import io.numaledger.simulator.node.PodRequests;

import java.math.BigDecimal;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What kube-scheduler's NodeResourcesFit plugin sees: allocatable less requests of each node as a whole, without zones. */
public final class NodeResourcesFit {

    private static final int MILLI_SCALE = 3;

    private final SortedMap<String, SortedMap<String, BigDecimal>> free = new TreeMap<>();

    private NodeResourcesFit() {}

    public static NodeResourcesFit read(KubernetesClient client) {
        NodeResourcesFit fit = new NodeResourcesFit();
        for (Node node : client.nodes().list().getItems()) {
            SortedMap<String, BigDecimal> allocatable = new TreeMap<>();
            node.getStatus().getAllocatable().forEach((name, amount) -> allocatable.put(name, number(amount)));
            fit.free.put(node.getMetadata().getName(), allocatable);
        }
        for (Pod pod : client.pods().inAnyNamespace().list().getItems()) {
            String phase = pod.getStatus() == null
                    ? ""
                    : String.valueOf(pod.getStatus().getPhase());
            Map<String, BigDecimal> node =
                    fit.free.get(String.valueOf(pod.getSpec().getNodeName()));
            if (node != null && !phase.equals("Failed") && !phase.equals("Succeeded")) {
                request(pod).forEach((name, amount) -> node.merge(name, amount.negate(), BigDecimal::add));
            }
        }
        return fit;
    }

    private static BigDecimal number(Quantity quantity) {
        return quantity.getNumericalAmount();
    }

    /** As the bridge counts it, without the place for one more pod. */
    private static SortedMap<String, BigDecimal> request(Pod pod) {
        SortedMap<String, BigDecimal> request = new TreeMap<>();
        NodeFit.requested(PodRequests.facts(pod).nodeLevel())
                .forEach((name, amount) ->
                        request.put(name, BigDecimal.valueOf(amount, name.equals("cpu") ? MILLI_SCALE : 0)));
        request.remove("pods");
        return request;
    }

    /** Whether any node has room for the pod. */
    public boolean fits(Pod pod) {
        return !nodesFor(pod).isEmpty();
    }

    /** The nodes that have room for the pod, those with the most free CPU first. */
    public List<String> nodesFor(Pod pod) {
        SortedMap<String, BigDecimal> wanted = request(pod);
        return free.entrySet().stream()
                .filter(node -> wanted.entrySet().stream()
                        .allMatch(want -> node.getValue()
                                        .getOrDefault(want.getKey(), BigDecimal.ZERO)
                                        .compareTo(want.getValue())
                                >= 0))
                .sorted(Comparator.comparing(
                        node -> node.getValue().getOrDefault("cpu", BigDecimal.ZERO), Comparator.reverseOrder()))
                .map(Map.Entry::getKey)
                .toList();
    }
}

package io.numaledger.e2e;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What is left on each node by kube-scheduler's own sums, without zones (NodeResourcesFit). */
final class NodeSums {

    private final SortedMap<String, SortedMap<String, BigDecimal>> left = new TreeMap<>();

    private NodeSums() {}

    static NodeSums read(KubernetesClient client) {
        NodeSums sums = new NodeSums();
        for (Node node : client.nodes().list().getItems()) {
            SortedMap<String, BigDecimal> allocatable = new TreeMap<>();
            node.getStatus().getAllocatable().forEach((name, amount) -> allocatable.put(name, number(amount)));
            sums.left.put(node.getMetadata().getName(), allocatable);
        }
        for (Pod pod : client.pods().inAnyNamespace().list().getItems()) {
            String phase = pod.getStatus().getPhase();
            Map<String, BigDecimal> node =
                    sums.left.get(String.valueOf(pod.getSpec().getNodeName()));
            if (node != null && !phase.equals("Failed") && !phase.equals("Succeeded")) {
                request(pod).forEach((name, amount) -> node.merge(name, amount.negate(), BigDecimal::add));
            }
        }
        return sums;
    }

    private static BigDecimal number(Quantity quantity) {
        return quantity.getNumericalAmount();
    }

    /** The largest sum at any time of the pod's life. */
    private static SortedMap<String, BigDecimal> request(Pod pod) {
        SortedMap<String, BigDecimal> lasting = new TreeMap<>();
        SortedMap<String, BigDecimal> peak = new TreeMap<>();
        for (Container init : pod.getSpec().getInitContainers()) {
            SortedMap<String, BigDecimal> now = new TreeMap<>(lasting);
            add(now, init);
            now.forEach((name, amount) -> peak.merge(name, amount, BigDecimal::max));
            if ("Always".equals(init.getRestartPolicy())) {
                lasting.putAll(now);
            }
        }
        pod.getSpec().getContainers().forEach(container -> add(lasting, container));
        lasting.forEach((name, amount) -> peak.merge(name, amount, BigDecimal::max));
        return peak;
    }

    private static void add(SortedMap<String, BigDecimal> sum, Container container) {
        container
                .getResources()
                .getRequests()
                .forEach((name, amount) -> sum.merge(name, number(amount), BigDecimal::add));
    }

    /** The nodes whose sums hold the pod. */
    List<String> holding(Pod pod) {
        SortedMap<String, BigDecimal> wanted = request(pod);
        return left.entrySet().stream()
                .filter(node -> wanted.entrySet().stream()
                        .allMatch(want -> node.getValue()
                                        .getOrDefault(want.getKey(), BigDecimal.ZERO)
                                        .compareTo(want.getValue())
                                >= 0))
                .map(Map.Entry::getKey)
                .toList();
    }
}

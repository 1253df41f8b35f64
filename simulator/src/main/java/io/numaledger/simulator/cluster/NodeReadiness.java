package io.numaledger.simulator.cluster;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/** Decides whether pods can be sent to a node: it is Ready, has no taint of Kubernetes, and reports all of its healthy devices. */
final class NodeReadiness {

    /** What {@link #describe} says when nothing keeps pods from the node. */
    static final String READY = "ready";

    private NodeReadiness() {}

    /**
     * Whether it is ready.
     *
     * @param node null: not yet registered
     * @param devices resource → number of healthy devices
     */
    static boolean isReady(@Nullable Node node, Map<String, Integer> devices) {
        return node != null
                && hasReadyCondition(node)
                && node.getSpec().getTaints().stream()
                        .noneMatch(taint -> taint.getKey().startsWith("node.kubernetes.io/"))
                && devices.entrySet().stream()
                        .allMatch(resource -> hasDevices(node.getStatus().getAllocatable(), resource));
    }

    /** What keeps pods from the node, such as {@code not registered}. */
    static String describe(@Nullable Node node, Map<String, Integer> devices) {
        if (node == null) {
            return "not registered";
        }
        List<String> taints =
                node.getSpec().getTaints().stream().map(Taint::getKey).toList();
        List<String> missing = devices.entrySet().stream()
                .filter(resource -> !hasDevices(node.getStatus().getAllocatable(), resource))
                .map(Map.Entry::getKey)
                .toList();
        return isReady(node, devices)
                ? READY
                : "ready=%b taints=%s devices_missing=%s".formatted(hasReadyCondition(node), taints, missing);
    }

    static boolean hasReadyCondition(Node node) {
        return node.getStatus().getConditions().stream()
                .anyMatch(condition -> condition.getType().equals("Ready")
                        && condition.getStatus().equals("True"));
    }

    private static boolean hasDevices(Map<String, Quantity> allocatable, Map.Entry<String, Integer> resource) {
        Quantity there = allocatable.get(resource.getKey());
        return there != null && there.getNumericalAmount().longValue() == resource.getValue();
    }
}

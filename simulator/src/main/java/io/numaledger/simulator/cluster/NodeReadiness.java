package io.numaledger.simulator.cluster;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import io.numaledger.simulator.hardware.DevicePluginSpec;
import io.numaledger.simulator.hardware.NodeSpec;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/** Decides whether pods can be sent to a node: it is Ready, has no taint of Kubernetes, and reports all of its devices. */
final class NodeReadiness {

    /** What {@link #describe} says when nothing keeps pods from the node. */
    static final String READY = "ready";

    private NodeReadiness() {}

    /** The node may be null: not yet registered. */
    static boolean isReady(Node node, NodeSpec spec) {
        return node != null
                && hasReadyCondition(node)
                && node.getSpec().getTaints().stream()
                        .noneMatch(taint -> taint.getKey().startsWith("node.kubernetes.io/"))
                && spec.devices().stream()
                        .allMatch(plugin -> hasDevices(node.getStatus().getAllocatable(), plugin));
    }

    /** What keeps pods from the node, such as {@code not registered}. */
    static String describe(@Nullable Node node, NodeSpec spec) {
        if (node == null) {
            return "not registered";
        }
        List<String> taints =
                node.getSpec().getTaints().stream().map(Taint::getKey).toList();
        List<String> missing = spec.devices().stream()
                .filter(plugin -> !hasDevices(node.getStatus().getAllocatable(), plugin))
                .map(DevicePluginSpec::resource)
                .toList();
        return isReady(node, spec)
                ? READY
                : "ready=%b taints=%s devices_missing=%s".formatted(hasReadyCondition(node), taints, missing);
    }

    static boolean hasReadyCondition(Node node) {
        return node.getStatus().getConditions().stream()
                .anyMatch(condition -> condition.getType().equals("Ready")
                        && condition.getStatus().equals("True"));
    }

    private static boolean hasDevices(Map<String, Quantity> allocatable, DevicePluginSpec plugin) {
        Quantity there = allocatable.get(plugin.resource());
        return there != null
                && there.getNumericalAmount().longValue() == plugin.devices().size();
    }
}

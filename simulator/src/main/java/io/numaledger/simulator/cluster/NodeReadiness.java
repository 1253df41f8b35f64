package io.numaledger.simulator.cluster;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import io.numaledger.simulator.hardware.DevicePluginSpec;
import io.numaledger.simulator.hardware.NodeSpec;

import java.util.Map;

/** Decides whether pods can be sent to a node: it is Ready, has no taint of Kubernetes, and reports all of its devices. */
final class NodeReadiness {

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

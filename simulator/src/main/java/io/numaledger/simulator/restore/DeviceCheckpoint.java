package io.numaledger.simulator.restore;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.kubelet.device.DeviceState;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.simulator.hardware.DevicePluginSpec;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.restore.GoType.Field;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * {@code kubelet_internal_checkpoint} (pkg/kubelet/cm/devicemanager/checkpoint/checkpoint.go): who holds which devices. The kubelet ignores
 * a file with a wrong checksum.
 */
final class DeviceCheckpoint {

    private static final GoType IDS = GoType.map(GoType.list(GoType.PLAIN));
    private static final GoType ENTRY = GoType.struct(
            new Field("PodUID", "string", "PodUID", GoType.PLAIN),
            new Field("ContainerName", "string", "ContainerName", GoType.PLAIN),
            new Field("ResourceName", "string", "ResourceName", GoType.PLAIN),
            new Field("DeviceIDs", "checkpoint.DevicesPerNUMA", "DeviceIDs", IDS),
            new Field("AllocResp", "[]uint8", "AllocResp", GoType.PLAIN));
    private static final GoType DATA = GoType.struct(
            new Field("PodDeviceEntries", "[]checkpoint.PodDevicesEntry", "PodDeviceEntries", GoType.list(ENTRY)),
            new Field("RegisteredDevices", "map[string][]string", "RegisteredDevices", IDS));

    /** Where the kubelet puts devices without topology (pod_devices.go, nodeWithoutTopology). */
    private static final long NO_NUMA_NODE = -1;

    private DeviceCheckpoint() {}

    /** @param held pods are named by their UIDs */
    static ObjectNode of(NodeSpec node, DeviceState held) {
        ObjectNode file = JsonNodeFactory.instance.objectNode();
        ObjectNode data = file.putObject("Data");
        ArrayNode entries = data.putArray("PodDeviceEntries");
        ObjectNode registered = data.putObject("RegisteredDevices");
        for (DevicePluginSpec plugin : node.devices()) {
            ArrayNode all = registered.putArray(plugin.resource());
            plugin.devices().forEach(device -> all.add(device.deviceId()));
            held.byPod()
                    .forEach((pod, containers) -> containers.forEach((container, resources) -> {
                        SortedSet<String> ids = resources.get(plugin.resource());
                        if (ids != null) {
                            ObjectNode entry = entries.addObject()
                                    .put("PodUID", pod)
                                    .put("ContainerName", container)
                                    .put("ResourceName", plugin.resource());
                            ObjectNode devices = entry.putObject("DeviceIDs");
                            byNumaNode(plugin, ids)
                                    .forEach((numaNode, some) ->
                                            some.forEach(devices.putArray(numaNode.toString())::add));
                            entry.putNull("AllocResp");
                        }
                    }));
        }
        return file.put("Checksum", DATA.checksum("checkpoint.checkpointData", data));
    }

    /** NUMA node → ids; a device of several stands under each. */
    private static SortedMap<Long, List<String>> byNumaNode(DevicePluginSpec plugin, SortedSet<String> ids) {
        SortedMap<Long, List<String>> byNumaNode = new TreeMap<>();
        for (DeviceAllocation device : plugin.devices()) {
            if (ids.contains(device.deviceId())) {
                List<Long> numaNodes = device.numaNodes().isEmpty()
                        ? List.of(NO_NUMA_NODE)
                        : device.numaNodes().stream().map(Long::valueOf).toList();
                numaNodes.forEach(numaNode -> byNumaNode
                        .computeIfAbsent(numaNode, any -> new ArrayList<>())
                        .add(device.deviceId()));
            }
        }
        return byNumaNode;
    }
}

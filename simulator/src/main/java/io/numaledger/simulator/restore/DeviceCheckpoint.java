package io.numaledger.simulator.restore;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.kubelet.device.DeviceState;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.simulator.hardware.DevicePluginSpec;
import io.numaledger.simulator.hardware.NodeSpec;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * {@code kubelet_internal_checkpoint} (pkg/kubelet/cm/devicemanager/checkpoint/checkpoint.go): who holds which devices. The kubelet ignores
 * a file with a wrong {@link Checksum}.
 *
 * @param registered resource → ids of its devices
 */
record DeviceCheckpoint(List<Entry> entries, SortedMap<String, List<String>> registered) {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /** Where the kubelet puts devices without topology (pod_devices.go, nodeWithoutTopology). */
    private static final long NO_NUMA_NODE = -1;

    /**
     * Devices of one resource that one container holds.
     *
     * @param devices NUMA node → ids; a device of several stands under each
     */
    record Entry(String pod, String container, String resource, SortedMap<Long, List<String>> devices) {

        private String text() {
            return "{PodUID:(string)%s ContainerName:(string)%s ResourceName:(string)%s DeviceIDs:(checkpoint.DevicesPerNUMA)%s AllocResp:([]uint8)<nil>}"
                    .formatted(pod, container, resource, map(devices));
        }

        private ObjectNode json() {
            ObjectNode json = JSON.objectNode()
                    .put("PodUID", pod)
                    .put("ContainerName", container)
                    .put("ResourceName", resource);
            ObjectNode byNumaNode = json.putObject("DeviceIDs");
            devices.forEach((numaNode, ids) -> byNumaNode.set(numaNode.toString(), array(ids)));
            return json.putNull("AllocResp");
        }
    }

    /** @param held pods are named by their UIDs */
    static DeviceCheckpoint of(NodeSpec node, DeviceState held) {
        List<Entry> entries = new ArrayList<>();
        SortedMap<String, List<String>> registered = new TreeMap<>();
        for (DevicePluginSpec plugin : node.devices()) {
            registered.put(
                    plugin.resource(),
                    plugin.devices().stream().map(DeviceAllocation::deviceId).toList());
            held.byPod()
                    .forEach((pod, containers) -> containers.forEach((container, resources) -> {
                        SortedSet<String> ids = resources.get(plugin.resource());
                        if (ids != null) {
                            entries.add(new Entry(pod, container, plugin.resource(), byNumaNode(plugin, ids)));
                        }
                    }));
        }
        return new DeviceCheckpoint(entries, registered);
    }

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

    ObjectNode json() {
        ObjectNode file = JSON.objectNode();
        ObjectNode data = file.putObject("Data");
        ArrayNode pods = data.putArray("PodDeviceEntries");
        entries.forEach(entry -> pods.add(entry.json()));
        ObjectNode devices = data.putObject("RegisteredDevices");
        registered.forEach((resource, ids) -> devices.set(resource, array(ids)));
        return file.put("Checksum", Checksum.of(text()));
    }

    private static ArrayNode array(List<String> texts) {
        ArrayNode array = JSON.arrayNode();
        texts.forEach(array::add);
        return array;
    }

    private String text() {
        return "(checkpoint.checkpointData){PodDeviceEntries:([]checkpoint.PodDevicesEntry)[%s] RegisteredDevices:(map[string][]string)%s}"
                .formatted(entries.stream().map(Entry::text).collect(Collectors.joining(" ")), map(registered));
    }

    private static String map(SortedMap<?, ? extends Collection<String>> map) {
        return map.entrySet().stream()
                .map(each -> "%s:[%s]".formatted(each.getKey(), String.join(" ", each.getValue())))
                .collect(Collectors.joining(" ", "map[", "]"));
    }
}

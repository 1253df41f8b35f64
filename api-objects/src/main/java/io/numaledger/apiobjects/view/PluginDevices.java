package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.device.Device;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.ZoneName;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The devices of device plugins by resource and zones, as JSON: how many are free, and how many pods hold. A device of several zones counts
 * once. The ids of free devices are not published.
 */
final class PluginDevices {

    private static final ObjectMapper JSON = new ObjectMapper();

    private PluginDevices() {}

    static ArrayNode of(KubeletModel kubelet, NodeState now, NodeState after) {
        ArrayNode json = JSON.createArrayNode();
        kubelet.machine().devices().forEach((resource, devices) -> {
            Set<String> held = now.devices().held(resource);
            Set<String> heldLater = after.devices().held(resource);
            Map<Place, Counts> counts = new LinkedHashMap<>();
            devices.forEach(device -> counts.computeIfAbsent(
                            Place.of(device.numaNodes(), kubelet.machine().topology()), any -> new Counts())
                    .add(device, held.contains(device.id()), heldLater.contains(device.id())));
            counts.forEach((place, each) -> {
                ObjectNode group = json.addObject().put("resource", resource);
                zones(place.zones(), group);
                if (place.missing()) {
                    group.put("onMissingNumaNodes", true);
                }
                each.write(group);
            });
        });
        return json;
    }

    /** The zones among these NUMA nodes. */
    static void zones(IntStream numaNodes, MachineTopology machine, ObjectNode json) {
        zones(zones(numaNodes, machine), json);
    }

    private static List<String> zones(IntStream numaNodes, MachineTopology machine) {
        return numaNodes
                .filter(id -> machine.numaNode(id).isPresent())
                .mapToObj(ZoneName::of)
                .toList();
    }

    private static void zones(List<String> zones, ObjectNode json) {
        zones.forEach(json.putArray("zones")::add);
    }

    /** @param missing the device plugin reports only NUMA nodes that the machine lacks */
    private record Place(List<String> zones, boolean missing) {

        static Place of(AffinityMask numaNodes, MachineTopology machine) {
            List<String> zones = PluginDevices.zones(numaNodes.ids(), machine);
            return new Place(zones, zones.isEmpty() && !numaNodes.isEmpty());
        }
    }

    private static final class Counts {

        private int free;
        private int freeLater;
        private int held;
        private int heldLater;
        private int unhealthy;

        void add(Device device, boolean isHeld, boolean isHeldLater) {
            held += isHeld ? 1 : 0;
            heldLater += isHeldLater ? 1 : 0;
            free += device.healthy() && !isHeld ? 1 : 0;
            freeLater += device.healthy() && !isHeldLater ? 1 : 0;
            unhealthy += device.healthy() || isHeld ? 0 : 1;
        }

        void write(ObjectNode json) {
            json.put("free", free)
                    .put("freeAfterReleases", freeLater)
                    .put("held", held)
                    .put("heldAfterReleases", heldLater);
            if (unhealthy > 0) {
                json.put("unhealthy", unhealthy);
            }
        }
    }
}

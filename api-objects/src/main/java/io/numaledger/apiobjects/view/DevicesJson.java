package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.evaluation.alignment.AlignmentCheck;
import io.numaledger.evaluation.claim.ClaimAlignment;
import io.numaledger.evaluation.claim.ClaimAlignment.Misaligned;
import io.numaledger.evaluation.claim.ClaimAlignment.Unknown;
import io.numaledger.evaluation.claim.ClaimedDevice;
import io.numaledger.evaluation.claim.DeviceCapacity;
import io.numaledger.evaluation.claim.DeviceCounts;
import io.numaledger.evaluation.claim.NodeDevices;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.resource.Quantity;
import io.numaledger.scheduling.dra.PodDevices;
import io.numaledger.topology.ZoneName;

import java.util.List;
import java.util.Optional;

/** Devices of Dynamic Resource Allocation, and what claims hold of them, as JSON of a bounded size. */
final class DevicesJson {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Drivers and zones of a node. */
    private static final int MAX_COUNTS = 200;

    /** Devices of a pod. */
    private static final int MAX_DEVICES = 20;

    /** Characters of a sentence about a pod: it may name all devices. */
    private static final int MAX_TEXT = 1000;

    private DevicesJson() {}

    /**
     * Adds to a node how many devices of each driver are on each zone, and how much of the capacity that claims share; nothing to a node
     * without devices.
     */
    static void add(NodeDevices devices, ObjectNode node) {
        List<DeviceCounts> counts = devices.counts();
        if (!counts.isEmpty()) {
            ArrayNode json = node.putArray("draDevices");
            counts.stream().limit(MAX_COUNTS).forEach(each -> add(each, json.addObject()));
            leftOut(counts.size() - MAX_COUNTS, "draDevicesLeftOut", node);
        }
        List<DeviceCapacity> capacities = devices.capacities();
        if (!capacities.isEmpty()) {
            ArrayNode json = node.putArray("draCapacities");
            capacities.stream().limit(MAX_COUNTS).forEach(each -> add(each, json.addObject()));
            leftOut(capacities.size() - MAX_COUNTS, "draCapacitiesLeftOut", node);
        }
    }

    private static void add(DeviceCounts counts, ObjectNode json) {
        place(counts.driver(), counts.numaNode(), json)
                .put("claimed", counts.claimed())
                .put("free", counts.free());
    }

    private static void add(DeviceCapacity capacity, ObjectNode json) {
        place(capacity.driver(), capacity.numaNode(), json)
                .put("capacity", capacity.name())
                .put("claimed", Quantity.ofWhole(capacity.claimed()))
                .put("all", Quantity.ofWhole(capacity.all()));
    }

    private static ObjectNode place(String driver, Optional<Integer> numaNode, ObjectNode json) {
        json.put("driver", driver);
        numaNode.ifPresent(id -> json.put("zone", ZoneName.of(id)));
        return json;
    }

    private static void leftOut(int count, String field, ObjectNode json) {
        if (count > 0) {
            json.put(field, count);
        }
    }

    /** What the claims of a pod have. */
    static ObjectNode of(PodDevices pod) {
        ObjectNode json = alignment(pod.alignment());
        ArrayNode devices = json.putArray("devices");
        pod.devices().stream().limit(MAX_DEVICES).forEach(each -> add(each, devices.addObject()));
        leftOut(pod.devices().size() - MAX_DEVICES, "devicesLeftOut", json);
        return json;
    }

    private static ObjectNode alignment(ClaimAlignment alignment) {
        if (alignment instanceof Misaligned misaligned) {
            return json("misaligned", misaligned.sentence());
        }
        return alignment instanceof Unknown unknown
                ? json("unknown", unknown.why())
                : JSON.createObjectNode().put("alignment", "aligned");
    }

    private static void add(ClaimedDevice device, ObjectNode json) {
        json.put("claim", device.claim().substring(device.claim().indexOf('/') + 1))
                .put("driver", device.id().driver())
                .put("pool", device.id().pool())
                .put("device", device.id().name());
        ArrayNode zones = json.putArray("zones");
        device.numaNodes()
                .known()
                .map(NumaNodes.Known::nodes)
                .ifPresent(ids -> ids.stream().map(ZoneName::of).forEach(zones::add));
    }

    /** How the devices of a pod's claims would lie on a node. */
    static ObjectNode of(AlignmentCheck check) {
        return switch (check.score()) {
            case 3 -> json("aligned", "its devices lie on the zones of its CPUs and memory");
            case 2 ->
                json(
                        "possible",
                        "free devices on the zones of its CPUs and memory can serve its claims; which ones kube-scheduler takes is not predicted");
            case 1 ->
                json(
                        "not-evaluated",
                        "whether free devices on the zones of its CPUs and memory can serve its claims is not evaluated");
            default -> json("not-aligned", check.violation().orElse(""));
        };
    }

    private static ObjectNode json(String alignment, String text) {
        return JSON.createObjectNode()
                .put("alignment", alignment)
                .put("text", text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) + "…" : text);
    }
}

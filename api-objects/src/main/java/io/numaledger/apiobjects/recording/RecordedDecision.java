package io.numaledger.apiobjects.recording;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.pod.PodRequest;

import java.util.List;

/** A kubelet's decision on a pod, as {@code sim replay} reads it. */
public final class RecordedDecision {

    /** What the kubelet puts before the reasons of its managers (pkg/kubelet/kubelet.go, rejectPod). */
    private static final String PREFIX = "Pod was rejected: ";

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private RecordedDecision() {}

    /** A pod, and the kubelet's decision on it. */
    public static ObjectNode of(PodRequest pod, ObjectNode result) {
        ObjectNode step = JSON.objectNode().put("op", "admit");
        step.set("pod", RecordedPod.of(pod));
        return step.set("result", result);
    }

    /** The kubelet has refused a pod. */
    public static ObjectNode refused(String reason, String message) {
        return JSON.objectNode()
                .put("admitted", false)
                .put("reason", reason)
                .put("message", message.startsWith(PREFIX) ? message.substring(PREFIX.length()) : message);
    }

    /** The kubelet has admitted a pod: CPUs, and devices by NUMA nodes. Blocks of memory may have been reused since. */
    public static ObjectNode admitted(List<ContainerAllocation> containers) {
        ObjectNode result = JSON.objectNode().put("admitted", true);
        ObjectNode byName = result.putObject("containers");
        containers.forEach(each -> byName.set(each.name(), counted(each)));
        return result;
    }

    private static ObjectNode counted(ContainerAllocation container) {
        ObjectNode entry = JSON.objectNode().put("cpus", container.cpus().toString());
        ObjectNode devices = entry.putObject("devices");
        for (DeviceAllocation device : container.devices()) {
            ObjectNode counts = devices.withObjectProperty(device.resource());
            String key = device.numaNodes().isEmpty()
                    ? "none"
                    : device.numaNodes().toString().replaceAll("[\\[\\] ]", "");
            counts.put(key, counts.path(key).asInt() + 1);
        }
        return entry;
    }
}

package io.numaledger.simulator.record;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.numaledger.apiobjects.recording.HeldByContainer;
import io.numaledger.apiobjects.recording.NodeYaml;
import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * What is recorded of a node.
 *
 * @param allocatable the devices that the kubelet gives out; held ones are recorded, too
 * @param drivers its devices of Dynamic Resource Allocation
 * @param held pod UID → what its containers hold
 * @param decided the pod on which the kubelet decided last
 */
record RecordedNode(
        MachineTopology machine,
        RecordedKubelet kubelet,
        List<DeviceAllocation> allocatable,
        RecordedDrivers drivers,
        SortedMap<String, List<ContainerAllocation>> held,
        Optional<DecidedPod> decided,
        Names names) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final YAMLMapper YAML = new YAMLMapper();

    /** What node YAML cannot express of a machine, one sentence for each NUMA node. */
    static List<String> notSimulated(MachineTopology machine) {
        return machine.numaNodes().stream()
                .filter(node -> NodeYaml.cpus(machine, node).stream()
                                .map(LogicalCpu::socket)
                                .distinct()
                                .count()
                        > 1)
                .map(node ->
                        "the cores of a NUMA node lie in several sockets, and are recorded as in one: numaNode=%d; "
                                        .formatted(node.id())
                                + "the kubelet may allocate other CPUs than sim replay and sim up")
                .toList();
    }

    Recording recording() throws JsonProcessingException {
        return new Recording(YAML.writeValueAsString(nodes()), JSON.writeValueAsString(pods()), Optional.empty());
    }

    private ObjectNode nodes() {
        ObjectNode node = NodeYaml.node(
                "recorded",
                kubelet.version(),
                kubelet.nodeYaml(machine),
                machine,
                devices().stream().map(this::named).toList());
        node.set("draDrivers", drivers.nodeYaml(names));
        return NodeYaml.file(node);
    }

    private DeviceAllocation named(DeviceAllocation device) {
        return new DeviceAllocation(device.resource(), names.apply(device.deviceId()), device.numaNodes());
    }

    /** The same with names as they are recorded. */
    private ContainerAllocation named(ContainerAllocation container) {
        return new ContainerAllocation(
                names.apply(container.name()),
                container.cpus(),
                container.memory(),
                container.devices().stream().map(this::named).toList());
    }

    private Collection<DeviceAllocation> devices() {
        TreeSet<DeviceAllocation> all = new TreeSet<>(allocatable);
        held.values().stream()
                .flatMap(List::stream)
                .flatMap(container -> container.devices().stream())
                .forEach(all::add);
        return all;
    }

    private ObjectNode pods() {
        ObjectNode file = JSON.createObjectNode();
        ArrayNode pods = file.putArray("held");
        Optional<String> own = decided.map(DecidedPod::uid);
        held.forEach((uid, containers) -> {
            if (!own.equals(Optional.of(uid))) {
                ObjectNode pod = pods.addObject().put("name", names.apply(uid));
                ObjectNode byName = pod.putObject("containers");
                containers.stream().map(this::named).forEach(each -> byName.set(each.name(), HeldByContainer.of(each)));
            }
        });
        decided.ifPresent(pod -> file.set(
                "decided",
                pod.step(
                        held.getOrDefault(pod.uid(), List.of()).stream()
                                .map(this::named)
                                .toList(),
                        names)));
        return file;
    }
}

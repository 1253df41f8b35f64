package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.bridge.recording.Recording;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.node.SpecModel;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.List;

/** The model of a recorded node, for states in which its pods hold this or that. */
final class RecordedState {

    private final NodeSpec spec;
    private final KubeletModel model;

    /** @throws StartupRefusedException if no kubelet would start so */
    RecordedState(Recording recording) {
        this.spec = NodeSpecYaml.parse(recording.nodes()).get(0);
        this.model = SpecModel.start(spec);
    }

    /** What pods hold. */
    List<PodAllocation> held(List<JsonNode> pods) {
        return pods.stream().map(this::held).toList();
    }

    private PodAllocation held(JsonNode pod) {
        List<ContainerAllocation> containers = new ArrayList<>();
        Json.fields(Json.required(pod, "containers")).forEach((name, held) -> {
            List<MemoryBlock> memory = Json.list(held, "memory").stream()
                    .map(block -> new MemoryBlock(
                            Json.text(block, "type"),
                            Json.required(block, "size").asLong(),
                            Json.ints(Json.required(block, "numaAffinity"))))
                    .toList();
            List<DeviceAllocation> devices = new ArrayList<>();
            Json.fields(held.path("devices"))
                    .forEach((resource, ids) -> ids.forEach(id -> devices.add(device(resource, id.asText()))));
            containers.add(new ContainerAllocation(name, CpuSet.parse(Json.text(held, "cpus")), memory, devices));
        });
        return new PodAllocation("recorded", Json.text(pod, "name"), containers);
    }

    private DeviceAllocation device(String resource, String id) {
        return spec.devices().stream()
                .filter(plugin -> plugin.resource().equals(resource))
                .flatMap(plugin -> plugin.devices().stream())
                .filter(device -> device.deviceId().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "a held device is not on the node: resource=%s id=%s".formatted(resource, id)));
    }

    /** Where the model decides otherwise than a step says, while these pods hold what they hold. */
    List<String> differences(List<PodAllocation> held, JsonNode step) {
        return AnswerComparison.differences(
                step,
                model.admit(model.holding(held), PodReader.read(Json.required(step, "pod")))
                        .admission(),
                false);
    }

    /** Throws IllegalArgumentException for what is held twice or does not exist; returns no difference. */
    List<String> contradictions(List<PodAllocation> held) {
        model.holding(held);
        return List.of();
    }
}

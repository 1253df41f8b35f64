package io.numaledger.simulator.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.node.SpecModel;
import io.numaledger.simulator.record.Recording;
import io.numaledger.simulator.text.TextErrors;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.List;

/** Compares the decision in a recording of a node with the model's, in the state that was recorded. */
final class RecordingReplay {

    private static final ObjectMapper JSON = new ObjectMapper();

    private RecordingReplay() {}

    /** Whether the recording has a decision. */
    static boolean hasDecision(Recording recording) {
        return pods(recording).has("decided");
    }

    /**
     * The differences, one sentence each: what the recorded state contradicts, or where the model decides otherwise.
     *
     * @throws IllegalArgumentException if the recording is malformed
     */
    static List<String> differences(Recording recording) {
        NodeSpec spec = NodeSpecYaml.parse(recording.nodes()).get(0);
        JsonNode pods = pods(recording);
        List<PodAllocation> held = new ArrayList<>();
        Json.list(pods, "held").forEach(pod -> held.add(held(spec, pod)));
        try {
            KubeletModel model = SpecModel.start(spec);
            var state = model.holding(held);
            JsonNode step = pods.path("decided");
            return step.isMissingNode()
                    ? List.of()
                    : AnswerComparison.differences(
                            step,
                            model.admit(state, PodReader.read(Json.required(step, "pod")))
                                    .admission(),
                            false);
        } catch (StartupRefusedException refusal) {
            return List.of("recorded a start, model '%s'".formatted(refusal.getMessage()));
        } catch (IllegalArgumentException | IllegalStateException | ArithmeticException failed) {
            return List.of("the model failed: " + failed.getMessage());
        }
    }

    private static JsonNode pods(Recording recording) {
        try {
            return JSON.readTree(recording.pods());
        } catch (JsonProcessingException malformed) {
            throw new IllegalArgumentException(
                    "not the pods of a recording: " + TextErrors.describe(malformed), malformed);
        }
    }

    private static PodAllocation held(NodeSpec spec, JsonNode pod) {
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
                    .forEach((resource, ids) -> ids.forEach(id -> devices.add(device(spec, resource, id.asText()))));
            containers.add(new ContainerAllocation(name, CpuSet.parse(Json.text(held, "cpus")), memory, devices));
        });
        return new PodAllocation("recorded", Json.text(pod, "name"), containers);
    }

    private static DeviceAllocation device(NodeSpec spec, String resource, String id) {
        return spec.devices().stream()
                .filter(plugin -> plugin.resource().equals(resource))
                .flatMap(plugin -> plugin.devices().stream())
                .filter(device -> device.deviceId().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "a held device is not on the node: resource=%s id=%s".formatted(resource, id)));
    }
}

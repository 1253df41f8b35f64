package io.numaledger.simulator.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.apiobjects.recording.HeldByContainer;
import io.numaledger.apiobjects.recording.RecordedJson;
import io.numaledger.apiobjects.recording.RecordedPod;
import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.PodAllocation;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.node.SpecModel;
import io.numaledger.simulator.text.TextErrors;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The model of a recorded node, for states in which its pods hold this or that. */
public final class RecordedState {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final NodeSpec spec;
    private final KubeletModel model;

    /** @throws StartupRefusedException if no kubelet would start so */
    public RecordedState(Recording recording) {
        this.spec = NodeSpecYaml.parse(recording.nodes()).get(0);
        this.model = SpecModel.start(spec);
    }

    public NodeSpec spec() {
        return spec;
    }

    /** What the pods of the recording hold. */
    public List<PodAllocation> held(Recording recording) {
        return held(RecordedJson.list(pods(recording), "held"));
    }

    /** What pods hold. */
    List<PodAllocation> held(List<JsonNode> pods) {
        return pods.stream().map(this::held).toList();
    }

    /**
     * A container leaves CPUs and devices to the next one, such as an init container that has ended, whose memory is free: only one of them
     * has them here.
     */
    private PodAllocation held(JsonNode pod) {
        List<ContainerAllocation> containers = new ArrayList<>();
        RecordedJson.fields(RecordedJson.required(pod, "containers"))
                .forEach((name, container) -> containers.add(HeldByContainer.read(name, container, this::device)));
        containers.sort(Comparator.comparing(container -> container.memory().isEmpty()));
        CpuSet cpus = CpuSet.EMPTY;
        Set<DeviceAllocation> devices = new HashSet<>();
        for (int i = 0; i < containers.size(); i++) {
            ContainerAllocation all = containers.get(i);
            containers.set(
                    i,
                    new ContainerAllocation(
                            all.name(),
                            all.cpus().minus(cpus),
                            all.memory(),
                            all.devices().stream().filter(devices::add).toList()));
            cpus = cpus.union(all.cpus());
        }
        return new PodAllocation("recorded", RecordedJson.text(pod, "name"), containers);
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

    /**
     * The state in which these pods hold what they hold, by their names.
     *
     * @throws IllegalArgumentException for what is held twice or does not exist
     */
    public NodeState state(List<PodAllocation> held) {
        NodeState state = model.empty();
        for (PodAllocation pod : held) {
            state = model.holding(state, pod.name(), pod);
        }
        return state;
    }

    /** Where the model decides otherwise than a step says, while these pods hold what they hold. */
    List<String> differences(List<PodAllocation> held, JsonNode step) {
        return AnswerComparison.differences(
                step,
                model.admit(state(held), RecordedPod.read(RecordedJson.required(step, "pod")))
                        .admission(),
                false);
    }

    /** Whether the recording has a decision. */
    static boolean hasDecision(Recording recording) {
        return pods(recording).has("decided");
    }

    /**
     * The differences of a recording, one sentence each: what the recorded state contradicts, or where the model decides otherwise.
     *
     * @throws IllegalArgumentException if the recording is malformed
     */
    static List<String> differences(Recording recording) {
        JsonNode step = pods(recording).path("decided");
        try {
            RecordedState state = new RecordedState(recording);
            List<PodAllocation> held = state.held(recording);
            var unused = state.state(held);
            return step.isMissingNode() ? List.of() : state.differences(held, step);
        } catch (StartupRefusedException refusal) {
            return List.of("recorded a start, model '%s'".formatted(refusal.getMessage()));
        } catch (IllegalArgumentException | IllegalStateException | ArithmeticException failed) {
            return List.of("the model failed: " + failed.getMessage());
        }
    }

    static JsonNode pods(Recording recording) {
        return json(recording.pods());
    }

    static JsonNode json(String part) {
        try {
            return JSON.readTree(part);
        } catch (JsonProcessingException malformed) {
            throw new IllegalArgumentException(
                    "not the pods of a recording: " + TextErrors.describe(malformed), malformed);
        }
    }
}

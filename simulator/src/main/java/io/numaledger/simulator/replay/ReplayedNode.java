package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiobjects.recording.RecordedJson;
import io.numaledger.apiobjects.recording.RecordedPod;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.KubeletRestart;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.kubelet.device.Device;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.NumaNode;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The node of a scenario, step by step: its kubelet, what its plugins list, and what its pods hold. */
final class ReplayedNode {

    private final Scenario scenario;
    private final SortedMap<String, PodRequest> held = new TreeMap<>();
    private KubeletModel kubelet;
    private NodeState state;
    private Optional<Admission> answer = Optional.empty();
    private boolean runs = true;

    ReplayedNode(Scenario scenario, KubeletModel kubelet) {
        this.scenario = scenario;
        this.kubelet = kubelet;
        this.state = kubelet.empty();
    }

    /** The kubelet with its configuration and devices of now; where it did not start again, the last one that ran. */
    KubeletModel kubelet() {
        return kubelet;
    }

    NodeState state() {
        return state;
    }

    /** What the kubelet decided in the last step; absent if it decided nothing. */
    Optional<Admission> answer() {
        return answer;
    }

    /** Whether the step records what the kubelet decided: about a pod, or that it does not start again. */
    static boolean decides(JsonNode step) {
        return step.path("op").asText().endsWith("admit") || RecordedJson.has(step, "error");
    }

    /** The pod or the operation of a step, for a message. */
    static String object(JsonNode step) {
        return step.path("op").asText().equals("restart")
                ? "op=restart"
                : "pod="
                        + RecordedJson.optional(step.path("pod"), "name")
                                .orElse(step.path("pod"))
                                .asText();
    }

    /** Takes the step. Returns where the record differs. */
    List<String> take(JsonNode step) {
        String operation = RecordedJson.text(step, "op");
        if (!runs && !operation.equals("restart")) {
            throw new IllegalArgumentException(
                    "the kubelet has not started again: op=%s; only restart may follow".formatted(operation));
        }
        answer = Optional.empty();
        List<String> differences = switch (operation) {
            case "admit" -> admit(step);
            case "readmit" -> readmit(step);
            case "start" -> start(RecordedJson.text(step, "pod"));
            case "remove" -> remove(RecordedJson.text(step, "pod"));
            case "devices" -> list(RecordedJson.required(step, "devices"));
            case "restart" -> restart(step);
            default ->
                throw new IllegalArgumentException(
                        "unknown step: op=%s; docs/reference/recorded-decisions.md lists them".formatted(operation));
        };
        if (!step.path("lazy").asBoolean()) {
            state = kubelet.removeStaleState(state);
        }
        return differences;
    }

    private List<String> admit(JsonNode step) {
        PodRequest pod = RecordedPod.read(RecordedJson.required(step, "pod"));
        List<String> differences = compare(step, kubelet.admit(state, pod));
        if (step.path("hold").asBoolean()) {
            held.put(pod.name(), pod);
        } else {
            state = kubelet.started(state, pod);
        }
        return differences;
    }

    /** A kubelet that was started again looks at the pods that run. It starts none of their containers. */
    private List<String> readmit(JsonNode step) {
        return compare(step, kubelet.readmit(state, RecordedPod.read(RecordedJson.required(step, "pod"))));
    }

    private List<String> compare(JsonNode step, Decision decision) {
        answer = Optional.of(decision.admission());
        state = decision.state();
        return AnswerComparison.differences(step, decision.admission(), scenario.nondeterministic());
    }

    private List<String> start(String name) {
        PodRequest pod = held.remove(name);
        state = pod == null ? state : kubelet.started(state, pod);
        return List.of();
    }

    private List<String> remove(String pod) {
        held.remove(pod);
        state = kubelet.ended(state, pod);
        return List.of();
    }

    /** The plugins of these resources list other devices from now on. */
    private List<String> list(JsonNode devices) {
        Machine machine = kubelet.machine();
        SortedMap<String, List<Device>> listed = new TreeMap<>(machine.devices());
        listed.putAll(ScenarioReader.devices(
                devices,
                machine.topology().numaNodes().stream().map(NumaNode::id).toList()));
        kubelet = KubeletModel.start(
                new Machine(machine.topology(), listed, machine.preferences()),
                kubelet.rules().config());
        return List.of();
    }

    /** The kubelet starts again over its state files, with another configuration if the step has one. */
    private List<String> restart(JsonNode step) {
        KubeletConfig before = kubelet.rules().config();
        KubeletConfig config = RecordedJson.optional(step, "config")
                .map(json -> ScenarioReader.config(before.version(), json))
                .orElse(before);
        Optional<String> recorded =
                RecordedJson.optional(step, "error").map(JsonNode::asText).map(ReplayedNode::cause);
        Optional<String> error = Optional.empty();
        try {
            KubeletModel now = KubeletModel.start(kubelet.machine(), config);
            state = KubeletRestart.over(now, state);
            kubelet = now;
        } catch (StartupRefusedException refusal) {
            error = Optional.of(String.valueOf(refusal.getMessage()));
        }
        runs = error.isEmpty();
        return error.equals(recorded)
                ? List.of()
                : List.of("recorded %s, model %s".formatted(outcome(recorded), outcome(error)));
    }

    /** Without what the container manager writes before it (cm/container_manager_linux.go, Start). */
    private static String cause(String error) {
        return error.replaceFirst("^start (cpu|memory) manager error: ", "");
    }

    private static String outcome(Optional<String> error) {
        return error.map(text -> "'" + text + "'").orElse("a start");
    }
}

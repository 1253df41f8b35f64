package io.numaledger.simulator.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.placement.PodAllocation;
import io.numaledger.simulator.text.TextErrors;

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
        JsonNode pods = pods(recording);
        try {
            RecordedState state = new RecordedState(recording);
            List<PodAllocation> held = state.held(recording);
            var unused = state.state(held);
            JsonNode step = pods.path("decided");
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

package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.config.KubeletConfig;

import java.util.List;
import java.util.Optional;

/**
 * One recorded scenario: a machine, a kubelet configuration, and pods that come and go.
 *
 * @param startupError the kubelet's message when it did not start; the steps then have no results
 * @param initialState the recorded state before the first step
 * @param steps as recorded; pods and results are read when their turn comes
 * @param nondeterministic the record holds null where the kubelet's answers differed from run to run
 */
record Scenario(
        String id,
        Machine machine,
        KubeletConfig config,
        Optional<String> startupError,
        JsonNode initialState,
        List<JsonNode> steps,
        boolean nondeterministic) {

    Scenario {
        steps = List.copyOf(steps);
    }
}

package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.config.StartupRefusedException;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Runs scenarios through the model and counts. An admission is wrong when verdict, reason, message or a container's CPUs,
 * memory or devices differ; after a wrong step the rest of its scenario is not counted. A kubelet that does not start, or not
 * start again, counts as one admission, right if the model refuses with the same message; at the first start any message is right.
 */
final class Replay {

    /** Sees every step after it was compared, for more comparisons. */
    interface Observer {

        /** Before the first step. */
        default void started(Scenario scenario, KubeletModel model) {}

        /** The kubelet refused to start, and so did the model. */
        default void refused(Scenario scenario, String message) {}

        /** After a step; the admission is absent for other steps. The state is the one that the record holds. */
        default void stepped(
                Scenario scenario, KubeletModel model, JsonNode step, Optional<Admission> answer, NodeState state) {}
    }

    private final Observer observer;
    private final List<String> differences = new ArrayList<>();
    private long scenarios;
    private long admissions;
    private long wrong;

    Replay(Observer observer) {
        this.observer = observer;
    }

    long scenarios() {
        return scenarios;
    }

    long admissions() {
        return admissions;
    }

    long wrong() {
        return wrong;
    }

    /** One sentence per wrong admission, in order. */
    List<String> differences() {
        return List.copyOf(differences);
    }

    void run(Scenario scenario) {
        scenarios++;
        Optional<KubeletModel> model = start(scenario);
        if (model.isPresent()) {
            try {
                observer.started(scenario, model.get());
                runSteps(scenario, model.get());
            } catch (IllegalArgumentException | IllegalStateException | ArithmeticException failed) {
                wrong(scenario, "step", List.of("the model failed: " + failed));
            }
        }
    }

    private Optional<KubeletModel> start(Scenario scenario) {
        try {
            KubeletModel model = KubeletModel.start(scenario.machine(), scenario.config());
            if (scenario.startupError().isEmpty()) {
                return Optional.of(model);
            }
            admissions++;
            wrong(
                    scenario,
                    "start",
                    List.of("recorded '%s', model starts"
                            .formatted(scenario.startupError().get())));
        } catch (StartupRefusedException refusal) {
            admissions++;
            if (scenario.startupError().isEmpty()) {
                wrong(scenario, "start", List.of("recorded a start, model '%s'".formatted(refusal.getMessage())));
            } else {
                observer.refused(scenario, String.valueOf(refusal.getMessage()));
            }
        }
        return Optional.empty();
    }

    private void runSteps(Scenario scenario, KubeletModel model) {
        ReplayedNode node = new ReplayedNode(scenario, model);
        for (int i = 0; i < scenario.steps().size(); i++) {
            JsonNode step = scenario.steps().get(i);
            boolean decides = ReplayedNode.decides(step);
            admissions += decides ? 1 : 0;
            List<String> found = node.take(step);
            if (!found.isEmpty()) {
                admissions += decides ? 0 : 1;
                wrong(scenario, "step=%d %s".formatted(i, ReplayedNode.object(step)), found);
                return;
            }
            observer.stepped(scenario, node.kubelet(), step, node.answer(), node.state());
        }
    }

    private void wrong(Scenario scenario, String where, List<String> found) {
        wrong++;
        differences.add("scenario=%s %s: %s".formatted(scenario.id(), where, String.join("; ", found)));
    }
}

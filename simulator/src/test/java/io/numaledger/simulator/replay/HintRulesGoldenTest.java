package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiobjects.recording.RecordedJson;
import io.numaledger.apiobjects.recording.RecordedPod;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.pod.PodRequest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The recorded decisions again, with hints as rules, as on machines with many NUMA nodes. Left out is what is not modelled there,
 * such as memory that wraps around.
 */
class HintRulesGoldenTest {

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"handmade", "basic", "options", "groups", "versions"})
    void rulesDecideAsTheKubeletsDid(String file) {
        String data = System.getenv("NUMALEDGER_DATA");
        assumeTrue(data != null, "recorded admissions are compared only where NUMALEDGER_DATA names their directory");
        Comparison comparison = new Comparison();

        new ScenarioFile(Path.of(data, "kubelet-golden", file + ".jsonl.gz")).forEach(new Replay(comparison)::run);

        assertThat(comparison.differences).isEmpty();
        assertThat(comparison.admissions).isGreaterThan(150);
    }

    @ParameterizedTest(name = "{0}, 1.38")
    @ValueSource(
            strings = {
                "basic",
                "churn",
                "cxl",
                "devmulti",
                "edge",
                "extra",
                "groups",
                "health",
                "huge34",
                "initscope",
                "many20",
                "max12",
                "mixedqos",
                "mmhuge",
                "oddsock",
                "offline",
                "open",
                "optcombo",
                "options",
                "podlevel",
                "podrestart",
                "readmit",
                "reconf",
                "rsvzone",
                "sidemix",
                "spread",
                "wide",
                "wildcpu",
                "wilddev",
                "wildmany",
                "wildmem",
                "wildodd",
                "wildpod",
                "wildrestart",
                "wildsock",
                "wildturn",
                "zerocpu"
            })
    void rulesDecideAsTheBetaOf138Did(String file) {
        String data = System.getenv("NUMALEDGER_DATA");
        assumeTrue(data != null, "recorded admissions are compared only where NUMALEDGER_DATA names their directory");
        Path recorded = Path.of(data, "kubelet-1.38", file + ".jsonl.gz");
        assumeTrue(Files.exists(recorded), "NUMALEDGER_DATA has no kubelet-1.38");
        Comparison comparison = new Comparison();

        new ScenarioFile(recorded).forEach(new Replay(comparison)::run);

        assertThat(comparison.differences).isEmpty();
        assertThat(comparison.admissions).isGreaterThan(100);
    }

    private static final class Comparison implements Replay.Observer {

        private final List<String> differences = new ArrayList<>();
        private Optional<NodeState> before = Optional.empty();
        private int admissions;

        @Override
        public void started(Scenario scenario, KubeletModel model) {
            before = Optional.of(model.empty());
        }

        @Override
        public void stepped(
                Scenario scenario, KubeletModel model, JsonNode step, Optional<Admission> answer, NodeState state) {
            KubeletModel rules = model.withListedMasks(false);
            if (answer.isPresent() && rules.unsupported().isEmpty()) {
                admissions++;
                PodRequest pod = RecordedPod.read(RecordedJson.required(step, "pod"));
                boolean runs = step.path("op").asText().equals("readmit");
                Decision decision =
                        runs ? rules.readmit(before.orElseThrow(), pod) : rules.admit(before.orElseThrow(), pod);
                AnswerComparison.differences(step, decision.admission(), scenario.nondeterministic())
                        .forEach(found ->
                                differences.add("scenario=%s pod=%s: %s".formatted(scenario.id(), pod.name(), found)));
            }
            before = Optional.of(state);
        }
    }
}

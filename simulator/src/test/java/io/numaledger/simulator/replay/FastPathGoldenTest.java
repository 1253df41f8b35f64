package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiobjects.recording.RecordedJson;
import io.numaledger.apiobjects.recording.RecordedPod;
import io.numaledger.fastpath.CompiledPod;
import io.numaledger.fastpath.FastPathEvaluator;
import io.numaledger.fastpath.FastPathModel;
import io.numaledger.fastpath.NodeCounts;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.fastpath.Verdict;
import io.numaledger.fastpath.ZoneTable;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Wherever the fast path decides, real kubelets decided the same. Needs the recorded decisions in NUMALEDGER_DATA. */
class FastPathGoldenTest {

    private static Path golden;

    @BeforeAll
    static void findData() {
        String data = System.getenv("NUMALEDGER_DATA");
        assumeTrue(data != null, "recorded admissions are compared only where NUMALEDGER_DATA names their directory");
        golden = Path.of(data, "kubelet-golden");
        assumeTrue(Files.isDirectory(golden), "NUMALEDGER_DATA has no kubelet-golden: " + data);
    }

    @ParameterizedTest(name = "{0}: {1} admissions, the fast path decides {2}")
    @CsvSource(delimiter = '|', textBlock = """
            handmade         |   213 |  168
            basic            |  4798 | 3266
            options          |  3595 | 2169
            groups           |  3323 | 1870
            nondeterministic |   517 |  231
            versions         | 10021 | 5956
            irregular        |   290 |   46
            versions-1.37    |   662 |  418
            """)
    void decidesAsRealKubeletsDid(String file, int asked, int decided) {
        Comparison comparison = new Comparison();

        new ScenarioFile(golden.resolve(file + ".jsonl.gz")).forEach(new Replay(comparison)::run);

        assertThat(comparison.differences).isEmpty();
        assertThat(List.of(comparison.asked, comparison.decided)).containsExactly(asked, decided);
    }

    @ParameterizedTest(name = "{0}: {1} admissions, the fast path decides {2}")
    @CsvSource(delimiter = '|', textBlock = """
            basic       |  369 |  197
            churn       | 1749 | 1343
            cxl         |  651 |  277
            devmulti    |  302 |   39
            edge        |  518 |  229
            extra       |  370 |  217
            groups      |  314 |  154
            hand        |   36 |   27
            health      |  767 |  361
            huge34      |  782 |  355
            initscope   | 1652 |  141
            many20      |  234 |    1
            max12       |  206 |  157
            mixedqos    |  499 |  316
            mmhuge      | 1043 |  263
            oddsock     | 1135 |  568
            offline     |  718 |  355
            open        |  435 |  207
            optcombo    |  640 |  359
            options     |  323 |  138
            podlevel    |  652 |   86
            podrestart  |  958 |  102
            readmit     | 1201 |  433
            reconf      |  612 |  304
            reduced     |   24 |    5
            rsvzone     |  635 |  423
            sidemix     |  358 |    5
            spread      |  289 |  162
            wide        |  624 |  489
            wildcpu     |  322 |  125
            wilddev     |  314 |   97
            wildmany    |  344 |  160
            wildmem     |  323 |  130
            wildodd     |  307 |   96
            wildpod     |  326 |   75
            wildrestart |  296 |  128
            wildsock    |  322 |   55
            wildturn    |  332 |  158
            zerocpu     |  955 |  537
            """)
    void decidesAsTheBetaOf138Did(String file, int asked, int decided) {
        Path data = golden.resolveSibling("kubelet-1.38");
        assumeTrue(Files.isDirectory(data), "NUMALEDGER_DATA has no kubelet-1.38");
        Comparison comparison = new Comparison();

        new ScenarioFile(data.resolve(file + ".jsonl.gz")).forEach(new Replay(comparison)::run);

        assertThat(comparison.differences).isEmpty();
        assertThat(List.of(comparison.asked, comparison.decided)).containsExactly(asked, decided);
    }

    /** Asks the fast path before every recorded admission. */
    private static final class Comparison implements Replay.Observer {

        private final FastPathEvaluator evaluator = new FastPathEvaluator();
        private final List<String> differences = new ArrayList<>();
        private Optional<FastPathModel> fastPath = Optional.empty();
        private ResourceIndex index = new ResourceIndex();
        private ZoneTable table;
        private KubeletModel kubelet;
        private NodeState before;
        private int asked;
        private int decided;

        @Override
        public void started(Scenario scenario, KubeletModel model) {
            use(model);
            before = model.empty();
        }

        private void use(KubeletModel model) {
            kubelet = model;
            if (model.unsupported().isEmpty()) {
                index = new ResourceIndex();
                table = ZoneTable.of(model);
                fastPath = FastPathModel.of(model, table, index);
            } else {
                fastPath = Optional.empty();
            }
        }

        @Override
        public void stepped(
                Scenario scenario, KubeletModel model, JsonNode step, Optional<Admission> answer, NodeState state) {
            if (kubelet != model) {
                use(model);
            }
            boolean isNew = step.path("op").asText().equals("admit");
            if (isNew
                    && answer.filter(admission -> !(admission instanceof Admission.KubeletFailure))
                            .isPresent()) {
                asked++;
                before = model.removeStaleState(before);
                compare(scenario, RecordedJson.required(step, "pod"), answer.get(), state);
            }
            before = state;
        }

        private void compare(Scenario scenario, JsonNode pod, Admission answer, NodeState after) {
            Optional<NodeCounts> counts = fastPath.flatMap(any -> any.counts(before, table.free(before)));
            CompiledPod compiled = CompiledPod.of(RecordedPod.read(pod), index);
            if (counts.isEmpty()) {
                return;
            }
            Verdict verdict = fastPath.orElseThrow().evaluate(evaluator, counts.get(), compiled);
            if (verdict == Verdict.UNDECIDED) {
                return;
            }
            decided++;
            boolean places = fastPath.get().placesExactly(evaluator, compiled);
            String predicted = verdict == Verdict.ADMITTED
                    ? "fits " + (places ? placement(counts.get(), compiled) : "somewhere")
                    : verdict.reason().orElseThrow().toString();
            String recorded = answer.isAdmitted()
                    ? "fits " + (places ? taken(after) : "somewhere")
                    : answer.refused().orElseThrow().reason().toString();
            if (!predicted.equals(recorded)) {
                differences.add("scenario=%s pod=%s fast path: %s, kubelet: %s"
                        .formatted(scenario.id(), RecordedJson.text(pod, "name"), predicted, recorded));
            }
        }

        private String placement(NodeCounts counts, CompiledPod compiled) {
            long[] taken = new long[table.resources().size() * table.zones()];
            evaluator.place(counts, compiled, taken);
            return Arrays.toString(taken);
        }

        private String taken(NodeState after) {
            long[] free = table.free(before);
            long[] left = table.free(after);
            Arrays.setAll(free, i -> free[i] - left[i]);
            return Arrays.toString(free);
        }
    }
}

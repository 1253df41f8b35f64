package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.counts.CountsEvaluator;
import io.numaledger.counts.CountsForm;
import io.numaledger.counts.NodeCounts;
import io.numaledger.counts.PodAsk;
import io.numaledger.counts.ResourceIndex;
import io.numaledger.counts.ZoneTable;
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

/**
 * Wherever counts are said to suffice, real kubelets did what counts say. Needs the recorded data: NUMALEDGER_DATA names their
 * directory.
 */
class CountsGoldenTest {

    private static Path golden;

    @BeforeAll
    static void findData() {
        String data = System.getenv("NUMALEDGER_DATA");
        assumeTrue(data != null, "recorded admissions are compared only where NUMALEDGER_DATA names their directory");
        golden = Path.of(data, "kubelet-golden");
        assumeTrue(Files.isDirectory(golden), "NUMALEDGER_DATA has no kubelet-golden: " + data);
    }

    @ParameterizedTest(name = "{0}: {1} admissions, counts suffice for {2}")
    @CsvSource(delimiter = '|', textBlock = """
            handmade         |   213 |  165
            basic            |  4798 | 2997
            options          |  3595 | 2032
            groups           |  3323 | 1775
            nondeterministic |   517 |  225
            versions         | 10021 | 5488
            """)
    void kubeletsDidWhatCountsSay(String file, int asked, int proven) {
        Comparison comparison = new Comparison();

        new ScenarioFile(golden.resolve(file + ".jsonl.gz")).forEach(new Replay(comparison)::run);

        assertThat(comparison.differences).isEmpty();
        assertThat(List.of(comparison.asked, comparison.proven)).containsExactly(asked, proven);
    }

    /** Asks the counts before every recorded admission. */
    private static final class Comparison implements Replay.Observer {

        private final CountsEvaluator evaluator = new CountsEvaluator();
        private final List<String> differences = new ArrayList<>();
        private Optional<CountsForm> form = Optional.empty();
        private ResourceIndex index = new ResourceIndex();
        private ZoneTable table;
        private NodeState before;
        private int asked;
        private int proven;

        @Override
        public void started(Scenario scenario, KubeletModel model) {
            if (model.beyond().isEmpty()) {
                index = new ResourceIndex();
                table = ZoneTable.of(model);
                form = CountsForm.of(model, table, index);
                before = model.empty();
            } else {
                form = Optional.empty();
            }
        }

        @Override
        public void stepped(
                Scenario scenario, KubeletModel model, JsonNode step, Optional<Admission> answer, NodeState state) {
            if (answer.isPresent()) {
                asked++;
                compare(scenario, Json.required(step, "pod"), answer.get(), state);
            }
            before = state;
        }

        private void compare(Scenario scenario, JsonNode pod, Admission answer, NodeState after) {
            Optional<NodeCounts> counts = form.flatMap(any -> any.counts(before, table.free(before)));
            PodAsk ask = PodAsk.of(PodReader.read(pod), index);
            if (counts.isEmpty()) {
                return;
            }
            long verdict = form.orElseThrow().verdict(evaluator, counts.get(), ask);
            if (!form.get().suffices(evaluator, counts.get(), ask, verdict)) {
                return;
            }
            proven++;
            boolean places = form.get().placesExactly(ask, verdict);
            String said = verdict >= 0
                    ? "fits " + (places ? placement(counts.get(), ask, verdict) : "somewhere")
                    : CountsForm.reason(verdict).toString();
            String did = answer.isAdmitted()
                    ? "fits " + (places ? taken(after) : "somewhere")
                    : answer.refused().orElseThrow().reason().toString();
            if (!said.equals(did)) {
                differences.add("scenario=%s pod=%s counts say %s, the kubelet did %s"
                        .formatted(scenario.id(), Json.text(pod, "name"), said, did));
            }
        }

        private String placement(NodeCounts counts, PodAsk ask, long verdict) {
            long[] taken = new long[counts.placementLength()];
            evaluator.place(counts, ask, verdict, taken);
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

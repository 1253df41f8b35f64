package io.numaledger.simulator.replay;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Every recorded decision of real kubelets, file by file. Needs the recorded data: NUMALEDGER_DATA names their directory. */
class KubeletGoldenTest {

    private static Path golden;

    @BeforeAll
    static void findData() {
        String data = System.getenv("NUMALEDGER_DATA");
        assumeTrue(data != null, "recorded admissions are compared only where NUMALEDGER_DATA names their directory");
        golden = Path.of(data, "kubelet-golden");
        assumeTrue(Files.isDirectory(golden), "NUMALEDGER_DATA has no kubelet-golden: " + data);
    }

    @ParameterizedTest(name = "{0}: {1} scenarios, {2} admissions")
    @CsvSource(delimiter = '|', textBlock = """
            handmade         |   88 |   220 | states=305 hints=208 offers=206 refusals=7
            basic            |  600 |  4798 | states=6334 hints=5738 offers=0 refusals=0
            options          |  460 |  3602 | states=4736 hints=4199 offers=0 refusals=7
            groups           |  300 |  3323 | states=4406 hints=3646 offers=0 refusals=0
            nondeterministic |   56 |   517 | states=694 hints=464 offers=0 refusals=0
            versions         | 1287 | 10105 | states=13170 hints=11769 offers=259 refusals=84
            irregular        |   70 |   303 | states=416 hints=322 offers=0 refusals=10
            versions-1.37    |  104 |   665 | states=894 hints=678 offers=45 refusals=3
            held-changes     |   14 |    40 | states=70 hints=40 offers=0 refusals=0
            """)
    void answersAsTheKubeletsDid(String file, long scenarios, long admissions, String compared) {
        StateComparison states = new StateComparison();
        Replay replay = new Replay(states);

        new ScenarioFile(golden.resolve(file + ".jsonl.gz")).forEach(replay::run);

        assertThat(replay.differences()).isEmpty();
        assertThat(states.differences()).isEmpty();
        assertThat(replay.scenarios()).isEqualTo(scenarios);
        assertThat(replay.admissions()).isEqualTo(admissions);
        assertThat(states.counts()).isEqualTo(compared);
    }
}

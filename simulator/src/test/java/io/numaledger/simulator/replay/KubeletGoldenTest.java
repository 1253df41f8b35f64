package io.numaledger.simulator.replay;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

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

    /** What the kubelet leaves open, recorded as it came: messages about one of several resources, and memory groups in the order of a Go map. */
    private static final Set<String> OPEN = Set.of(
            "readmit-20261161-00074",
            "wilddev-20261161-00037",
            "wildodd-20261161-00059",
            "wildpod-20261161-00046",
            "zerocpu-20261161-00023");

    @ParameterizedTest(name = "{0}: {1} scenarios, {2} admissions")
    @CsvSource(delimiter = '|', textBlock = """
            basic            |   57 |   374 | x
            churn            |   12 |  1749 | x
            cxl              |   96 |   651 | x
            devmulti         |   74 |   302 | x
            edge             |   90 |   518 | x
            extra            |   54 |   376 | x
            groups           |   59 |   324 | x
            hand-as-1.37     |   22 |    49 | x
            hand             |   23 |    50 | x
            health           |  100 |   767 | x
            huge34           |   98 |   782 | x
            initscope        |  158 |  1652 | x
            many20           |   57 |   234 | x
            max12            |   40 |   206 | x
            mixedqos         |   87 |   499 | x
            mmhuge           |  160 |  1231 | x
            oddsock          |  160 |  1135 | x
            offline          |   97 |   718 | x
            open             |   60 |   441 | x
            optcombo         |   98 |   640 | x
            options          |   58 |   336 | x
            podlevel         |   99 |   652 | x
            podrestart       |  160 |  1570 | x
            readmit          |  157 |  1595 | x
            reconf           |   91 |   612 | x
            reduced-as-1.37  |   14 |    33 | x
            reduced          |   14 |    33 | x
            rsvzone          |   99 |   635 | x
            sidemix          |   73 |   358 | x
            spread           |   55 |   302 | x
            wide             |   99 |   624 | x
            wildcpu          |   54 |   328 | x
            wilddev          |   53 |   318 | x
            wildmany         |   57 |   354 | x
            wildmem          |   56 |   333 | x
            wildodd          |   54 |   321 | x
            wildpod          |   57 |   330 | x
            wildrestart      |   55 |   299 | x
            wildsock         |   53 |   332 | x
            wildturn         |   58 |   335 | x
            zerocpu          |  151 |   956 | x
            """)
    void answersAsTheBetaOf138Did(String file, long scenarios, long admissions, String compared) {
        StateComparison states = new StateComparison();
        Replay replay = new Replay(states);

        new ScenarioFile(golden.resolveSibling("kubelet-1.38").resolve(file + ".jsonl.gz")).forEach(replay::run);

        assertThat(replay.differences()).allMatch(difference -> OPEN.stream().anyMatch(difference::contains));
        assertThat(states.differences()).isEmpty();
        assertThat(replay.scenarios()).isEqualTo(scenarios);
        assertThat(replay.admissions()).isEqualTo(admissions);
        assertThat(states.counts()).isEqualTo(compared);
    }
}

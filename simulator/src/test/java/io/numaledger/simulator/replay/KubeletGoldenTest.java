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
        compare(golden, file, Set.of(), scenarios, admissions, compared);
    }

    private static void compare(
            Path directory, String file, Set<String> open, long scenarios, long admissions, String compared) {
        StateComparison states = new StateComparison();
        Replay replay = new Replay(states);

        new ScenarioFile(directory.resolve(file + ".jsonl.gz")).forEach(replay::run);

        assertThat(replay.differences()).allMatch(difference -> open.stream().anyMatch(difference::contains));
        assertThat(states.differences()).isEmpty();
        assertThat(replay.scenarios()).isEqualTo(scenarios);
        assertThat(replay.admissions()).isEqualTo(admissions);
        assertThat(states.counts()).isEqualTo(compared);
    }

    /** What the kubelet leaves open and the record does not: a message about one of several resources, memory in the order of a Go map. */
    private static final Set<String> OPEN = Set.of(
            "readmit-20261161-00074",
            "wilddev-20261161-00037",
            "wildodd-20261161-00059",
            "wildpod-20261161-00046",
            "zerocpu-20261161-00023");

    @ParameterizedTest(name = "{0}: {1} scenarios, {2} admissions")
    @CsvSource(delimiter = '|', textBlock = """
            basic           |  57 |  374 | states=469 hints=473 offers=0 refusals=5
            churn           |  12 | 1749 | states=2295 hints=1814 offers=0 refusals=0
            cxl             |  96 |  651 | states=769 hints=685 offers=0 refusals=0
            devmulti        |  74 |  302 | states=402 hints=350 offers=0 refusals=0
            edge            |  90 |  518 | states=713 hints=549 offers=0 refusals=0
            extra           |  54 |  376 | states=465 hints=456 offers=0 refusals=6
            groups          |  59 |  324 | states=401 hints=353 offers=0 refusals=10
            hand-as-1.37    |  22 |   49 | states=88 hints=29 offers=0 refusals=0
            hand            |  23 |   50 | states=84 hints=29 offers=0 refusals=3
            health          | 100 |  767 | states=1379 hints=909 offers=0 refusals=0
            huge34          |  98 |  782 | states=964 hints=813 offers=0 refusals=0
            initscope       | 158 | 1652 | states=1930 hints=1596 offers=0 refusals=0
            many20          |  57 |  234 | states=316 hints=1744 offers=0 refusals=0
            max12           |  40 |  206 | states=269 hints=218 offers=0 refusals=0
            mixedqos        |  87 |  499 | states=679 hints=1026 offers=0 refusals=0
            mmhuge          | 160 | 1231 | states=1814 hints=1115 offers=0 refusals=0
            oddsock         | 160 | 1135 | states=1507 hints=1081 offers=0 refusals=0
            offline         |  97 |  718 | states=938 hints=799 offers=0 refusals=0
            open            |  60 |  441 | states=536 hints=483 offers=0 refusals=6
            optcombo        |  98 |  640 | states=868 hints=612 offers=0 refusals=0
            options         |  58 |  336 | states=401 hints=370 offers=0 refusals=13
            podlevel        |  99 |  652 | states=879 hints=1372 offers=0 refusals=0
            podrestart      | 160 | 1570 | states=2350 hints=2999 offers=0 refusals=0
            readmit         | 157 | 1595 | states=2381 hints=2039 offers=0 refusals=0
            reconf          |  91 |  612 | states=986 hints=575 offers=0 refusals=0
            reduced-as-1.37 |  14 |   33 | states=52 hints=26 offers=0 refusals=0
            reduced         |  14 |   33 | states=53 hints=26 offers=0 refusals=0
            rsvzone         |  99 |  635 | states=831 hints=760 offers=0 refusals=0
            sidemix         |  73 |  358 | states=441 hints=773 offers=0 refusals=0
            spread          |  55 |  302 | states=377 hints=322 offers=0 refusals=13
            wide            |  99 |  624 | states=819 hints=617 offers=0 refusals=0
            wildcpu         |  54 |  328 | states=409 hints=358 offers=0 refusals=6
            wilddev         |  53 |  318 | states=391 hints=404 offers=0 refusals=3
            wildmany        |  57 |  354 | states=433 hints=478 offers=0 refusals=10
            wildmem         |  56 |  333 | states=389 hints=409 offers=0 refusals=10
            wildodd         |  54 |  321 | states=403 hints=409 offers=0 refusals=5
            wildpod         |  57 |  330 | states=425 hints=446 offers=0 refusals=3
            wildrestart     |  55 |  299 | states=462 hints=383 offers=0 refusals=3
            wildsock        |  53 |  332 | states=400 hints=312 offers=0 refusals=10
            wildturn        |  58 |  335 | states=436 hints=404 offers=0 refusals=3
            zerocpu         | 151 |  956 | states=1190 hints=1019 offers=0 refusals=0
            """)
    void answersAsTheBetaOf138Did(String file, long scenarios, long admissions, String compared) {
        Path beta = golden.resolveSibling("kubelet-1.38");
        assumeTrue(Files.isDirectory(beta), "NUMALEDGER_DATA has no kubelet-1.38");
        compare(beta, file, OPEN, scenarios, admissions, compared);
    }
}

package io.numaledger.simulator.replay;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.URISyntaxException;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** The recorded decisions that every clone has; {@code CAPTURE.md} beside them says how they came about. */
class KubeletRecordingsTest {

    @ParameterizedTest(name = "{0}: {1} scenarios, {2} admissions")
    @CsvSource(delimiter = '|', textBlock = """
            found.jsonl     |  9 |  10 | states=7 hints=4 offers=0 refusals=6
            shapes.jsonl.gz | 40 | 257 | states=331 hints=338 offers=0 refusals=0
            handmade.jsonl.gz | 88 | 220 | states=305 hints=208 offers=206 refusals=7
            basic.jsonl.gz | 200 | 1602 | states=2119 hints=1966 offers=0 refusals=0
            options.jsonl.gz | 154 | 1234 | states=1612 hints=1372 offers=0 refusals=4
            groups.jsonl.gz | 75 | 774 | states=1032 hints=758 offers=0 refusals=0
            nondeterministic.jsonl.gz | 28 | 274 | states=373 hints=218 offers=0 refusals=0
            versions.jsonl.gz | 325 | 2479 | states=3240 hints=2943 offers=66 refusals=18
            irregular.jsonl.gz | 70 | 303 | states=416 hints=322 offers=0 refusals=10
            versions-1.37.jsonl.gz | 23 | 76 | states=105 hints=43 offers=22 refusals=0
            versions-1.38.jsonl.gz | 76 | 183 | states=301 hints=135 offers=0 refusals=3
            held-changes.jsonl.gz | 14 | 40 | states=70 hints=40 offers=0 refusals=0
            """)
    void answersAsTheKubeletDid(String file, long scenarios, long admissions, String compared)
            throws URISyntaxException {
        StateComparison states = new StateComparison();
        Replay replay = new Replay(states);
        Path recordings = Path.of(
                KubeletRecordingsTest.class.getResource("/kubelet-recordings").toURI());

        new ScenarioFile(recordings.resolve(file)).forEach(replay::run);

        assertThat(replay.differences()).isEmpty();
        assertThat(states.differences()).isEmpty();
        assertThat("%d scenarios, %d admissions, %s"
                        .formatted(replay.scenarios(), replay.admissions(), states.counts()))
                .isEqualTo("%d scenarios, %d admissions, %s".formatted(scenarios, admissions, compared));
    }
}

package io.numaledger.simulator.replay;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.URISyntaxException;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** Our own recordings of the kubelet's source, which every clone has; {@code CAPTURE.md} beside them says how they came about. */
class KubeletRecordingsTest {

    @ParameterizedTest(name = "{0}: {1} scenarios, {2} admissions")
    @CsvSource(delimiter = '|', textBlock = """
            found.jsonl     |  9 |  10 | states=7 hints=4 offers=0 refusals=6
            shapes.jsonl.gz | 40 | 257 | states=331 hints=338 offers=0 refusals=0
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
        assertThat(replay.scenarios()).isEqualTo(scenarios);
        assertThat(replay.admissions()).isEqualTo(admissions);
        assertThat(states.counts()).isEqualTo(compared);
    }
}

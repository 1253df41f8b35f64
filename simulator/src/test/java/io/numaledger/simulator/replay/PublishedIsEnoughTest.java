package io.numaledger.simulator.replay;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The bridge knows what the kubelet will say from what the agent publishes. Needs the recorded data: NUMALEDGER_DATA names their
 * directory.
 */
class PublishedIsEnoughTest {

    private static final List<String> FILES = List.of("handmade", "basic", "options", "groups");
    private static Path golden;

    @BeforeAll
    static void findData() {
        String data = System.getenv("NUMALEDGER_DATA");
        assumeTrue(data != null, "recorded admissions are compared only where NUMALEDGER_DATA names their directory");
        golden = Path.of(data, "kubelet-golden");
        assumeTrue(Files.isDirectory(golden), "NUMALEDGER_DATA has no kubelet-golden: " + data);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"handmade", "basic", "options", "groups", "versions"})
    void missesOnlyWhatNobodyPublishes(String file) {
        BridgePrediction bridge = new BridgePrediction(false);
        new ScenarioFile(golden.resolve(file + ".jsonl.gz")).forEach(new Replay(bridge)::run);
        System.out.printf(
                "measured: published file=%s asked=%s missed=%s under=%s%n",
                file, bridge.asked(), bridge.missed(), bridge.missedUnder());
        assertThat(bridge.unexplained()).isEmpty();
    }

    @Test
    void comesCloseWithAForeignExportersTopologyAndKaisRecords() {
        BridgePrediction bridge = new BridgePrediction(true);
        for (String file : FILES) {
            new ScenarioFile(golden.resolve(file + ".jsonl.gz")).forEach(new Replay(bridge)::run);
        }
        System.out.printf(
                "measured: foreign asked=%s missed=%s under=%s%n",
                bridge.asked(), bridge.missed(), bridge.missedUnder());
        assertThat(bridge.unexplained()).isEmpty();
        assertThat(permilleRight(bridge, "single-numa-node")).isGreaterThan(982);
        assertThat(permilleRight(bridge, "restricted")).isGreaterThan(975);
    }

    /** Of 1000 admissions under a policy, how many had the right verdict. */
    private static long permilleRight(BridgePrediction bridge, String policy) {
        long wrong = bridge.wrongDecisions().stream()
                .filter(miss -> miss.startsWith(policy))
                .count();
        return 1000 - wrong * 1000 / bridge.asked().get(policy);
    }
}

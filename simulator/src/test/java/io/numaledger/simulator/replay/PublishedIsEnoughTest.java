package io.numaledger.simulator.replay;

import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.simulator.replay.BridgePrediction.Publisher;
import io.numaledger.simulator.replay.ChangingNode.Change;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    private static final int SEEDS = 60;
    private static Path golden;

    @BeforeAll
    static void findData() {
        String data = System.getenv("NUMALEDGER_DATA");
        assumeTrue(data != null, "recorded admissions are compared only where NUMALEDGER_DATA names their directory");
        golden = Path.of(data, "kubelet-golden");
        assumeTrue(Files.isDirectory(golden), "NUMALEDGER_DATA has no kubelet-golden: " + data);
    }

    /** Wrong predictions by the assumptions that the bridge names; none where it names none. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            handmade | {}
            basic    | {init-containers+held-cpus=5, init-containers+held-devices=3, init-containers+memory-history+held-cpus=3, init-containers+memory-history+history-of-memory-groups=2, unhealthy-devices=2, unhealthy-devices+init-containers=1}
            options  | {init-containers+held-cpus=13}
            groups   | {memory-history+history-of-memory-groups=3}
            versions-1.37 | {}
            versions | {init-containers+held-cpus=10, init-containers+memory-history+held-cpus=12, init-containers+memory-history+history-of-memory-groups=52, memory-history+history-of-memory-groups=44, unhealthy-devices+init-containers+memory-history+history-of-memory-groups=2, unhealthy-devices+memory-history+history-of-memory-groups=2}
            """)
    void missesOnlyWhereItNamesAnAssumption(String file, String missed) {
        BridgePrediction bridge = new BridgePrediction(Publisher.AGENT);
        new ScenarioFile(golden.resolve(file + ".jsonl.gz")).forEach(new Replay(bridge)::run);

        assertThat(bridge.unexplained()).isEmpty();
        assertThat(bridge.missedUnder()).hasToString(missed);
    }

    /** The bridge has written what init containers had when it bound the pods. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            handmade | {}
            basic    | {init-containers+memory-history+history-of-memory-groups=2, unhealthy-devices=2, unhealthy-devices+init-containers=1}
            options  | {}
            groups   | {memory-history+history-of-memory-groups=3}
            versions-1.37 | {}
            versions | {init-containers+memory-history+history-of-memory-groups=52, memory-history+history-of-memory-groups=44, unhealthy-devices+init-containers+memory-history+history-of-memory-groups=2, unhealthy-devices+memory-history+history-of-memory-groups=2}
            """)
    void knowsWhatInitContainersOfPodsThatItHasBoundKeep(String file, String missed) {
        BridgePrediction bridge = new BridgePrediction(Publisher.AGENT_AND_BRIDGE);
        new ScenarioFile(golden.resolve(file + ".jsonl.gz")).forEach(new Replay(bridge)::run);

        assertThat(bridge.unexplained()).isEmpty();
        assertThat(bridge.missedUnder()).hasToString(missed);
    }

    @Test
    void theReducedCasesAreKnownOrNamed() {
        BridgePrediction bridge = new BridgePrediction(Publisher.AGENT);
        new ScenarioFile(golden.resolve("irregular.jsonl.gz")).forEach(scenario -> {
            if (scenario.id().startsWith("hand-bridge") || scenario.id().startsWith("hand-device")) {
                new Replay(bridge).run(scenario);
            }
        });

        assertThat(bridge.asked().values().stream().mapToInt(Integer::intValue).sum())
                .isGreaterThan(8);
        assertThat(bridge.unexplained()).isEmpty();
        assertThat(bridge.missedUnder()).hasToString("{}");
    }

    /** Compared predictions, those without any assumption, which are all right, and wrong ones by the assumptions that are named. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            AGENT                  | compared=40 exact=22 wrong=2 {cpus-given-twice+held-cpus=2}
            AGENT_WITH_STATE_FILES | compared=40 exact=26 wrong=2 {cpus-given-twice+held-cpus=2}
            """)
    void recordedChangesUnderRunningPodsAreKnownOrNamed(Publisher publisher, String counts) {
        BridgePrediction bridge = new BridgePrediction(publisher);
        new ScenarioFile(golden.resolve("held-changes.jsonl.gz")).forEach(new Replay(bridge)::run);

        assertThat(bridge.unexplained()).isEmpty();
        assertThat(bridge.counts()).isEqualTo(counts);
    }

    /** Drawn, not recorded: the model with full knowledge says what the kubelet would do. */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = """
            HEALTH      | AGENT                  | compared=576 exact=299 wrong=2 {init-containers+held-cpus=2}
            HEALTH      | AGENT_WITH_STATE_FILES | compared=576 exact=420 wrong=0 {}
            RESTART     | AGENT                  | compared=580 exact=265 wrong=9 {init-containers+held-cpus=2, init-containers+history-of-memory-groups=7}
            RESTART     | AGENT_WITH_STATE_FILES | compared=580 exact=580 wrong=0 {}
            LATE_PLUGIN | AGENT                  | compared=567 exact=370 wrong=2 {init-containers+held-devices=2}
            LATE_PLUGIN | AGENT_WITH_STATE_FILES | compared=567 exact=567 wrong=0 {}
            """)
    void drawnChangesUnderRunningPodsAreKnownOrNamed(Change change, Publisher publisher, String counts) {
        BridgePrediction bridge = new BridgePrediction(publisher);
        Replay replay = new Replay(bridge);
        for (long seed = 0; seed < SEEDS; seed++) {
            replay.run(ChangingNode.draw(change, seed));
        }

        assertThat(replay.differences()).isEmpty();
        assertThat(bridge.unexplained()).isEmpty();
        assertThat(bridge.counts()).isEqualTo(counts);
    }

    /**
     * Pods with resources of their own, whose kubelet restarts. Recorded of 1.38, and drawn for 1.37, which gives such a pod other CPUs then:
     * the model with full knowledge says what it would do.
     */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = """
            37 | AGENT                  | compared=812 exact=0 wrong=4 {held-by-count+unheld-cpus+held-cpus+history-of-memory-groups=1, held-by-count+unheld-cpus+history-of-memory-groups=1, init-containers+unheld-cpus+held-cpus+history-of-memory-groups=1, unheld-cpus+held-cpus+history-of-memory-groups=1}
            37 | AGENT_WITH_STATE_FILES | compared=812 exact=702 wrong=2 {held-by-count+held-cpus+history-of-memory-groups=1, held-by-count+history-of-memory-groups=1}
            38 | AGENT                  | compared=958 exact=0 wrong=4 {held-by-count+unheld-cpus+held-cpus+history-of-memory-groups=1, held-by-count+unheld-cpus+history-of-memory-groups=1, init-containers+unheld-cpus+held-cpus+history-of-memory-groups=1, unheld-cpus+held-cpus+history-of-memory-groups=1}
            38 | AGENT_WITH_STATE_FILES | compared=958 exact=754 wrong=2 {held-by-count+held-cpus+history-of-memory-groups=1, held-by-count+history-of-memory-groups=1}
            """)
    void cpusThatAKubeletLosesAreKnownOrNamed(int version, Publisher publisher, String counts) {
        BridgePrediction bridge = new BridgePrediction(publisher);
        new ScenarioFile(golden.resolveSibling("kubelet-1.38/podrestart.jsonl.gz"))
                .forEach(recorded -> new Replay(bridge).run(of(version, recorded)));

        assertThat(bridge.unexplained()).isEmpty();
        assertThat(bridge.counts()).isEqualTo(counts);
    }

    private static Scenario of(int version, Scenario recorded) {
        KubeletConfig config = recorded.config();
        return new Scenario(
                recorded.id(),
                recorded.machine(),
                new KubeletConfig(
                        new KubeletVersion(version),
                        config.topologyManager(),
                        config.cpuManager(),
                        config.memoryManager(),
                        config.featureGates()),
                recorded.startupError(),
                recorded.initialState(),
                recorded.steps(),
                recorded.nondeterministic());
    }

    @Test
    void comesCloseWithAForeignExportersTopologyAndKaisRecords() {
        BridgePrediction bridge = new BridgePrediction(Publisher.FOREIGN);
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

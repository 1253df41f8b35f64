package io.numaledger.scheduling.rehearsal;

import io.numaledger.evaluation.snapshot.Assumption.Kind;
import io.numaledger.kubelet.KubeletRestart.StateFile;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.rehearsal.ChangeRehearsal.By;
import io.numaledger.scheduling.rehearsal.ChangeRehearsal.Result;
import io.numaledger.scheduling.rehearsal.ChangeRehearsal.RoomChange;
import io.numaledger.scheduling.stranded.ReferencePods;
import io.numaledger.scheduling.stranded.RoomCounts.Room;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import static io.numaledger.scheduling.rehearsal.TestRehearsal.fates;
import static org.assertj.core.api.Assertions.assertThat;

class ChangeRehearsalTest {

    private final TestRehearsal test = new TestRehearsal();

    private static KubeletChange change(
            Optional<String> version,
            Optional<TopologyPolicyName> topology,
            Optional<CpuPolicy> cpus,
            String reserved) {
        return new KubeletChange(
                version.map(KubeletVersion::parse),
                topology,
                Optional.empty(),
                cpus,
                Optional.empty(),
                new TreeMap<>(),
                reserved.isEmpty() ? Optional.empty() : Optional.of(CpuSet.parse(reserved)),
                new TreeMap<>(),
                new TreeMap<>());
    }

    private static KubeletChange policy(TopologyPolicyName topology) {
        return change(Optional.empty(), Optional.of(topology), Optional.empty(), "");
    }

    private static KubeletChange option(String name) {
        return new KubeletChange(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                new TreeMap<>(Map.of(name, Optional.of("true"))),
                Optional.empty(),
                new TreeMap<>(),
                new TreeMap<>());
    }

    private Result rehearse(KubeletChange change, By by, String... nodes) {
        return ChangeRehearsal.of(
                test.read(), change, by, List.of(nodes), ReferencePods.of(List.of("half:cpu=4,memory=1Gi")));
    }

    private static ChangedNode only(Result result) {
        assertThat(result.nodes()).hasSize(1);
        return result.nodes().get(0);
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void aRestartThatChangesNothingEndsNothing(By by) {
        test.nodes("a", "b");
        test.running("x", "a", 4, "1-4");

        ChangedNode node = only(rehearse(KubeletChange.NONE, by, "a"));

        assertThat(node.objection()).isEmpty();
        assertThat(node.assumed()).isEmpty();
        assertThat(fates(node.pods())).containsExactly(by == By.DRAIN ? "x: moves to b" : "x: stays");
    }

    @Test
    void saysWhichFileKeepsTheKubeletFromStarting() {
        test.nodes("a");
        test.running("x", "a", 4, "1-4");

        ChangedNode node = only(
                rehearse(change(Optional.empty(), Optional.empty(), Optional.of(CpuPolicy.NONE), ""), By.RESTART, "a"));

        assertThat(node.starts()).isTrue();
        assertThat(node.objection())
                .contains("configured policy \"none\" differs from state checkpoint policy \"static\"");
        assertThat(node.delete()).containsExactly(StateFile.CPUS);
        assertThat(fates(node.pods())).containsExactly("x: stays");
    }

    @Test
    void podsOfAKubeletThatNeverStartsAreElsewhereOrNowhere() {
        test.nodes("a", "b");
        test.running("x", "a", 4, "1-4");
        test.running("y", "a", 4, "5-8");
        test.running("z", "b", 4, "1-4");

        ChangedNode node = only(rehearse(option("no-such-option"), By.RESTART, "a"));

        assertThat(node.starts()).isFalse();
        assertThat(node.objection())
                .isEqualTo("new static policy error: unknown CPU Manager Policy option: \"no-such-option\"");
        assertThat(fates(node.pods())).containsExactly("x: moves to b", "y: pending");
    }

    /** The gate of alpha options is not on. */
    @Test
    void anAlphaOptionNeedsItsGate() {
        test.nodes("a");

        assertThat(only(rehearse(option("align-by-socket"), By.RESTART, "a")).objection())
                .contains("CPU Manager Policy Alpha-level Options not enabled");
    }

    /** CPU 1 is held, so that the state file has to go; then all pods are admitted in their order to what is left. */
    @Test
    void podsLoseTheirPlacesToReservedCpus() {
        test.nodes("a", "b");
        test.running("x", "a", 4, "1-4");
        test.running("y", "a", 3, "5-7");

        ChangedNode node =
                only(rehearse(change(Optional.empty(), Optional.empty(), Optional.empty(), "0-1"), By.RESTART, "a"));

        assertThat(node.objection()).contains("not all reserved cpus: \"0-1\" are present");
        assertThat(node.delete()).containsExactly(StateFile.CPUS);
        assertThat(fates(node.pods())).containsExactly("x: stays", "y: stays");
        assertThat(node.after().orElseThrow().node().constraints().allocatable())
                .containsEntry("cpu", 7000L);
    }

    @Test
    void theNodeAsAWholeRefusesWhatIsReservedNow() {
        test.nodes("a", "b");
        test.running("x", "a", 4, "1-4");
        test.running("y", "a", 4, "5-8");

        ChangedNode node =
                only(rehearse(change(Optional.empty(), Optional.empty(), Optional.empty(), "0-1"), By.RESTART, "a"));

        assertThat(fates(node.pods())).containsExactly("x: stays", "y: moves to b");
        assertThat(node.pods())
                .filteredOn(pod -> pod.fate() == Fate.MOVES)
                .singleElement()
                .extracting(RehearsedPod::why)
                .isEqualTo("needs 4 cpu; other pods request all but 3 of 7");
    }

    /** The kubelet has forgotten what they hold, and may look at either first. */
    @Test
    void isUncertainAboutPodsOfTheSameSecond() {
        test.nodes("a", "b");
        test.running("x", "a", 4, "1-4");
        test.running("y", "a", 3, "5-7");
        test.origins.put("default/y", test.origins.get("default/x"));

        assertThat(fates(only(rehearse(
                                change(Optional.empty(), Optional.empty(), Optional.empty(), "0-1"), By.RESTART, "a"))
                        .pods()))
                .containsExactly("x: uncertain", "y: uncertain");
        assertThat(fates(only(rehearse(KubeletChange.NONE, By.RESTART, "a")).pods()))
                .containsExactly("x: stays", "y: stays");
    }

    @Test
    void podsWithDevicesMayMissTheirPluginAfterAReboot() {
        test.nodes("a");
        test.running("x", "a", 1, "1");
        test.cluster.apply(
                ClusterYaml.pod("gpu", "cpu: \"1\", memory: 1Gi, nvidia.com/gpu: \"1\"", "", "", ", phase: Running")
                        .replace("spec:\n", "spec:\n  nodeName: a\n"));

        assertThat(fates(only(rehearse(KubeletChange.NONE, By.REBOOT, "a")).pods()))
                .containsExactly("gpu: uncertain", "x: stays");
    }

    @Test
    void countsRoomAndPendingPodsBeforeAndAfterwards() {
        test.nodes("a");
        test.running("x", "a", 1, "1");
        test.pending("wide", 6);

        Result result = rehearse(policy(TopologyPolicyName.BEST_EFFORT), By.RESTART, "a");

        assertThat(result.room())
                .containsExactlyEntriesOf(Map.of("half", new RoomChange(new Room(1, 1), new Room(1, 1))));
        assertThat(fates(result.fitting())).containsExactly("wide: moves to a");
        assertThat(result.unfitting()).isEmpty();

        test.nodes("a");
        assertThat(rehearse(policy(TopologyPolicyName.SINGLE_NUMA_NODE), By.RESTART, "a")
                        .fitting())
                .isEmpty();
    }

    @Test
    void saysWhatBecomesAnAssumption() {
        test.nodes("a");

        ChangedNode node =
                only(rehearse(change(Optional.of("1.99"), Optional.empty(), Optional.empty(), ""), By.RESTART, "a"));

        assertThat(node.assumed())
                .singleElement()
                .extracting(each -> each.kind())
                .isEqualTo(Kind.KUBELET_VERSION);
    }

    @Test
    void isUncertainAboutPodsOfANodeWithoutZones() {
        test.nodes("a");
        test.cluster.apply("---\nkind: Node\nmetadata: {name: bare}\n");
        test.running("x", "bare", 1, "1");

        ChangedNode node = only(rehearse(KubeletChange.NONE, By.RESTART, "bare"));

        assertThat(node.starts()).isFalse();
        assertThat(node.objection()).isEmpty();
        assertThat(node.pods())
                .singleElement()
                .satisfies(pod -> assertThat(pod.fate()).isEqualTo(Fate.UNCERTAIN))
                .extracting(RehearsedPod::why)
                .asString()
                .startsWith("nothing is known of its node's zones: no zones are published");
    }
}

package io.numaledger.evaluation.snapshot;

import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.placement.Placement;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** What is free when the terminating pods have ended. Nodes of two zones with 4 CPUs each. */
class ReleasesTest {

    private final TestCluster cluster = new TestCluster();
    private final List<String> holders = new ArrayList<>();
    private final int[] free = {4, 4};
    private final long[] releasing = new long[2];

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    private void add(int zone, int cpus, boolean record, boolean terminating) {
        String name = "p" + holders.size();
        int first = (zone == 0 ? 5 : 9) - free[zone];
        String pod = ClusterYaml.running(
                name, "n", "cpu: \"%d\", memory: 1Gi".formatted(cpus), first + "-" + (first + cpus - 1));
        pod = record ? pod : pod.replaceAll(", annotations: .*}'}", "");
        free[zone] -= cpus;
        holders.add("default/" + name);
        cluster.apply(terminating ? ClusterYaml.terminating(pod) : pod);
    }

    private void publish() {
        cluster.apply(ClusterYaml.nodeOfAgent("n", free[0], free[1], holders.toArray(String[]::new)));
    }

    private long gain(int zone) {
        NodeSnapshot node = cluster.snapshot("n");
        return cpus(node, node.afterReleases().orElseThrow(), zone)
                - cpus(node, node.now().orElseThrow(), zone);
    }

    private static long cpus(NodeSnapshot node, NodeState state, int zone) {
        KubeletModel kubelet = node.model().kubelet().orElseThrow();
        SortedMap<String, Long> amounts = ZoneAmounts.free(
                kubelet, state, kubelet.machine().topology().numaNode(zone).orElseThrow());
        return amounts.getOrDefault("cpu", 0L);
    }

    @Test
    void whatUnknownPodsHoldStaysWhenAnotherPodTerminates() {
        add(0, 2, false, false);
        add(1, 2, false, false);
        publish();
        cluster.apply(ClusterYaml.terminating(ClusterYaml.running("small", "n", "cpu: \"500m\", memory: 1Gi", "")
                .replace("Guaranteed", "Burstable")));

        assertThat(gain(0)).isZero();
        assertThat(gain(1)).isZero();
    }

    /** Of what pods without a record hold together, nothing is known to become free before all of them terminate. */
    @ParameterizedTest
    @MethodSource("seeds")
    void theGainIsWhatTerminatingHoldersHold(long seed) {
        Random random = new Random(seed);
        boolean unknownStays = false;
        long[] unknownReleasing = new long[2];
        for (int i = random.nextInt(6); i >= 0; i--) {
            int zone = random.nextInt(2);
            int cpus = Math.min(free[zone], 1 + random.nextInt(2));
            boolean record = random.nextBoolean();
            boolean terminating = random.nextBoolean();
            if (cpus > 0) {
                add(zone, cpus, record, terminating);
                (record ? releasing : unknownReleasing)[zone] += terminating ? cpus * 1000L : 0;
                unknownStays |= !record && !terminating;
            }
        }
        publish();

        NodeSnapshot node = cluster.snapshot("n");
        for (int zone = 0; zone < 2; zone++) {
            assertThat(cpus(node, node.now().orElseThrow(), zone)).isEqualTo(free[zone] * 1000L);
            assertThat(gain(zone))
                    .as("zone=%d pods=%s", zone, node.pods())
                    .isEqualTo(releasing[zone] + (unknownStays ? 0 : unknownReleasing[zone]))
                    .isEqualTo(held(node, zone));
        }
        assertThat(node.released(node.now().orElseThrow()))
                .isEqualTo(node.afterReleases().orElseThrow());
    }

    private static long held(NodeSnapshot node, int zone) {
        Placement.Builder sum = new Placement.Builder();
        node.pods().stream().filter(PodHolding::terminating).forEach(each -> sum.add(each.placement()));
        return sum.build().on(zone).get("cpu");
    }

    /** Every set of pods, each with what is known of it alone. */
    @ParameterizedTest
    @MethodSource("seeds")
    void theGainOfAnySetOfPodsIsWhatIsKnownOfThem(long seed) {
        Random random = new Random(seed);
        TreeMap<String, long[]> known = new TreeMap<>();
        for (int i = random.nextInt(6); i >= 0; i--) {
            int zone = random.nextInt(2);
            if (free[zone] > 0) {
                boolean record = random.nextBoolean();
                add(zone, 1, record, random.nextInt(4) == 0);
                long[] gain = new long[2];
                gain[zone] = record ? 1000 : 0;
                known.put(holders.get(holders.size() - 1), gain);
            }
        }
        publish();
        NodeSnapshot node = cluster.snapshot("n");
        List<String> ended =
                known.keySet().stream().filter(any -> random.nextBoolean()).toList();
        NodeState now = node.now().orElseThrow();

        for (int zone = 0; zone < 2; zone++) {
            int at = zone;
            assertThat(cpus(node, node.ended(now, ended), zone) - cpus(node, now, zone))
                    .isEqualTo(ended.stream()
                            .mapToLong(key -> known.getOrDefault(key, new long[2])[at])
                            .sum());
        }
    }
}

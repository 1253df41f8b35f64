package io.numaledger.benchmarks.claims;

import io.numaledger.benchmarks.claims.ClaimsOracle.Nodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

class ClaimsOracleTest {

    static LongStream seeds() {
        return LongStream.range(0, 100);
    }

    private static List<Integer> random(Random random, int size, int least, int most) {
        return IntStream.range(0, size)
                .mapToObj(i -> least + random.nextInt(most - least + 1))
                .toList();
    }

    private static Nodes nodes(Random random, int count) {
        return new Nodes(count, random(random, 2, 2, 9), random(random, 1 + random.nextInt(4), 0, 1));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void agreesWithTryingEveryZoneForEveryPod(long seed) {
        Random random = new Random(seed);
        List<Integer> pods = random(random, 1 + random.nextInt(6), 2, 6);
        Nodes nodes = nodes(random, 2);
        int[][] free = new int[4][2];
        for (int zone = 0; zone < 4; zone++) {
            free[zone][0] = nodes.cpus().get(zone % 2);
        }
        nodes.devices().forEach(zone -> {
            free[zone][1]++;
            free[zone + 2][1]++;
        });

        assertThat(new ClaimsOracle(pods, nodes).choosingDevices()).isEqualTo(mostInZones(pods, free));
    }

    private static int mostInZones(List<Integer> pods, int[][] free) {
        if (pods.isEmpty()) {
            return 0;
        }
        List<Integer> others = pods.subList(1, pods.size());
        int most = mostInZones(others, free);
        for (int[] zone : free) {
            if (zone[0] >= pods.get(0) && zone[1] > 0) {
                zone[0] -= pods.get(0);
                zone[1]--;
                most = Math.max(most, 1 + mostInZones(others, free));
                zone[0] += pods.get(0);
                zone[1]++;
            }
        }
        return most;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void isNoLowerThanTryingEveryOrderOnANode(long seed) {
        Random random = new Random(seed);
        List<Integer> pods = random(random, 1 + random.nextInt(6), 2, 6);
        Nodes node = nodes(random, 1);

        int bound = new ClaimsOracle(pods, node).choosingNodes();
        assertThat(bound).isGreaterThanOrEqualTo(mostInOrder(pods, node, new ArrayList<>(node.cpus()), 0));
        List<Integer> often = IntStream.range(0, node.devices().size())
                .boxed()
                .flatMap(any -> pods.stream().distinct())
                .toList();
        assertThat(new ClaimsOracle(often, node).choosingNodes())
                .isEqualTo(mostInOrder(often, node, new ArrayList<>(node.cpus()), 0));
    }

    private static int mostInOrder(List<Integer> pods, Nodes node, List<Integer> free, int taken) {
        int most = 0;
        for (int i = 0; taken < node.devices().size() && i < pods.size(); i++) {
            int cpus = pods.get(i);
            int zone = free.get(0) >= cpus ? 0 : free.get(1) >= cpus ? 1 : 2;
            if (zone == node.devices().get(taken)) {
                List<Integer> others = new ArrayList<>(pods);
                others.remove(i);
                free.set(zone, free.get(zone) - cpus);
                most = Math.max(most, 1 + mostInOrder(others, node, free, taken + 1));
                free.set(zone, free.get(zone) + cpus);
            }
        }
        return most;
    }

    @Test
    void allPodsOfTheBenchmarkFitAligned() {
        assertThat(ClaimsMix.of(20261126, 100, false).oracle().choosingDevices())
                .isEqualTo(100);
    }

    @Test
    void theOrderOfDevicesDecidesHowManyCanRunByRefusingOthers() {
        assertThat(ClaimsMix.of(20261126, 100, false).oracle().choosingNodes()).isEqualTo(100);
        assertThat(ClaimsMix.of(20261126, 100, true).oracle().choosingNodes()).isEqualTo(4);
    }
}

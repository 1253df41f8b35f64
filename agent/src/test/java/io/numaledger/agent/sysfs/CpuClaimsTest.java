package io.numaledger.agent.sysfs;

import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

class CpuClaimsTest {

    @Test
    void givesAContestedCpuToTheNodeThatItLinksTo() {
        CpuClaims claims = new CpuClaims(new TreeMap<>(Map.of(0, CpuSet.range(0, 3), 8, CpuSet.range(2, 5))));

        assertThat(claims.contested()).hasToString("2-3");
        assertThat(claims.settled((cpu, node) -> cpu == 3 && node == 8))
                .containsExactly(Map.entry(0, CpuSet.range(0, 2)), Map.entry(8, CpuSet.range(3, 5)));
    }

    @Test
    void givesAContestedCpuToTheLowestNodeWhenLinksDoNotDecide() {
        CpuClaims claims = new CpuClaims(new TreeMap<>(Map.of(1, CpuSet.of(0), 2, CpuSet.of(0), 3, CpuSet.of(5))));

        assertThat(claims.settled((cpu, node) -> false).get(1)).hasToString("0");
        assertThat(claims.settled((cpu, node) -> true).get(1)).hasToString("0");
        assertThat(claims.claimants(claims.contested())).containsExactly(1, 2);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void countsEachClaimedCpuOnceAtANodeThatClaimsIt(long seed) {
        Random random = new Random(seed);
        SortedMap<Integer, CpuSet> claims = new TreeMap<>();
        for (int node = 0; node < 4; node++) {
            claims.put(node, CpuSet.of(random.ints(random.nextInt(8), 0, 12).toArray()));
        }

        SortedMap<Integer, CpuSet> settled = new CpuClaims(claims).settled((cpu, node) -> (cpu + node + seed) % 3 == 0);

        for (int cpu = 0; cpu < 12; cpu++) {
            int id = cpu;
            long claimants =
                    claims.values().stream().filter(cpus -> cpus.contains(id)).count();
            assertThat(settled.entrySet().stream()
                            .filter(entry -> entry.getValue().contains(id)))
                    .hasSize(claimants == 0 ? 0 : 1)
                    .allMatch(entry -> claims.get(entry.getKey()).contains(id));
        }
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 50);
    }
}

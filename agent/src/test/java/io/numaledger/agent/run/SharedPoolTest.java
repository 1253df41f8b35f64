package io.numaledger.agent.run;

import io.numaledger.agent.exclude.Exclusions;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class SharedPoolTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            all CPUs are held                           | static | true  | 4-7 | true
            one is free                                 | static | true  | 4-6 | false
            shared containers may use the reserved ones | static | false | 4-7 | false
            nobody has CPUs of its own                  | none   | true  |     | false
            """)
    void isEmpty(String situation, String policy, String strict, String held, boolean empty) {
        KubeletSettings kubelet = new KubeletSettings(
                Optional.empty(),
                Optional.empty(),
                new TreeMap<>(),
                CpuPolicy.find(policy),
                new TreeMap<>(Map.of("strict-cpu-reservation", strict)),
                Optional.empty());
        AllocatableResources allocatable = new AllocatableResources(
                policy.equals("none") ? CpuSet.EMPTY : CpuSet.parse("1-7"), List.of(), List.of());
        PodResourcesSnapshot pods = new PodResourcesSnapshot(
                List.of(AgentOnServer.holder("a", "1-3", 0), AgentOnServer.holder("b", held == null ? "" : held, 0)));
        assertThat(SharedPool.isEmpty(KubeletAnswer.of(Optional.of(allocatable), pods, Exclusions.NONE), kubelet))
                .isEqualTo(empty);
    }
}

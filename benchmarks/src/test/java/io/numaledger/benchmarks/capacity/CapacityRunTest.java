package io.numaledger.benchmarks.capacity;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.benchmarks.capacity.CapacityRun.PodRule;
import io.numaledger.benchmarks.capacity.CapacityRun.Rules;
import io.numaledger.benchmarks.churn.ChurnMix;
import io.numaledger.benchmarks.churn.ChurnMix.Arrival;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/** One node with two zones of 8 CPUs, one of them reserved: the zones have room for 7 and 8 CPUs. */
class CapacityRunTest {

    private static final String NODE = """
            nodes:
            - name: n1
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 8, memory: 8Gi}, {id: 1, cores: 8, memory: 8Gi}]
            """;
    private static final NodeRule ANY = (node, change) -> 0;

    private static Arrival arrival(int cpus, long at, Optional<Long> runs) {
        Pod pod = SimplePod.named("pod-" + at)
                .neverRestarted()
                .with("main", "cpu=" + cpus, "memory=1Gi")
                .build();
        return new Arrival(pod, Duration.ofMillis(at), runs.map(Duration::ofMillis), true);
    }

    private static List<Long> waits(PodRule pods, Duration hold, Arrival... arrivals) {
        return waits(new Rules(pods, ANY, hold, Duration.ZERO, 0), arrivals);
    }

    private static List<Long> waits(Rules rules, Arrival... arrivals) {
        return new CapacityRun(List.of(new ChurnMix("test", NODE, List.of(arrivals))), rules).run();
    }

    @Test
    void aPodThatFitsNoZoneWaitsUntilAZoneIsFree() {
        List<Long> waits = waits(
                PodRule.OLDEST,
                Duration.ZERO,
                arrival(5, 0, Optional.of(1000L)),
                arrival(5, 10, Optional.empty()),
                arrival(5, 20, Optional.empty()));

        // It is free 300 ms after the pod has run for 1 s, which began 300 ms after it was bound.
        assertThat(waits).containsExactly(0L, 0L, 1580L);
    }

    @Test
    void theOrderDecidesWhichWaitingPodRuns() {
        Arrival[] arrivals = {
            arrival(8, 0, Optional.of(1000L)),
            arrival(7, 10, Optional.empty()),
            arrival(4, 20, Optional.empty()),
            arrival(8, 30, Optional.empty())
        };

        assertThat(waits(PodRule.OLDEST, Duration.ZERO, arrivals)).containsExactly(0L, 0L, 1580L);
        assertThat(waits(PodRule.LARGEST, Duration.ZERO, arrivals)).containsExactly(0L, 0L, 1570L);
    }

    @Test
    void aNodeIsHeldForAnOlderPodThatWouldNotFitBesideTheYounger() {
        Arrival[] arrivals = {
            arrival(8, 0, Optional.of(3000L)),
            arrival(7, 10, Optional.empty()),
            arrival(8, 20, Optional.empty()),
            arrival(2, 30, Optional.empty())
        };

        assertThat(waits(PodRule.SMALLEST, Duration.ZERO, arrivals)).containsExactly(0L, 0L, 3570L);
        assertThat(waits(PodRule.SMALLEST, Duration.ofSeconds(2), arrivals)).containsExactly(0L, 0L, 3580L);
    }

    @Test
    void aRefusedPodIsTriedAgainAfterItsBackoff() {
        Rules rules = new Rules(PodRule.OLDEST, ANY, Duration.ZERO, Duration.ofSeconds(2), 0);

        assertThat(waits(
                        rules,
                        arrival(8, 0, Optional.of(1000L)),
                        arrival(7, 10, Optional.empty()),
                        arrival(8, 20, Optional.empty())))
                .containsExactly(0L, 0L, 2000L);
    }

    @Test
    void aPodThatNoNodeOfTheSampleTakesRunsOnAnotherAtOnce() {
        String twoNodes = NODE + NODE.substring(NODE.indexOf("- ")).replace("n1", "n2");
        // Samples begin with n1 and n2 in turn; 3 and 4 CPUs are free in the zones of n1 at last.
        List<Arrival> arrivals = List.of(
                arrival(5, 0, Optional.empty()),
                arrival(1, 10, Optional.empty()),
                arrival(4, 20, Optional.empty()),
                arrival(1, 30, Optional.empty()),
                arrival(6, 40, Optional.empty()));
        Rules rules = new Rules(PodRule.OLDEST, ANY, Duration.ZERO, Duration.ZERO, 1);

        assertThat(new CapacityRun(List.of(new ChurnMix("test", twoNodes, arrivals)), rules).run())
                .containsExactly(0L, 0L, 0L, 0L, 0L);
    }
}

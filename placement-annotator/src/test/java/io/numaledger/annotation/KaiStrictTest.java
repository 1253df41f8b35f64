package io.numaledger.annotation;

import io.numaledger.placement.KaiPlacement;
import io.numaledger.placement.ReportedEntries;
import io.numaledger.placement.ReportedEntries.Entry;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** The cases of KAI's own tests (placement_test.go, exporter_test.go) and its rules, byte for byte. CPUs 0 to 2 are on node 0, CPU 3 is on node 1. */
class KaiStrictTest {

    private static final MachineTopology MACHINE = new MachineTopology(
            CpuSet.range(0, 3), List.of(node(0, CpuSet.range(0, 2)), node(1, CpuSet.of(3))), List.of());

    private static NumaNode node(int id, CpuSet cpus) {
        return new NumaNode(id, cpus, OptionalLong.empty(), new TreeMap<>(), new TreeMap<>());
    }

    private static String annotation(List<Long> cpus, List<Entry> devices, Entry... memory) {
        return ObservedPlacementText.write(
                KaiPlacement.of(MACHINE, new ReportedEntries(cpus, devices, List.of(memory))));
    }

    private static Entry entry(String resource, long amount, Long... nodes) {
        return new Entry(resource, amount, List.of(nodes));
    }

    @Test
    void fullPlacement() {
        assertThat(annotation(
                        List.of(0L, 1L, 2L, 3L),
                        List.of(entry("nvidia.com/gpu", 2, 0L)),
                        entry("memory", 1L << 30, 0L)))
                .isEqualTo(
                        "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"3\",\"memory\":\"1073741824\",\"nvidia.com/gpu\":\"2\"}},"
                                + "{\"zone\":\"node-1\",\"amount\":{\"cpu\":\"1\"}}]");
    }

    @Test
    void unresolvable() {
        ReportedEntries unresolvable = new ReportedEntries(
                List.of(99L),
                List.of(entry("nvidia.com/gpu", 1, 0L, 1L), entry("example.com/nic", 1)),
                List.of(entry("memory", 0, 0L), entry("memory", 5, 0L, 1L)));

        assertThat(KaiPlacement.of(MACHINE, unresolvable).isEmpty()).isTrue();
    }

    @Test
    void aDeviceThatIsReportedOnceForEachNodeCountsOnEach() {
        assertThat(annotation(List.of(), List.of(entry("x/nic", 1, 0L), entry("x/nic", 1, 1L))))
                .isEqualTo(
                        "[{\"zone\":\"node-0\",\"amount\":{\"x/nic\":\"1\"}},{\"zone\":\"node-1\",\"amount\":{\"x/nic\":\"1\"}}]");
    }

    @Test
    void repeatedCpusCountTwice() {
        assertThat(annotation(List.of(0L, 0L, 3L), List.of()))
                .isEqualTo(
                        "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"2\"}},{\"zone\":\"node-1\",\"amount\":{\"cpu\":\"1\"}}]");
    }

    @Test
    void aNodeThatNoMachineHasIsAZone() {
        assertThat(annotation(List.of(), List.of(entry("x/nic", 1, -1L), entry("x/nic", 1, 12L))))
                .isEqualTo(
                        "[{\"zone\":\"node--1\",\"amount\":{\"x/nic\":\"1\"}},{\"zone\":\"node-12\",\"amount\":{\"x/nic\":\"1\"}}]");
    }

    @Test
    void aDeviceNamedCpuIsAddedToTheCpus() {
        assertThat(annotation(List.of(0L), List.of(entry("cpu", 2, 0L))))
                .isEqualTo("[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"3\"}}]");
    }
}

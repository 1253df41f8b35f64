package io.numaledger.nrt.gpu;

import io.numaledger.gpu.Gpu;
import io.numaledger.gpu.GpuSet;
import io.numaledger.gpu.GpuState;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LinkKind;
import io.numaledger.gpu.LinkMatrix;
import io.numaledger.gpu.PciAddress;
import io.numaledger.gpu.PciNumaNodes;
import io.numaledger.gpu.PcieLevels;
import io.numaledger.nrt.gpu.GpuTopologyPublisher.Seen;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class GpuTopologyPublisherTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final GpuTopology PAIR = pair(12, true);
    private static final String PAIR_TEXT = GpuTopologyText.write(PAIR);
    private static final GpuTopologyPublisher.Extras ALL =
            new GpuTopologyPublisher.Extras(true, true, Duration.ofSeconds(30));

    private final InMemoryAnnotations node = new InMemoryAnnotations();

    /** The Node object of a test. */
    private static final class InMemoryAnnotations implements NodeAnnotations {

        private final SortedMap<String, String> stored = new TreeMap<>();
        private int patches;

        @Override
        public SortedMap<String, String> own() {
            return new TreeMap<>(stored);
        }

        @Override
        public void patch(SortedMap<String, Optional<String>> changes) {
            patches++;
            changes.forEach(
                    (key, value) -> value.ifPresentOrElse(text -> stored.put(key, text), () -> stored.remove(key)));
        }
    }

    private List<String> publish(GpuTopology topology, boolean complete) throws IOException {
        return new GpuTopologyPublisher(node, GpuTopologyPublisher.Extras.NONE)
                .publish(new Seen(topology, complete, List.of(), PciNumaNodes.NONE), NOW);
    }

    @Test
    void writesOnceAndThenOnlyChanges() throws IOException {
        assertThat(publish(PAIR, true)).containsExactly(GpuTopologyText.KEY);
        assertThat(publish(PAIR, true)).isEmpty();
        assertThat(node.patches).isEqualTo(1);
        assertThat(node.stored).isEqualTo(Map.of(GpuTopologyText.KEY, PAIR_TEXT));
        assertThat(publish(pair(6, true), true)).containsExactly(GpuTopologyText.KEY);
    }

    @Test
    void anIncompleteLookKeepsTheRecordOfTheSameGpus() throws IOException {
        node.stored.put(GpuTopologyText.KEY, PAIR_TEXT);
        assertThat(publish(pair(0, false), false)).isEmpty();
        assertThat(node.stored).containsEntry(GpuTopologyText.KEY, PAIR_TEXT);
    }

    @Test
    void anIncompleteFirstLookMarksTheMissingGpu() throws IOException {
        publish(pair(0, false), false);
        assertThat(node.stored.get(GpuTopologyText.KEY)).contains("\"missing\":true");
    }

    @Test
    void replacesATextThatCannotBeRead() throws IOException {
        node.stored.put(GpuTopologyText.KEY, "junk");
        assertThat(publish(PAIR, true)).containsExactly(GpuTopologyText.KEY);
    }

    @Test
    void removesWhatIsNoLongerTrueAndLeavesOtherKeysAlone() throws IOException {
        node.stored.put(GpuTopologyText.KEY, PAIR_TEXT);
        node.stored.put(SeedForm.STATES_KEY, "[]");
        node.stored.put("numaledger.io/other", "kept");
        assertThat(publish(GpuTopology.NONE, true)).containsExactly(SeedForm.STATES_KEY, GpuTopologyText.KEY);
        assertThat(node.stored).containsOnlyKeys("numaledger.io/other");
    }

    @Test
    void writesTheSeedFormWhenAskedTo() throws IOException {
        GpuTopologyPublisher publisher = new GpuTopologyPublisher(node, ALL);
        publisher.publish(seen(GpuState.FREE, GpuState.USED), NOW);
        assertThat(node.stored)
                .containsEntry(SeedForm.MATRIX_KEY, "[[0,1],[1,0]]")
                .containsEntry(SeedForm.STATES_KEY, "[\"free\",\"used\"]");
    }

    @Test
    void statesWaitForTheirTurn() throws IOException {
        GpuTopologyPublisher publisher = new GpuTopologyPublisher(node, ALL);
        publisher.publish(seen(GpuState.FREE, GpuState.FREE), NOW);
        assertThat(publisher.publish(seen(GpuState.USED, GpuState.FREE), NOW.plusSeconds(29)))
                .isEmpty();
        assertThat(publisher.publish(seen(GpuState.USED, GpuState.FREE), NOW.plusSeconds(30)))
                .containsExactly(SeedForm.STATES_KEY);
    }

    @Test
    void writesTheNumaNodesOfPciFunctionsAlsoWithoutGpus() throws IOException {
        PciNumaNodes pci = PciNumaNodes.parse("0000:3b:00.0-0000:5d:11.7=0,0000:80:00.0=1");
        GpuTopologyPublisher publisher = new GpuTopologyPublisher(node, GpuTopologyPublisher.Extras.NONE);
        assertThat(publisher.publish(new Seen(GpuTopology.NONE, true, List.of(), pci), NOW))
                .containsExactly(NodeAnnotations.PCI_NUMA_NODES);
        assertThat(publisher.publish(new Seen(GpuTopology.NONE, true, List.of(), pci), NOW))
                .isEmpty();
        assertThat(node.stored).isEqualTo(Map.of(NodeAnnotations.PCI_NUMA_NODES, pci.toString()));
        publisher.publish(new Seen(GpuTopology.NONE, true, List.of(), PciNumaNodes.NONE), NOW);
        assertThat(node.stored).isEmpty();
    }

    @Test
    void joinsTheDevicesThatContainersHold() {
        assertThat(GpuState.of(pair(1, true), Map.of("MIG-a", 1), GpuSet.of(1), List.of("GPU-0::3", "eth0")))
                .containsExactly(GpuState.USED, GpuState.MIG);
        assertThat(GpuState.of(pair(1, false), Map.of("MIG-a", 1), GpuSet.of(1), List.of("MIG-a", "GPU-0")))
                .containsExactly(GpuState.LOST, GpuState.USED);
    }

    private static Seen seen(GpuState... states) {
        return new Seen(PAIR, true, List.of(states), PciNumaNodes.NONE);
    }

    private static GpuTopology pair(int links, boolean firstKnown) {
        return new GpuTopology(
                List.of(gpu(0, firstKnown), gpu(1, true)),
                LinkKind.DIRECT,
                LinkMatrix.of(new int[][] {{0, links}, {links, 0}}),
                PcieLevels.unknown(2),
                Optional.empty());
    }

    private static Gpu gpu(int index, boolean linksKnown) {
        return new Gpu(
                Optional.of("GPU-" + index),
                Optional.of(new PciAddress(0, 0x10 + index, 0, 0)),
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.of(0),
                OptionalInt.empty(),
                linksKnown);
    }
}

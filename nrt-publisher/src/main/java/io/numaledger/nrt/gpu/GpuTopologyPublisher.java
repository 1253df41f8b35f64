package io.numaledger.nrt.gpu;

import io.numaledger.gpu.Gpu;
import io.numaledger.gpu.GpuState;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.PciAddress;
import io.numaledger.gpu.PciNumaNodes;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Keeps the node's annotations of GPUs and PCI functions up to date and writes only differences. A survey that could not read every
 * GPU never replaces the record of the same GPUs: the wiring is still what it was.
 */
public final class GpuTopologyPublisher {

    /**
     * Which annotations to write beside the topology.
     *
     * @param matrix {@code numaledger.io/nvlink-matrix}
     * @param states {@code numaledger.io/gpu-states}
     * @param betweenStates the least time between two writes of the states, which change with every pod
     */
    public record Extras(boolean matrix, boolean states, Duration betweenStates) {

        public static final Extras NONE = new Extras(false, false, Duration.ZERO);
    }

    /**
     * What was seen.
     *
     * @param complete whether every GPU could be read and no fabric is still being set up
     * @param states one for each GPU; empty if not requested
     * @param pci of all PCI functions of the machine
     */
    public record Seen(GpuTopology topology, boolean complete, List<GpuState> states, PciNumaNodes pci) {

        public Seen {
            states = List.copyOf(states);
        }
    }

    private final NodeAnnotations annotations;
    private final Extras extras;
    private Instant statesWritten = Instant.MIN;

    public GpuTopologyPublisher(NodeAnnotations annotations, Extras extras) {
        this.annotations = annotations;
        this.extras = extras;
    }

    /**
     * Writes what differs, in one patch.
     *
     * @return the keys written or removed, ascending; empty: all was as it should be
     */
    public List<String> publish(Seen seen, Instant now) throws IOException {
        SortedMap<String, String> stored = annotations.own();
        SortedMap<String, Optional<String>> changes = wanted(seen, stored, now);
        changes.entrySet()
                .removeIf(change -> change.getValue().equals(Optional.ofNullable(stored.get(change.getKey()))));
        if (!changes.isEmpty()) {
            annotations.patch(changes);
        }
        if (changes.containsKey(SeedForm.STATES_KEY)) {
            statesWritten = now;
        }
        return List.copyOf(changes.keySet());
    }

    /** Keys that may stay as they are, whatever they hold, are left out. */
    private SortedMap<String, Optional<String>> wanted(Seen seen, SortedMap<String, String> stored, Instant now) {
        SortedMap<String, Optional<String>> wanted = new TreeMap<>();
        boolean any = !seen.topology().gpus().isEmpty();
        if (seen.complete() || !sameGpus(seen.topology(), stored.get(GpuTopologyText.KEY))) {
            wanted.put(GpuTopologyText.KEY, text(any, GpuTopologyText.write(seen.topology())));
        }
        if (seen.complete() || !extras.matrix()) {
            wanted.put(SeedForm.MATRIX_KEY, text(any && extras.matrix(), SeedForm.matrix(seen.topology())));
        }
        boolean removed = !any || !extras.states();
        if (removed || !now.isBefore(statesWritten.plus(statesGap()))) {
            wanted.put(SeedForm.STATES_KEY, text(!removed, SeedForm.states(seen.states())));
        }
        wanted.put(
                NodeAnnotations.PCI_NUMA_NODES,
                text(!seen.pci().isEmpty(), seen.pci().toString()));
        return wanted;
    }

    private Duration statesGap() {
        return statesWritten.equals(Instant.MIN) ? Duration.ZERO : extras.betweenStates();
    }

    private static Optional<String> text(boolean present, String text) {
        return present ? Optional.of(text) : Optional.empty();
    }

    private static boolean sameGpus(GpuTopology seen, @Nullable String stored) {
        if (stored == null) {
            return false;
        }
        try {
            return addresses(GpuTopologyText.read(stored)).equals(addresses(seen));
        } catch (IllegalArgumentException unusable) {
            return false;
        }
    }

    private static List<Optional<PciAddress>> addresses(GpuTopology topology) {
        return topology.gpus().stream().map(Gpu::pciAddress).toList();
    }
}

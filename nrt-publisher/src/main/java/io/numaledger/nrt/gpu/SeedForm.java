package io.numaledger.nrt.gpu;

import io.numaledger.gpu.GpuState;
import io.numaledger.gpu.GpuTopology;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The two annotations of the first draft of this design, for its readers: which pairs have links, as rows of 0 and 1, and a
 * word per GPU. Both are in order of PCI address, as {@link GpuTopologyText} is.
 */
public final class SeedForm {

    public static final String MATRIX_KEY = NodeAnnotations.PREFIX + "nvlink-matrix";
    public static final String STATES_KEY = NodeAnnotations.PREFIX + "gpu-states";

    private SeedForm() {}

    /** Such as {@code [[0,1],[1,0]]}. */
    public static String matrix(GpuTopology topology) {
        int size = topology.gpus().size();
        return IntStream.range(0, size)
                .mapToObj(row -> IntStream.range(0, size)
                        .mapToObj(column -> topology.links().links(row, column) > 0 ? "1" : "0")
                        .collect(Collectors.joining(",", "[", "]")))
                .collect(Collectors.joining(",", "[", "]"));
    }

    /** Such as {@code ["free","used"]}. */
    public static String states(List<GpuState> states) {
        return states.stream().map(state -> '"' + state.text() + '"').collect(Collectors.joining(",", "[", "]"));
    }
}

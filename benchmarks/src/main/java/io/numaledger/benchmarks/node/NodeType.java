package io.numaledger.benchmarks.node;

import io.numaledger.fastpath.FastPathEvaluator;
import io.numaledger.fastpath.FastPathModel;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.fastpath.ZoneTable;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.node.SpecModel;

import java.util.Optional;
import java.util.function.IntToLongFunction;

/**
 * Nodes of equal hardware and kubelet configuration.
 *
 * @param fastPath absent: only the full model decides
 * @param cpuMillis without what is reserved for the system
 */
public record NodeType(
        KubeletModel kubelet,
        ZoneTable table,
        Optional<FastPathModel> fastPath,
        FastPathEvaluator evaluator,
        long cpuMillis) {

    /** @param index that of the pods */
    public static NodeType of(NodeSpec spec, ResourceIndex index) {
        KubeletModel kubelet = SpecModel.start(spec);
        ZoneTable table = ZoneTable.of(kubelet);
        int cpus = spec.machine().onlineCpus().size()
                - spec.kubelet().reservedSystemCpus().size();
        return new NodeType(
                kubelet, table, FastPathModel.of(kubelet, table, index), new FastPathEvaluator(), 1000L * cpus);
    }

    /** What pods may use of a resource in all zones together; 0 if the node has none of it. */
    public long allocatable(String resource) {
        return total(resource, table::empty);
    }

    /** @param amount by index of the table */
    long total(String resource, IntToLongFunction amount) {
        int row = table.resources().indexOf(resource);
        long total = 0;
        for (int zone = 0; row >= 0 && zone < table.zones(); zone++) {
            total += amount.applyAsLong(row * table.zones() + zone);
        }
        return total;
    }
}

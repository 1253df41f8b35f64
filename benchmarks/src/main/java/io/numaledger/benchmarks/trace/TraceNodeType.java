package io.numaledger.benchmarks.trace;

import io.numaledger.fastpath.FastPathModel;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.fastpath.ZoneTable;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.node.SpecModel;

import java.util.function.IntToLongFunction;

/** The kubelet of nodes with equal hardware: two zones with half of the CPUs, memory and GPUs each. One CPU and 1 GiB are reserved. */
record TraceNodeType(KubeletModel kubelet, ZoneTable table, FastPathModel fastPath) {

    static final String GPU = "nvidia.com/gpu";

    static TraceNodeType of(Trace.Node node, TopologyPolicyName policy, ResourceIndex index) {
        KubeletModel kubelet = SpecModel.start(spec("any", node, policy));
        ZoneTable table = ZoneTable.of(kubelet);
        return new TraceNodeType(
                kubelet, table, FastPathModel.of(kubelet, table, index).orElseThrow());
    }

    /** @param name of the node */
    static NodeSpec spec(String name, Trace.Node node, TopologyPolicyName policy) {
        int second = node.gpus() / 2;
        String yaml = """
                nodes:
                - name: %s
                  kubelet: {topologyManagerPolicy: %s}
                  numaNodes: [{id: 0, cores: %d, memory: %d}, {id: 1, cores: %d, memory: %d}]
                  devices: [{resource: nvidia.com/gpu, count: %d, numaNodes: [0]}%s]
                """.formatted(
                        name,
                        policy,
                        node.cpus() - node.cpus() / 2,
                        node.memoryBytes() / 2,
                        node.cpus() / 2,
                        node.memoryBytes() / 2,
                        node.gpus() - second,
                        second == 0 ? "" : ", {resource: nvidia.com/gpu, count: %d, numaNodes: [1]}".formatted(second));
        return NodeSpecYaml.parse(yaml).get(0);
    }

    /** What pods may use of a resource in all zones together; 0 if the node has none of it. */
    long allocatable(String resource) {
        return sum(resource, table::empty);
    }

    /** @param amount by index of the table */
    long sum(String resource, IntToLongFunction amount) {
        int row = table.resources().indexOf(resource);
        long sum = 0;
        for (int zone = 0; row >= 0 && zone < table.zones(); zone++) {
            sum += amount.applyAsLong(row * table.zones() + zone);
        }
        return sum;
    }
}

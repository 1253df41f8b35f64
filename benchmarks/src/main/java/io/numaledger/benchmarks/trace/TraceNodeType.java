package io.numaledger.benchmarks.trace;

import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;

/** The hardware of a node of the trace: two zones with half of the CPUs, memory and GPUs each. One CPU and 1 GiB are reserved. */
final class TraceNodeType {

    static final String GPU = "nvidia.com/gpu";

    private TraceNodeType() {}

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
}

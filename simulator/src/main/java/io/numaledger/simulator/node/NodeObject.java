package io.numaledger.simulator.node;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.NodeStatusBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.resource.Hugepages;
import io.numaledger.simulator.hardware.DevicePluginSpec;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NumaNodeSpec;

import java.util.Map;
import java.util.TreeMap;

/** The Node object of a simulated node. */
public final class NodeObject {

    private static final int MAX_PODS = 250;

    /** The label that tells simulated nodes from others. */
    private static final String SIMULATED = "numaledger.io/simulated";

    static final String SELECTOR = SIMULATED + "=true";

    private NodeObject() {}

    static boolean isSimulated(Node node) {
        return node.getMetadata().getLabels() != null
                && "true".equals(node.getMetadata().getLabels().get(SIMULATED));
    }

    /** Without a status. */
    public static Node of(NodeSpec spec) {
        return new NodeBuilder()
                .withNewMetadata()
                .withName(spec.name())
                .addToLabels("kubernetes.io/hostname", spec.name())
                .addToLabels("kubernetes.io/os", "linux")
                .addToLabels("kubernetes.io/arch", "amd64")
                .addToLabels(SIMULATED, "true")
                .endMetadata()
                .build();
    }

    /** @param now as Kubernetes writes times, in RFC 3339 */
    public static NodeStatus status(NodeSpec spec, String now) {
        Map<String, Quantity> capacity = capacity(spec);
        Map<String, Quantity> allocatable = new TreeMap<>(capacity);
        int reserved = spec.kubelet().reservedSystemCpus().size();
        int cpus = spec.machine().onlineCpus().size();
        allocatable.put("cpu", new Quantity(Integer.toString(cpus - reserved)));
        if (spec.kubelet().staticMemory()) {
            long bytes = SpecModel.allocatable(spec, SpecModel.start(spec)).memory().stream()
                    .filter(block -> block.type().equals("memory"))
                    .mapToLong(MemoryBlock::sizeBytes)
                    .sum();
            allocatable.put("memory", new Quantity(Long.toString(bytes)));
        }
        return new NodeStatusBuilder()
                .withCapacity(capacity)
                .withAllocatable(allocatable)
                .addToConditions(new NodeConditionBuilder()
                        .withType("Ready")
                        .withStatus("True")
                        .withReason("KubeletReady")
                        .withMessage("simulated")
                        .withLastHeartbeatTime(now)
                        .withLastTransitionTime(now)
                        .build())
                .addNewAddress("127.0.0.1", "InternalIP")
                .addNewAddress(spec.name(), "Hostname")
                .withNewNodeInfo()
                .withKubeletVersion("v1.%d.0".formatted(SpecModel.version(spec).minor()))
                .withKubeProxyVersion("")
                .withArchitecture("amd64")
                .withOperatingSystem("linux")
                .withOsImage("simulated")
                .withKernelVersion("simulated")
                .withContainerRuntimeVersion("simulated://1")
                .withMachineID("")
                .withSystemUUID("")
                .withBootID("")
                .endNodeInfo()
                .build();
    }

    private static Map<String, Quantity> capacity(NodeSpec spec) {
        TreeMap<String, Long> amounts = new TreeMap<>();
        amounts.put("cpu", (long) spec.machine().onlineCpus().size());
        amounts.put("pods", (long) MAX_PODS);
        for (NumaNodeSpec node : spec.numaNodes()) {
            amounts.merge("memory", node.memoryBytes(), Long::sum);
            node.hugepages().forEach((size, pages) -> amounts.merge(Hugepages.resource(size), size * pages, Long::sum));
        }
        for (DevicePluginSpec plugin : spec.devices()) {
            amounts.put(plugin.resource(), (long) plugin.devices().size());
        }
        Map<String, Quantity> capacity = new TreeMap<>();
        amounts.forEach((resource, amount) -> capacity.put(resource, new Quantity(Long.toString(amount))));
        return capacity;
    }
}

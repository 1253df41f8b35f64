package io.numaledger.agent.doctor;

import io.numaledger.cli.Finding;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.topology.MachineTopology;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Checks whether the kubelet's configuration aligns resources on this hardware. */
final class KubeletFindings {

    /** The kubelet's own limit (cm/topologymanager/topology_manager.go, defaultMaxAllowableNUMANodes). */
    private static final int MOST_NUMA_NODES = 8;

    private static final String LIMIT_OPTION = "max-allowable-numa-nodes";
    private static final String ABOUT = "kubelet config";

    private KubeletFindings() {}

    static List<Finding> of(KubeletSettings kubelet, MachineTopology machine, Optional<AllocatableResources> may) {
        List<Finding> found = new ArrayList<>();
        Optional<TopologyPolicyName> policy = kubelet.topologyManagerPolicy();
        if (policy.isEmpty()) {
            found.add(
                    Finding.warn(
                            ABOUT,
                            "the Topology Manager's policy is not known, and not published; see the finding on configz, or give --kubelet-config or --topology-manager-policy"));
        } else {
            found.add(
                    policy.get() == TopologyPolicyName.NONE
                            ? Finding.warn(
                                    ABOUT,
                                    "topologyManagerPolicy=none: nothing is aligned on this node; set best-effort, restricted or single-numa-node")
                            : Finding.ok(ABOUT, "topologyManagerPolicy=" + policy.get()));
        }
        if (policy.filter(value -> value != TopologyPolicyName.NONE).isPresent()) {
            managers(kubelet, found);
            tooManyNumaNodes(kubelet, machine, found);
        }
        may.ifPresent(allocatable -> {
            emptyThoughStatic(kubelet, allocatable, found);
            devicesWithoutTopology(allocatable, found);
            devicesOnOtherNumaNodes(allocatable, machine, found);
        });
        return found;
    }

    private static void managers(KubeletSettings kubelet, List<Finding> found) {
        if (kubelet.cpuManagerPolicy().equals(Optional.of(CpuPolicy.NONE))) {
            found.add(Finding.warn(
                    ABOUT,
                    "cpuManagerPolicy=none: the Topology Manager aligns no CPUs; set static, and reservedSystemCPUs"));
        }
        if (kubelet.memoryManagerPolicy().equals(Optional.of(MemoryPolicy.NONE))) {
            found.add(
                    Finding.warn(
                            ABOUT,
                            "memoryManagerPolicy=None: the Topology Manager aligns no memory and no hugepages; set Static, and reservedMemory"));
        }
    }

    private static void tooManyNumaNodes(KubeletSettings kubelet, MachineTopology machine, List<Finding> found) {
        int nodes = machine.numaNodes().size();
        boolean raised = kubelet.topologyManagerPolicyOptions().containsKey(LIMIT_OPTION);
        if (nodes > MOST_NUMA_NODES && !raised) {
            found.add(Finding.fail(
                    ABOUT,
                    "the machine has %d NUMA nodes and the kubelet takes %d with a policy other than none: it does not start; set the policy option %s, or merge NUMA nodes in the firmware"
                            .formatted(nodes, MOST_NUMA_NODES, LIMIT_OPTION)));
        }
    }

    private static void emptyThoughStatic(
            KubeletSettings kubelet, AllocatableResources allocatable, List<Finding> found) {
        if (kubelet.cpuManagerPolicy().equals(Optional.of(CpuPolicy.STATIC))
                && allocatable.cpus().isEmpty()) {
            found.add(
                    Finding.warn(
                            ABOUT,
                            "cpuManagerPolicy=static, and the kubelet has no CPU to give out; check reservedSystemCPUs, and that the kubelet was restarted"));
        }
        if (kubelet.memoryManagerPolicy().equals(Optional.of(MemoryPolicy.STATIC))
                && allocatable.memory().isEmpty()) {
            found.add(
                    Finding.warn(
                            ABOUT,
                            "memoryManagerPolicy=Static, and the kubelet has no memory to give out; check reservedMemory, and that the kubelet was restarted"));
        }
    }

    /** Finds devices on other NUMA nodes than the machine's, such as -1 or 9: no hint of the kubelet has them. */
    private static void devicesOnOtherNumaNodes(
            AllocatableResources allocatable, MachineTopology machine, List<Finding> found) {
        Map<String, Integer> other = new TreeMap<>();
        for (DeviceAllocation device : allocatable.devices()) {
            boolean exists = device.numaNodes().stream()
                    .anyMatch(id -> machine.numaNode(id).isPresent());
            if (!exists && !device.numaNodes().isEmpty()) {
                other.merge(device.resource(), 1, Integer::sum);
            }
        }
        other.forEach((resource, count) -> found.add(Finding.warn(
                "devices",
                "%d of %s are on NUMA nodes that the machine does not have: with the policies restricted and single-numa-node, the kubelet refuses pods that need them; correct the device plugin, and the firmware's numa_node of the PCI slots"
                        .formatted(count, resource))));
    }

    private static void devicesWithoutTopology(AllocatableResources allocatable, List<Finding> found) {
        Map<String, Integer> without = new TreeMap<>();
        for (DeviceAllocation device : allocatable.devices()) {
            if (device.numaNodes().isEmpty()) {
                without.merge(device.resource(), 1, Integer::sum);
            }
        }
        without.forEach((resource, count) -> found.add(Finding.warn(
                "devices",
                "%d of %s have no NUMA node, so that nothing is aligned to them; check the device plugin, and the firmware's numa_node of the PCI slots"
                        .formatted(count, resource))));
    }
}

package io.numaledger.podresources;

import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.placement.ReportedEntries;
import io.numaledger.placement.ReportedEntries.Entry;
import io.numaledger.podresources.v1.AllocatableResourcesResponse;
import io.numaledger.podresources.v1.ContainerDevices;
import io.numaledger.podresources.v1.ContainerMemory;
import io.numaledger.podresources.v1.ContainerResources;
import io.numaledger.podresources.v1.NUMANode;
import io.numaledger.podresources.v1.TopologyInfo;
import io.numaledger.topology.CpuSet;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Converts the kubelet's messages. The kubelet repeats a device for each of its NUMA nodes; here it appears once,
 * with all of them. What cannot be a value (a CPU id below 0, more bytes than a long holds) is left out with a warning.
 */
final class PodResourcesReader {

    private final Consumer<String> warnings;
    private final boolean keepReports;
    private volatile KnownPods known;

    PodResourcesReader(Consumer<String> warnings, boolean keepReports) {
        this.warnings = warnings;
        this.keepReports = keepReports;
        this.known = new KnownPods(this::pod);
    }

    /** The claims ({@code dynamic_resources}) of the containers of a pod: nobody reads them here. */
    private static final int[] CLAIMS = {3, 5};

    /**
     * A pod of which the kubelet says the same as in its last answer is the same object.
     *
     * @param response an encoded ListPodResourcesResponse, or a GetPodResourcesResponse, which is one with one pod
     */
    PodResourcesSnapshot snapshot(InputStream response) throws IOException {
        KnownPods pods = new KnownPods(known, this::pod);
        warnOfLeftOut("pods", BoundedFields.read(response, pods, CLAIMS));
        known = pods;
        return new PodResourcesSnapshot(pods.all());
    }

    private void warnOfLeftOut(String what, int count) {
        if (count > 0) {
            warnings.accept(
                    "the kubelet's answer is too large: %d %s are left out; it may have %d, of %d bytes each and %d bytes together"
                            .formatted(
                                    count,
                                    what,
                                    BoundedFields.MAX_FIELDS,
                                    BoundedFields.MAX_FIELD_BYTES,
                                    BoundedFields.MAX_BYTES));
        }
    }

    PodAllocation pod(io.numaledger.podresources.v1.PodResources pod) {
        String where = "pod=" + pod.getNamespace() + "/" + pod.getName();
        List<ContainerAllocation> containers = pod.getContainersList().stream()
                .map(container -> container(container, where + " container=" + container.getName()))
                .toList();
        return new PodAllocation(
                pod.getNamespace(),
                pod.getName(),
                containers,
                cpus(pod.getCpuIdsList(), where),
                memory(pod.getMemoryList(), where),
                keepReports ? Optional.of(reported(pod)) : Optional.empty());
    }

    private static ReportedEntries reported(io.numaledger.podresources.v1.PodResources pod) {
        List<Long> cpuIds = new ArrayList<>();
        List<Entry> devices = new ArrayList<>();
        List<Entry> memory = new ArrayList<>();
        for (ContainerResources container : pod.getContainersList()) {
            cpuIds.addAll(container.getCpuIdsList());
            container
                    .getDevicesList()
                    .forEach(entry -> devices.add(new Entry(
                            entry.getResourceName(), entry.getDeviceIdsCount(), reportedNodes(entry.getTopology()))));
            container
                    .getMemoryList()
                    .forEach(block ->
                            memory.add(new Entry(type(block), block.getSize(), reportedNodes(block.getTopology()))));
        }
        return new ReportedEntries(cpuIds, devices, memory);
    }

    private static List<Long> reportedNodes(TopologyInfo topology) {
        return topology.getNodesList().stream().map(NUMANode::getID).toList();
    }

    private static String type(ContainerMemory block) {
        return block.getMemoryType().isEmpty() ? "memory" : block.getMemoryType();
    }

    private ContainerAllocation container(ContainerResources container, String where) {
        return new ContainerAllocation(
                container.getName(),
                cpus(container.getCpuIdsList(), where),
                memory(container.getMemoryList(), where),
                devices(container.getDevicesList()));
    }

    /** @param response an encoded AllocatableResourcesResponse */
    AllocatableResources allocatable(InputStream response) throws IOException {
        AllocatableResourcesResponse.Builder all = AllocatableResourcesResponse.newBuilder();
        warnOfLeftOut("devices or lists", BoundedFields.read(response, all::mergeFrom));
        return allocatable(all.build());
    }

    private AllocatableResources allocatable(AllocatableResourcesResponse response) {
        String where = "call=GetAllocatableResources";
        return new AllocatableResources(
                cpus(response.getCpuIdsList(), where),
                allocatableMemory(response.getMemoryList()),
                devices(response.getDevicesList()));
    }

    /** Where more is reserved than a NUMA node has, the kubelet's number wraps around, and it gives out memory without end. */
    private List<MemoryBlock> allocatableMemory(List<ContainerMemory> blocks) {
        List<ContainerMemory> bounded = new ArrayList<>(blocks.size());
        for (ContainerMemory block : blocks) {
            if (block.getSize() < 0) {
                warnings.accept(
                        "the kubelet may give out more memory than there is: type=%s bytes=%s: more is reserved than a NUMA node has; correct reservedMemory in its configuration"
                                .formatted(type(block), Long.toUnsignedString(block.getSize())));
            }
            bounded.add(
                    block.getSize() < 0
                            ? block.toBuilder().setSize(Long.MAX_VALUE).build()
                            : block);
        }
        return memory(bounded, "call=GetAllocatableResources");
    }

    private CpuSet cpus(List<Long> ids, String where) {
        List<Integer> valid = new ArrayList<>(ids.size());
        List<Long> impossible = new ArrayList<>();
        for (long id : ids) {
            if (id >= 0 && id < CpuSet.MAX_CPUS) {
                valid.add((int) id);
            } else {
                impossible.add(id);
            }
        }
        if (!impossible.isEmpty()) {
            warnings.accept("the kubelet names impossible CPUs: %s cpu=%d count=%d; they are left out"
                    .formatted(where, impossible.get(0), impossible.size()));
        }
        return CpuSet.of(valid);
    }

    private List<MemoryBlock> memory(List<ContainerMemory> blocks, String where) {
        List<MemoryBlock> read = new ArrayList<>(blocks.size());
        for (ContainerMemory block : blocks) {
            String type = type(block);
            if (block.getSize() < 0) {
                warnings.accept("the kubelet names an impossible amount of memory: %s type=%s bytes=%s; it is left out"
                        .formatted(where, type, Long.toUnsignedString(block.getSize())));
            } else if (block.getSize() > 0) {
                read.add(new MemoryBlock(type, block.getSize(), numaNodes(block.getTopology())));
            }
        }
        return read;
    }

    private static List<DeviceAllocation> devices(List<ContainerDevices> entries) {
        Map<String, Map<String, TreeSet<Integer>>> byResource = new TreeMap<>();
        for (ContainerDevices entry : entries) {
            Map<String, TreeSet<Integer>> byId =
                    byResource.computeIfAbsent(entry.getResourceName(), name -> new TreeMap<>());
            for (String id : entry.getDeviceIdsList()) {
                byId.computeIfAbsent(id, device -> new TreeSet<>()).addAll(numaNodes(entry.getTopology()));
            }
        }
        return byResource.entrySet().stream()
                .flatMap(resource -> resource.getValue().entrySet().stream()
                        .map(device -> new DeviceAllocation(resource.getKey(), device.getKey(), device.getValue())))
                .toList();
    }

    /** An id beyond an int cannot belong to this machine. It becomes -1, which belongs to no machine. */
    private static Collection<Integer> numaNodes(TopologyInfo topology) {
        Function<NUMANode, Integer> id =
                node -> node.getID() == (int) node.getID() ? Integer.valueOf((int) node.getID()) : Integer.valueOf(-1);
        return topology.getNodesList().stream().map(id).collect(Collectors.toList());
    }
}

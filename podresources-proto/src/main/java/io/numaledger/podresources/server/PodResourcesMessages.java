package io.numaledger.podresources.server;

import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.podresources.v1.AllocatableResourcesResponse;
import io.numaledger.podresources.v1.ContainerDevices;
import io.numaledger.podresources.v1.ContainerMemory;
import io.numaledger.podresources.v1.ContainerResources;
import io.numaledger.podresources.v1.NUMANode;
import io.numaledger.podresources.v1.PodResources;
import io.numaledger.podresources.v1.TopologyInfo;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/** Converts our values to podresources messages. Like the kubelet, lists a device once for each of its NUMA nodes. */
final class PodResourcesMessages {

    private PodResourcesMessages() {}

    static PodResources pod(PodAllocation pod) {
        PodResources.Builder message =
                PodResources.newBuilder().setNamespace(pod.namespace()).setName(pod.name());
        for (ContainerAllocation container : pod.containers()) {
            message.addContainers(ContainerResources.newBuilder()
                    .setName(container.name())
                    .addAllCpuIds(container.cpus().ids().asLongStream().boxed().toList())
                    .addAllMemory(container.memory().stream()
                            .map(PodResourcesMessages::memory)
                            .toList())
                    .addAllDevices(devices(container.devices())));
        }
        return message.build();
    }

    static AllocatableResourcesResponse allocatable(AllocatableResources allocatable) {
        return AllocatableResourcesResponse.newBuilder()
                .addAllCpuIds(allocatable.cpus().ids().asLongStream().boxed().toList())
                .addAllMemory(allocatable.memory().stream()
                        .map(PodResourcesMessages::memory)
                        .toList())
                .addAllDevices(devices(allocatable.devices()))
                .build();
    }

    private static ContainerMemory memory(MemoryBlock block) {
        return ContainerMemory.newBuilder()
                .setMemoryType(block.type())
                .setSize(block.sizeBytes())
                .setTopology(topology(block.numaNodes()))
                .build();
    }

    private static List<ContainerDevices> devices(Collection<DeviceAllocation> devices) {
        List<ContainerDevices> messages = new ArrayList<>();
        for (DeviceAllocation device : devices) {
            ContainerDevices plain = ContainerDevices.newBuilder()
                    .setResourceName(device.resource())
                    .addDeviceIds(device.deviceId())
                    .build();
            if (device.numaNodes().isEmpty()) {
                messages.add(plain);
            }
            for (int node : device.numaNodes()) {
                messages.add(plain.toBuilder()
                        .setTopology(topology(Collections.singleton(node)))
                        .build());
            }
        }
        return messages;
    }

    private static TopologyInfo topology(Collection<Integer> numaNodes) {
        TopologyInfo.Builder topology = TopologyInfo.newBuilder();
        numaNodes.forEach(id -> topology.addNodes(NUMANode.newBuilder().setID(id)));
        return topology.build();
    }
}

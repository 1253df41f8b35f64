package io.numaledger.simulator.oracle;

import io.numaledger.podresources.v1.ClaimResource;
import io.numaledger.podresources.v1.ContainerResources;
import io.numaledger.podresources.v1.ListPodResourcesRequest;
import io.numaledger.podresources.v1.PodResourcesListerGrpc;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.hardware.DraDriverSpec;
import io.numaledger.simulator.socket.UnixSocketClient;
import io.numaledger.topology.MachineTopology;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;

/** What the podresources API says of claimed devices, beside the NUMA nodes that the node YAML gives them. */
public final class ClaimAlignment {

    private ClaimAlignment() {}

    /** For each container of the node whether its CPUs and its devices are on one NUMA node, the same. */
    public static Stream<Boolean> containers(SimNode node) {
        try (UnixSocketClient client = new UnixSocketClient(node.podResourcesSocket())) {
            return PodResourcesListerGrpc.newBlockingStub(client.channel())
                    .list(ListPodResourcesRequest.getDefaultInstance())
                    .getPodResourcesList()
                    .stream()
                    .flatMap(pod -> pod.getContainersList().stream())
                    .map(container -> isAligned(node, container));
        }
    }

    private static boolean isAligned(SimNode node, ContainerResources container) {
        MachineTopology machine = node.spec().machine();
        Set<Integer> ofCpus = container.getCpuIdsList().stream()
                .map(cpu -> machine.numaNodeOfCpu(cpu.intValue()).orElseThrow())
                .collect(Collectors.toSet());
        Set<Integer> ofDevices = container.getDynamicResourcesList().stream()
                .flatMap(claim -> claim.getClaimResourcesList().stream())
                .map(device -> numaNode(node, device))
                .collect(Collectors.toSet());
        return ofCpus.size() == 1 && ofCpus.equals(ofDevices);
    }

    private static int numaNode(SimNode node, ClaimResource device) {
        DraDriverSpec driver = node.draDriver(device.getDriverName()).spec();
        Map<String, Object> value = requireNonNull(driver.devices().stream()
                .filter(each -> each.name().equals(device.getDeviceName()))
                .findFirst()
                .orElseThrow()
                .attributes()
                .get("resource.kubernetes.io/numaNode"));
        return ((Number) requireNonNull(value.get("int"))).intValue();
    }
}

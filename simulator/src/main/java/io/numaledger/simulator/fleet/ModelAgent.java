package io.numaledger.simulator.fleet;

import io.numaledger.agent.exclude.Exclusions;
import io.numaledger.agent.run.KubeletAnswer;
import io.numaledger.agent.run.Observation;
import io.numaledger.agent.sysfs.NodeProbe;
import io.numaledger.annotation.PodRecords;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.nrt.profile.ProfileName;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** What the agent of a node publishes, if the node's kubelet is a model. */
public record ModelAgent(String node, KubeletModel kubelet) {

    /** What the podresources API lists of an admitted pod without init containers. */
    public static PodAllocation held(String namespace, String pod, Admitted admitted) {
        return new PodAllocation(
                namespace,
                pod,
                admitted.containers().stream()
                        .map(each -> new ContainerAllocation(each.name(), each.cpus(), each.memory(), each.devices()))
                        .toList());
    }

    /** The annotations of a pod. */
    public PodRecords records(PodAllocation held) {
        return PodRecords.of(observation(List.of(held)).annotated().get(0), held);
    }

    /** The NodeResourceTopology while these pods run, as JSON. */
    public String topology(List<PodAllocation> held) {
        KubeletConfig config = kubelet.rules().config();
        KubeletSettings settings = new KubeletSettings(
                Optional.of(config.topologyManager().policy()),
                Optional.of(config.topologyManager().scope()),
                config.topologyManager().options(),
                Optional.of(config.cpuManager().policy()),
                config.cpuManager().options(),
                Optional.of(config.memoryManager().policy()),
                config.featureGates());
        return NodeTopologyJson.write(observation(held)
                .topology(
                        node,
                        Optional.empty(),
                        settings,
                        ProfileName.NUMALEDGER.profile(false).orElseThrow(),
                        List.of()));
    }

    private Observation observation(List<PodAllocation> held) {
        return Observation.of(
                new NodeProbe.Reading(kubelet.machine().topology(), List.of()),
                KubeletAnswer.of(Optional.of(allocatable()), new PodResourcesSnapshot(held), Exclusions.NONE),
                new TreeMap<>(),
                false);
    }

    private AllocatableResources allocatable() {
        List<MemoryBlock> memory = new ArrayList<>();
        kubelet.memory()
                .ifPresent(manager -> manager.empty()
                        .nodes()
                        .forEach((id, node) -> node.allocatable()
                                .forEach((type, bytes) -> memory.add(new MemoryBlock(type, bytes, List.of(id))))));
        List<DeviceAllocation> devices = new ArrayList<>();
        kubelet.machine()
                .devices()
                .forEach((resource, list) -> list.forEach(device -> devices.add(new DeviceAllocation(
                        resource, device.id(), device.numaNodes().ids().boxed().toList()))));
        var cpus = kubelet.cpus().orElseThrow();
        return new AllocatableResources(cpus.topology().all().minus(cpus.reserved()), memory, devices);
    }
}

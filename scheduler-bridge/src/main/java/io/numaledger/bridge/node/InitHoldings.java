package io.numaledger.bridge.node;

import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.PredictedContainer;
import io.numaledger.kubelet.cpu.CpuTopology;
import io.numaledger.kubelet.cpu.CpuTopology.Level;
import io.numaledger.kubelet.device.Device;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What plain init containers hold beside the containers that podresources list: memory while they run, CPUs and devices until the
 * pod ends. Podresources never tells which; only an agent that reads the kubelet's state files does. How much it is follows from
 * the pod; where it lies, from what is listed of the pod, since later containers go where the kept CPUs and devices are.
 */
final class InitHoldings {

    private final KubeletModel kubelet;

    InitHoldings(KubeletModel kubelet) {
        this.kubelet = kubelet;
    }

    /**
     * What is kept beside a pod's own, as the model predicts it.
     *
     * @param containers the plain init containers, with what no other container of the pod has
     */
    record Kept(PodFacts pod, PodAllocation own, List<ContainerAllocation> containers) {}

    static boolean hasInitContainers(PodFacts pod) {
        return pod.request().initContainers().stream().anyMatch(init -> init.kind() == Kind.PLAIN_INIT);
    }

    /**
     * Empty where nothing is kept.
     *
     * @param before the node without the pod
     * @param own what its other containers hold
     */
    Optional<Kept> find(NodeState before, PodFacts pod, PodAllocation own) {
        if (!hasInitContainers(pod)) {
            return Optional.empty();
        }
        return Stream.of(before, kubelet.empty())
                .map(state -> kubelet.admit(state, pod.request()).admission())
                .filter(Admitted.class::isInstance)
                .map(Admitted.class::cast)
                .findFirst()
                .map(admitted -> new Kept(pod, own, kept(pod, admitted)))
                .filter(kept -> !kept.containers().isEmpty());
    }

    private static List<ContainerAllocation> kept(PodFacts pod, Admitted admitted) {
        Set<String> plain = pod.request().initContainers().stream()
                .filter(init -> init.kind() == Kind.PLAIN_INIT)
                .map(init -> init.name())
                .collect(Collectors.toSet());
        CpuSet cpus = CpuSet.EMPTY;
        Set<DeviceAllocation> devices = new TreeSet<>();
        for (PredictedContainer container : admitted.containers()) {
            if (!plain.contains(container.name())) {
                cpus = cpus.union(container.cpus());
                devices.addAll(container.devices());
            }
        }
        List<ContainerAllocation> kept = new ArrayList<>();
        for (PredictedContainer container : admitted.containers()) {
            if (plain.contains(container.name())) {
                ContainerAllocation alone = new ContainerAllocation(
                        container.name(),
                        container.cpus().minus(cpus),
                        pod.running() ? List.of() : nonEmpty(container.memory()),
                        container.devices().stream()
                                .filter(device -> !devices.contains(device))
                                .toList());
                cpus = cpus.union(container.cpus());
                devices.addAll(container.devices());
                if (!alone.isEmpty()) {
                    kept.add(alone);
                }
            }
        }
        return kept;
    }

    private static List<MemoryBlock> nonEmpty(List<MemoryBlock> blocks) {
        return blocks.stream().filter(block -> block.sizeBytes() > 0).toList();
    }

    /** The node that holds this, too: the predicted ids if they are free where the pod lies, else others there. */
    NodeState charge(NodeState state, Kept kept) {
        NodeState after = state;
        for (ContainerAllocation container : kept.containers()) {
            AffinityMask zones = zones(kept.own(), container);
            ContainerAllocation here = new ContainerAllocation(
                    container.name(),
                    cpus(after, zones, container.cpus()),
                    List.of(),
                    devices(after, zones, container));
            PodAllocation pod =
                    new PodAllocation(kept.pod().namespace(), kept.pod().name(), List.of(here));
            after = withMemory(kubelet.holding(after, pod), kept, container, zones);
        }
        return after;
    }

    /** Where the pod's own lies; the predicted place of a pod that holds nothing else. */
    private AffinityMask zones(PodAllocation own, ContainerAllocation predicted) {
        AffinityMask mask = own.containers().stream().map(this::zones).reduce(AffinityMask.NONE, AffinityMask::or);
        return mask.isEmpty() ? zones(predicted) : mask;
    }

    private AffinityMask zones(ContainerAllocation container) {
        AffinityMask mask = AffinityMask.of(kubelet.machine().topology().numaNodes().stream()
                .filter(numaNode -> !numaNode.cpus().intersect(container.cpus()).isEmpty())
                .map(numaNode -> numaNode.id())
                .toList());
        for (MemoryBlock block : container.memory()) {
            mask = mask.or(AffinityMask.of(block.numaNodes()));
        }
        for (DeviceAllocation device : container.devices()) {
            mask = mask.or(AffinityMask.of(device.numaNodes()));
        }
        return mask;
    }

    private CpuSet cpus(NodeState state, AffinityMask zones, CpuSet predicted) {
        if (predicted.isEmpty()) {
            return predicted;
        }
        CpuTopology topology = kubelet.cpus().orElseThrow().topology();
        CpuSet free = state.cpus()
                .orElseThrow()
                .shared()
                .minus(kubelet.cpus().orElseThrow().reserved())
                .intersect(topology.cpusOf(zones));
        if (free.containsAll(predicted)) {
            return predicted;
        }
        Comparator<Integer> wholeCoresFirst = Comparator.comparing(
                        (Integer cpu) -> !free.containsAll(topology.cpus(Level.CORE, topology.itemOf(Level.CORE, cpu))))
                .thenComparing(cpu -> topology.itemOf(Level.CORE, cpu))
                .thenComparing(cpu -> cpu);
        return CpuSet.of(free.ids()
                .boxed()
                .sorted(wholeCoresFirst)
                .limit(predicted.size())
                .toList());
    }

    private List<DeviceAllocation> devices(NodeState state, AffinityMask zones, ContainerAllocation predicted) {
        List<DeviceAllocation> devices = new ArrayList<>();
        predicted.devices().stream()
                .collect(Collectors.groupingBy(DeviceAllocation::resource))
                .forEach((resource, alike) -> devices.addAll(freeDevices(state, resource, zones, alike)));
        return devices;
    }

    private List<DeviceAllocation> freeDevices(
            NodeState state, String resource, AffinityMask zones, List<DeviceAllocation> predicted) {
        Set<String> held = state.devices().held(resource);
        Set<String> named = predicted.stream().map(DeviceAllocation::deviceId).collect(Collectors.toSet());
        return kubelet.machine().devices().getOrDefault(resource, List.of()).stream()
                .filter(device -> !held.contains(device.id()) && zones.containsAll(device.numaNodes()))
                .sorted(Comparator.comparing((Device device) -> !named.contains(device.id()))
                        .thenComparing(Device::id))
                .limit(predicted.size())
                .map(device -> new DeviceAllocation(
                        resource, device.id(), device.numaNodes().ids().boxed().toList()))
                .toList();
    }

    private NodeState withMemory(NodeState state, Kept kept, ContainerAllocation predicted, AffinityMask zones) {
        if (state.memory().isEmpty() || predicted.memory().isEmpty()) {
            return state;
        }
        List<MemoryBlock> here = predicted.memory().stream()
                .map(block -> new MemoryBlock(
                        block.type(), block.sizeBytes(), zones.ids().boxed().toList()))
                .toList();
        PodAllocation pod = new PodAllocation(
                kept.pod().namespace(),
                kept.pod().name(),
                List.of(new ContainerAllocation(predicted.name(), CpuSet.EMPTY, here, List.of())));
        try {
            return kubelet.holding(state, pod);
        } catch (IllegalArgumentException full) {
            // The zones are full already: nothing more fits there in either case.
            return state;
        }
    }
}

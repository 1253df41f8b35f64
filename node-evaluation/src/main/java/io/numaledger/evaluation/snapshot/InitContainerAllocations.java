package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.PodFacts;
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
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What plain init containers hold in addition to the containers that the podresources API lists: memory while they run, CPUs and
 * devices until the pod ends. The podresources API never reports it; only an agent that reads the kubelet's state files does. The
 * amounts follow from the pod. The zones follow from its other containers, because later containers are placed where reusable CPUs
 * and devices are.
 */
final class InitContainerAllocations {

    private final KubeletModel kubelet;
    private final InitContainerRequests requests;

    InitContainerAllocations(KubeletModel kubelet) {
        this.kubelet = kubelet;
        this.requests = new InitContainerRequests(kubelet);
    }

    /**
     * What a pod's init containers keep, as the model predicts it.
     *
     * @param own what the pod's other containers hold
     * @param containers the plain init containers, with what no other container of the pod holds
     * @param confirmed the pod's other containers have got what was predicted together with this
     */
    record Kept(PodFacts pod, PodAllocation own, List<ContainerAllocation> containers, boolean confirmed) {

        private Kept withoutMemory() {
            List<ContainerAllocation> rest = containers.stream()
                    .map(container ->
                            new ContainerAllocation(container.name(), container.cpus(), List.of(), container.devices()))
                    .filter(container -> !container.isEmpty())
                    .toList();
            return new Kept(pod, own, rest, confirmed);
        }
    }

    static boolean hasInitContainers(PodFacts pod) {
        return !names(pod.request()).isEmpty();
    }

    /** Whether they get anything that the pod may keep. */
    boolean mayKeep(PodFacts pod) {
        return requests.areAllocated(pod.request());
    }

    /** The names of a pod's plain init containers. */
    static Set<String> names(PodRequest pod) {
        return pod.initContainers().stream()
                .filter(init -> init.kind() == Kind.PLAIN_INIT)
                .map(init -> init.name())
                .collect(Collectors.toSet());
    }

    /**
     * Finds what the init containers of a pod keep; empty if it is nothing. The CPUs that they had and that no other container took over
     * depend on the node's state when the kubelet admitted the pod. So the prediction of that moment counts, if the other containers have
     * got what it says; without one, the pod is admitted again in today's state. A pod that the model does not admit, since the kubelet
     * had other options then, keeps what its init containers request beyond its other containers.
     *
     * @param before the node's state without the pod
     * @param own what the pod's other containers hold
     * @param predicted when the pod was bound
     */
    Optional<Kept> find(NodeState before, PodFacts pod, PodAllocation own, Optional<PredictedAllocation> predicted) {
        if (!hasInitContainers(pod)) {
            return Optional.empty();
        }
        return predicted
                .filter(known -> known.isConfirmedBy(own) && accountsForAll(pod.request(), known))
                .flatMap(PredictedAllocation::initContainers)
                .map(kept -> new Kept(pod, own, kept, true))
                .or(() -> Optional.of(new Kept(pod, own, again(before, pod, own), false)))
                .map(kept -> pod.running() ? kept.withoutMemory() : kept)
                .filter(kept -> !kept.containers().isEmpty());
    }

    /** Whether all that an init container had is in the prediction, which the owner of the pod can write. */
    private boolean accountsForAll(PodRequest pod, PredictedAllocation predicted) {
        List<ContainerAllocation> all = Stream.concat(
                        predicted.running().containers().stream(),
                        predicted.initContainers().stream().flatMap(List::stream))
                .toList();
        int cpus = all.stream()
                .map(ContainerAllocation::cpus)
                .reduce(predicted.running().cpus(), CpuSet::union)
                .size();
        Map<String, Long> devices = all.stream()
                .flatMap(container -> container.devices().stream())
                .collect(Collectors.groupingBy(DeviceAllocation::resource, Collectors.counting()));
        return pod.initContainers().stream()
                .filter(init -> init.kind() == Kind.PLAIN_INIT)
                .allMatch(init -> requests.exclusiveCpus(pod, init) <= cpus
                        && init.resources().requests().entrySet().stream()
                                .filter(request -> kubelet.machine().devices().containsKey(request.getKey()))
                                .allMatch(request -> devices.getOrDefault(request.getKey(), 0L)
                                        >= request.getValue().whole()));
    }

    private List<ContainerAllocation> again(NodeState before, PodFacts pod, PodAllocation own) {
        return admittedAgain(before, pod).orElseGet(() -> requests.beyond(before, pod.request(), own, zonesOrAll(own)));
    }

    private AffinityMask zonesOrAll(PodAllocation own) {
        AffinityMask mask = zones(own);
        return mask.isEmpty()
                ? AffinityMask.of(kubelet.machine().topology().numaNodes().stream()
                        .map(numaNode -> numaNode.id())
                        .filter(id -> id <= AffinityMask.MAX_ID)
                        .toList())
                : mask;
    }

    private Optional<List<ContainerAllocation>> admittedAgain(NodeState before, PodFacts pod) {
        return Stream.of(before, kubelet.empty())
                .map(state -> kubelet.admit(state, pod.request()).admission())
                .filter(Admitted.class::isInstance)
                .map(Admitted.class::cast)
                .findFirst()
                .map(admitted -> kept(pod.request(), admitted));
    }

    /** What an admitted pod's plain init containers hold that no other container of the pod has taken over. */
    static List<ContainerAllocation> kept(PodRequest pod, Admitted admitted) {
        Set<String> plain = names(pod);
        if (plain.isEmpty()) {
            return List.of();
        }
        CpuSet cpus = admitted.cpus();
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
                        admitted.memory().isEmpty() ? nonEmpty(container.memory()) : List.of(),
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

    /** Adds this to the state: the predicted ids if they are free there, else others of the same zones. */
    NodeState add(NodeState state, Kept kept) {
        NodeState after = state;
        for (ContainerAllocation container : kept.containers()) {
            AffinityMask zones = kept.confirmed() ? zones(container) : zones(kept.own(), container);
            ContainerAllocation here = new ContainerAllocation(
                    container.name(),
                    cpus(after, zones, container.cpus()),
                    List.of(),
                    devices(after, zones, container));
            PodAllocation pod =
                    new PodAllocation(kept.pod().namespace(), kept.pod().name(), List.of(here));
            after = withMemory(kubelet.holding(after, kept.pod().key(), pod), kept, container, zones);
        }
        return after;
    }

    /** The zones of the pod's other containers; the predicted zones if these hold nothing. */
    private AffinityMask zones(PodAllocation own, ContainerAllocation predicted) {
        AffinityMask mask = zones(own);
        return mask.isEmpty() ? zones(predicted) : mask;
    }

    private AffinityMask zones(PodAllocation own) {
        AffinityMask ofPod = zones(new ContainerAllocation(PodAllocation.SHARING, own.cpus(), own.memory(), List.of()));
        return own.containers().stream().map(this::zones).reduce(ofPod, AffinityMask::or);
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
            mask = mask.or(AffinityMask.of(device.numaNodes().stream()
                    .filter(id -> kubelet.machine().topology().numaNode(id).isPresent())
                    .toList()));
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
                .forEach((resource, same) -> devices.addAll(freeDevices(state, resource, zones, same)));
        return devices;
    }

    private List<DeviceAllocation> freeDevices(
            NodeState state, String resource, AffinityMask zones, List<DeviceAllocation> predicted) {
        Set<String> held = state.devices().held(resource);
        Set<String> named = predicted.stream().map(DeviceAllocation::deviceId).collect(Collectors.toSet());
        return kubelet.machine().devices().getOrDefault(resource, List.of()).stream()
                .filter(device -> !held.contains(device.id()) && zones.containsAll(device.numaNodes()))
                .sorted(Comparator.comparing((Device device) -> !named.contains(device.id()))
                        .thenComparing(device -> !device.healthy())
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
            return kubelet.holding(state, kept.pod().key(), pod);
        } catch (IllegalArgumentException full) {
            // The zones are full already, so nothing else fits there in either case.
            return state;
        }
    }
}

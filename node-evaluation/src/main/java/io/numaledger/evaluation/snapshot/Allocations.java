package io.numaledger.evaluation.snapshot;

import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.device.Device;
import io.numaledger.kubelet.memory.NumaMemory;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.resource.ResourceKind;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

import static java.util.Objects.requireNonNull;

/** Translates what pods hold on one node into the model's terms: device ids are those of {@link DeviceReader}. */
final class Allocations {

    private final KubeletModel kubelet;

    Allocations(KubeletModel kubelet) {
        this.kubelet = kubelet;
    }

    /**
     * An allocation with other device ids: free devices of this node, on the same NUMA nodes.
     *
     * @param unhealthy which of them have failed, or are not listed any more
     */
    PodAllocation withOwnDevices(NodeState state, PodAllocation pod, Predicate<DeviceAllocation> unhealthy) {
        FreeDevices free = new FreeDevices(kubelet, state);
        List<ContainerAllocation> containers = new ArrayList<>();
        for (ContainerAllocation container : pod.containers()) {
            List<DeviceAllocation> devices = container.devices().stream()
                    .map(device -> new DeviceAllocation(
                            device.resource(),
                            free.take(device.resource(), device.numaNodes(), unhealthy.test(device)),
                            device.numaNodes()))
                    .toList();
            containers.add(new ContainerAllocation(container.name(), container.cpus(), container.memory(), devices));
        }
        return new PodAllocation(pod.namespace(), pod.name(), containers, pod.cpus(), pod.memory());
    }

    /**
     * An allocation on free CPUs: instead of each CPU that another pod holds, another one of its NUMA node. Predicted ids depend on the order in
     * which other pods have come and gone; zones are more certain.
     *
     * @throws IllegalArgumentException if too few CPUs are free there
     */
    PodAllocation withFreeCpus(NodeState state, PodAllocation pod) {
        if (!pod.cpus().isEmpty()) {
            return withFreePodCpus(state, pod);
        }
        CpuSet spare = freeCpus(state);
        for (ContainerAllocation container : pod.containers()) {
            spare = spare.minus(container.cpus());
        }
        List<ContainerAllocation> containers = new ArrayList<>();
        for (ContainerAllocation container : pod.containers()) {
            CpuSet cpus = freeCpus(state, container.cpus(), spare);
            spare = spare.minus(cpus);
            containers.add(new ContainerAllocation(container.name(), cpus, container.memory(), container.devices()));
        }
        return new PodAllocation(pod.namespace(), pod.name(), containers, pod.cpus(), pod.memory());
    }

    /** As {@link #withFreeCpus}, for a pod that has CPUs as a whole: its containers have any of these, as many as before. */
    private PodAllocation withFreePodCpus(NodeState state, PodAllocation pod) {
        CpuSet cpus = freeCpus(state, pod.cpus(), freeCpus(state).minus(pod.cpus()));
        if (cpus.equals(pod.cpus())) {
            return pod;
        }
        CpuSet left = cpus;
        List<ContainerAllocation> containers = new ArrayList<>();
        for (ContainerAllocation container : pod.containers()) {
            CpuSet own = CpuSet.of(left.ids().limit(container.cpus().size()).toArray());
            left = left.minus(own);
            containers.add(new ContainerAllocation(container.name(), own, container.memory(), container.devices()));
        }
        return new PodAllocation(pod.namespace(), pod.name(), containers, cpus, pod.memory());
    }

    private CpuSet freeCpus(NodeState state, CpuSet wanted, CpuSet spare) {
        CpuSet cpus = wanted.intersect(freeCpus(state));
        for (var numaNode : kubelet.machine().topology().numaNodes()) {
            int taken = wanted.minus(cpus).intersect(numaNode.cpus()).size();
            CpuSet others = CpuSet.of(
                    spare.intersect(numaNode.cpus()).ids().limit(taken).toArray());
            if (others.size() < taken) {
                throw new IllegalArgumentException(
                        "too few CPUs are free: numaNode=%d wanted=%s; wait for the next reconciliation of the agent"
                                .formatted(numaNode.id(), wanted));
            }
            cpus = cpus.union(others);
        }
        return cpus;
    }

    /** The amounts by NUMA node; memory over several zones as the difference of both states. */
    Placement placement(NodeState before, NodeState after, PodAllocation pod) {
        Placement.Builder sum = new Placement.Builder();
        addCpus(pod.cpus(), sum);
        for (ContainerAllocation container : pod.containers()) {
            if (pod.cpus().isEmpty()) {
                addCpus(container.cpus(), sum);
            }
            container
                    .devices()
                    .forEach(device -> device.numaNodes().stream()
                            .filter(id ->
                                    kubelet.machine().topology().numaNode(id).isPresent())
                            .forEach(id -> sum.add(id, device.resource(), 1)));
        }
        addMemory(before, after, sum);
        return sum.build();
    }

    private void addCpus(CpuSet held, Placement.Builder sum) {
        for (var numaNode : kubelet.machine().topology().numaNodes()) {
            int cpus = numaNode.cpus().intersect(held).size();
            if (cpus > 0) {
                sum.add(numaNode.id(), Amounts.CPU, cpus * 1000L);
            }
        }
    }

    private static void addMemory(NodeState before, NodeState after, Placement.Builder sum) {
        if (before.memory().isEmpty()) {
            return;
        }
        SortedMap<Integer, NumaMemory> left = after.memory().orElseThrow().nodes();
        before.memory()
                .get()
                .nodes()
                .forEach((id, memory) -> memory.free().forEach((type, free) -> {
                    long taken = free - requireNonNull(left.get(id)).free().getOrDefault(type, 0L);
                    if (taken > 0) {
                        sum.add(id, type, taken);
                    }
                }));
    }

    /** Whether an unhealthy device of the zones that a record of amounts names is held by none of the pods so far. */
    boolean hasUnhealthy(NodeState state, Placement placement) {
        FreeDevices free = new FreeDevices(kubelet, state);
        return placement.zones().entrySet().stream()
                .anyMatch(zone -> zone.getValue().byResource().keySet().stream()
                        .anyMatch(resource -> free.hasUnhealthy(resource, zone.getKey())));
    }

    /**
     * Any free CPUs, devices and memory of the zones that a record of amounts names.
     *
     * @param unhealthyFirst the record has what the pod holds now: unhealthy devices that no pod before it holds are its own
     */
    PodAllocation ofAmounts(
            NodeState state, String namespace, String name, Placement placement, boolean unhealthyFirst) {
        CpuSet cpus = CpuSet.EMPTY;
        List<MemoryBlock> memory = new ArrayList<>();
        List<DeviceAllocation> devices = new ArrayList<>();
        Set<String> taken = new TreeSet<>();
        for (var zone : placement.zones().entrySet()) {
            int id = zone.getKey();
            for (var amount : zone.getValue().byResource().entrySet()) {
                String resource = amount.getKey();
                if (resource.equals(Amounts.CPU)) {
                    cpus = cpus.union(freeCpus(state, id, amount.getValue() / 1000));
                } else if (ResourceKind.of(resource) == ResourceKind.DEVICE) {
                    addDevices(state, resource, id, amount.getValue(), unhealthyFirst, taken, devices);
                } else if (state.memory().isPresent() && knows(state, id, resource)) {
                    memory.add(new MemoryBlock(resource, amount.getValue(), List.of(id)));
                }
            }
        }
        return new PodAllocation(namespace, name, List.of(new ContainerAllocation("record", cpus, memory, devices)));
    }

    private static boolean knows(NodeState state, int id, String type) {
        NumaMemory memory = state.memory().orElseThrow().nodes().get(id);
        return memory != null && memory.free().containsKey(type);
    }

    private CpuSet freeCpus(NodeState state, int id, long count) {
        CpuSet free = freeCpus(state)
                .intersect(kubelet.machine()
                        .topology()
                        .numaNode(id)
                        .map(numaNode -> numaNode.cpus())
                        .orElse(CpuSet.EMPTY));
        return CpuSet.of(free.ids().limit(count).toArray());
    }

    private CpuSet freeCpus(NodeState state) {
        return state.cpus()
                .map(cpus -> cpus.shared().minus(kubelet.cpus().orElseThrow().reserved()))
                .orElse(CpuSet.EMPTY);
    }

    private void addDevices(
            NodeState state,
            String resource,
            int id,
            long count,
            boolean unhealthyFirst,
            Set<String> taken,
            List<DeviceAllocation> into) {
        SortedSet<String> held = state.devices().held(resource);
        kubelet.machine().devices().getOrDefault(resource, List.of()).stream()
                .filter(device -> device.numaNodes().contains(id))
                .filter(device -> !held.contains(device.id()) && !taken.contains(resource + device.id()))
                .sorted(Comparator.comparing((Device device) -> device.healthy() == unhealthyFirst)
                        .thenComparing(device -> device.numaNodes().count()))
                .limit(count)
                .peek(device -> taken.add(resource + device.id()))
                .forEach(device -> into.add(new DeviceAllocation(
                        resource, device.id(), device.numaNodes().ids().boxed().toList())));
    }
}

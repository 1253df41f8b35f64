package io.numaledger.kubelet;

import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.kubelet.admission.Refusal.Reason;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.kubelet.admission.StepResult;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.kubelet.cpu.CpuAllocator;
import io.numaledger.kubelet.cpu.CpuState;
import io.numaledger.kubelet.device.DeviceDraws;
import io.numaledger.kubelet.device.DeviceState;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.kubelet.memory.MemoryState;
import io.numaledger.kubelet.policy.TopologyPolicy;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The admission of one pod (cm/topologymanager/scope_container.go, scope_pod.go, scope_none.go): hints from devices, CPUs
 * and memory, their merge, the policy's verdict, then allocation in the same order, container by container.
 */
final class PodAdmission {

    private final ResourceManagers managers;
    private final PodRequest pod;
    private final DeviceDraws draws;
    private final boolean runs;
    private final SortedMap<String, TopologyHint> containerHints = new TreeMap<>();
    private final SortedMap<String, List<ProviderHints>> offered = new TreeMap<>();
    private Optional<TopologyHint> podHint = Optional.empty();
    private Optional<CpuState> cpus;
    private Optional<MemoryState> memory;
    private DeviceState devices;

    /** @param runs the kubelet has started again, and the pod has run before */
    PodAdmission(ResourceManagers managers, PodRequest pod, NodeState state, DeviceDraws draws, boolean runs) {
        this.runs = runs;
        this.managers = managers;
        this.pod = pod;
        this.draws = draws;
        this.cpus = state.cpus();
        this.memory = state.memory();
        this.devices = state.devices();
    }

    Decision decide() {
        Optional<Refusal> refusal = managers.rules().topologyScope() == TopologyScope.POD
                        && managers.policy().asksForHints()
                ? asAWhole()
                : byContainer();
        Admission.Hints hints = new Admission.Hints(podHint, containerHints, offered);
        NodeState state = state();
        if (refusal.isPresent()) {
            return new Decision(
                    new Admission.Refused(hints, refusal.get(), devices.undeterminedChoices()),
                    state.withStale(pod.name()));
        }
        return new Decision(
                new Admission.Admitted(
                        hints,
                        predicted(),
                        cpus.map(held -> held.podCpus().getOrDefault(pod.name(), CpuSet.EMPTY))
                                .orElse(CpuSet.EMPTY),
                        memory.map(held -> held.podBlocks().getOrDefault(pod.name(), List.<MemoryBlock>of()))
                                .orElse(List.of()),
                        devices.undeterminedChoices()),
                state);
    }

    /** What containers of this pod may reuse ends with its admission. */
    private NodeState state() {
        return new NodeState(
                cpus.map(held -> managers.cpus().orElseThrow().endOfAdmission(held)),
                memory.map(held -> managers.memory().orElseThrow().endOfAdmission(held)),
                managers.devices().endOfAdmission(devices),
                Collections.emptySortedSet());
    }

    private Optional<Refusal> asAWhole() {
        TopologyPolicy.Verdict verdict = managers.policy().decide(offer("*", podHints()));
        podHint = Optional.of(verdict.hint());
        if (!verdict.admits()) {
            return Optional.of(notAligned(Optional.empty()));
        }
        if (isManagedAsAWhole()) {
            return allocatePod(verdict.hint());
        }
        for (ContainerRequest container : pod.inAllocationOrder()) {
            Optional<Refusal> refusal = allocate(container, verdict.hint());
            if (refusal.isPresent()) {
                return refusal;
            }
        }
        return Optional.empty();
    }

    private Optional<Refusal> byContainer() {
        for (ContainerRequest container : pod.inAllocationOrder()) {
            TopologyHint hint = TopologyHint.NONE;
            if (managers.policy().asksForHints()) {
                TopologyPolicy.Verdict verdict = managers.policy().decide(offer(container.name(), hints(container)));
                hint = verdict.hint();
                containerHints.put(container.name(), hint);
                if (!verdict.admits()) {
                    return Optional.of(notAligned(Optional.of(container)));
                }
            }
            Optional<Refusal> refusal = allocate(container, hint);
            if (refusal.isPresent()) {
                return refusal;
            }
        }
        return Optional.empty();
    }

    private List<ProviderHints> offer(String to, List<ProviderHints> hints) {
        offered.put(to, hints);
        return hints;
    }

    private boolean isManagedAsAWhole() {
        return managers.rules().managesAsAWhole(pod);
    }

    private List<ProviderHints> podHints() {
        List<ProviderHints> hints = new ArrayList<>();
        hints.add(managers.devices().podHints(devices, pod));
        cpus.ifPresent(held -> hints.add(managers.cpus().orElseThrow().podHints(held, pod)));
        memory.ifPresent(held -> hints.add(managers.memory().orElseThrow().podHints(held, pod)));
        return hints;
    }

    private List<ProviderHints> hints(ContainerRequest container) {
        List<ProviderHints> hints = new ArrayList<>();
        hints.add(managers.devices().hints(devices, pod, container));
        cpus.ifPresent(held -> hints.add(managers.cpus().orElseThrow().hints(held, pod, container)));
        memory.ifPresent(held -> hints.add(managers.memory().orElseThrow().hints(held, pod, container)));
        return hints;
    }

    private Optional<Refusal> allocate(ContainerRequest container, TopologyHint hint) {
        boolean containerRuns = runs && container.kind() != ContainerRequest.Kind.PLAIN_INIT;
        Optional<Refusal> refusal = take(
                containerRuns
                        ? managers.devices().keep(devices, pod, container)
                        : managers.devices().allocate(devices, pod, container, hint, draws),
                this::keepDevices);
        if (refusal.isEmpty() && cpus.isPresent()) {
            refusal = take(managers.cpus().orElseThrow().allocate(cpus.get(), pod, container, hint), this::keepCpus);
        }
        if (refusal.isEmpty() && memory.isPresent()) {
            refusal = take(
                    managers.memory().orElseThrow().allocate(memory.get(), pod, container, hint), this::keepMemory);
        }
        return refusal.map(no -> no.at(container.name()));
    }

    /** Devices are left out: the kubelet gives them to such a pod only when its containers start. */
    private Optional<Refusal> allocatePod(TopologyHint hint) {
        Optional<Refusal> refusal = Optional.empty();
        if (cpus.isPresent()) {
            refusal = take(managers.cpus().orElseThrow().allocatePod(cpus.get(), pod, hint), this::keepCpus);
        }
        if (refusal.isEmpty() && memory.isPresent()) {
            refusal = take(managers.memory().orElseThrow().allocatePod(memory.get(), pod, hint), this::keepMemory);
        }
        return refusal;
    }

    private static <S> Optional<Refusal> take(StepResult<S> attempt, Consumer<S> keep) {
        keep.accept(attempt.state());
        return attempt.refused();
    }

    private void keepCpus(CpuState state) {
        cpus = Optional.of(state);
    }

    private void keepMemory(MemoryState state) {
        memory = Optional.of(state);
    }

    private void keepDevices(DeviceState state) {
        devices = state;
    }

    private Refusal notAligned(Optional<ContainerRequest> container) {
        String message = "Resources cannot be allocated with Topology locality";
        if (isManagedAsAWhole()) {
            message = "Pod Scope pod with pod-level resources failed admission "
                    + (container.isPresent()
                            ? "with a container-level topology manager"
                            : "under pod-scope topology manager");
        }
        return new Refusal(
                Reason.TOPOLOGY_AFFINITY,
                Optional.of(message),
                container.map(ContainerRequest::name),
                resourceFit(container));
    }

    private List<ResourceFit> resourceFit(Optional<ContainerRequest> container) {
        List<ResourceFit> resources = new ArrayList<>(managers.devices().resourceFit(devices, pod, container));
        cpus.ifPresent(held -> {
            CpuAllocator allocator = managers.cpus().orElseThrow();
            int count = container
                    .map(one -> allocator.exclusiveCpus(pod, one))
                    .orElseGet(() -> allocator.exclusiveCpus(pod));
            if (count > 0) {
                resources.add(allocator.resourceFit(held, count, allocator.wantedWidth(count)));
            }
        });
        memory.flatMap(held -> managers.memory().orElseThrow().resourceFit(held, pod, container))
                .ifPresent(resources::add);
        return resources;
    }

    private List<PredictedContainer> predicted() {
        return pod.inAllocationOrder().stream().map(this::predicted).toList();
    }

    private PredictedContainer predicted(ContainerRequest container) {
        SortedMap<String, SortedMap<Long, Integer>> counts = new TreeMap<>();
        devices.heldBy(pod.name(), container.name())
                .forEach((resource, ids) ->
                        counts.put(resource, managers.devices().countsByMask(resource, ids)));
        return new PredictedContainer(
                container.name(),
                cpus.map(held -> held.heldBy(pod.name(), container.name())).orElse(CpuSet.EMPTY),
                memory.map(held -> held.heldBy(pod.name(), container.name())).orElse(List.of()),
                managers.devices().allocations(devices, pod.name(), container.name()),
                counts);
    }
}

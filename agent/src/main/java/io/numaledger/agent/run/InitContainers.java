package io.numaledger.agent.run;

import io.numaledger.agent.statefiles.KubeletStateFiles;
import io.numaledger.annotation.PodView;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.topology.CpuSet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Adds to what the kubelet lists what it does not list: what plain init containers hold. CPUs and devices that none of the pod's
 * other containers got stay with the pod until its end, though nothing uses them.
 */
final class InitContainers {

    /**
     * What the state files add.
     *
     * @param pods those that are listed, with their plain init containers
     * @param cpus see {@link KubeletStateFiles.State}
     */
    record Added(PodResourcesSnapshot pods, CpuSet cpus) {}

    private final Optional<KubeletStateFiles> files;
    private final ProblemLog warnings = ProblemLog.ofInputs("statefiles");

    /** @param files absent: they are not to be read, and nothing is added */
    InitContainers(Optional<KubeletStateFiles> files) {
        this.files = files;
    }

    /**
     * What the kubelet lists, with the containers that it does not list; empty if these cannot be known.
     *
     * @param pods from the API server, with UIDs
     */
    Optional<Added> added(PodResourcesSnapshot listed, Collection<PodView> pods) {
        if (files.isEmpty()) {
            return Optional.empty();
        }
        try {
            KubeletStateFiles.State state = files.get().read();
            warnings.report(List.of());
            Map<String, String> uids = uids(pods);
            List<PodAllocation> all = listed.pods().stream()
                    .map(pod -> with(pod, state.byPod().getOrDefault(uids.getOrDefault(pod.key(), ""), List.of())))
                    .toList();
            return Optional.of(new Added(new PodResourcesSnapshot(all), state.cpus()));
        } catch (IOException e) {
            warnings.report(List.of(e.getMessage()));
            return Optional.empty();
        }
    }

    /** Pod key → UID in the kubelet; a name that is not of exactly one started pod is left out. */
    private static Map<String, String> uids(Collection<PodView> pods) {
        Map<String, String> uids = new TreeMap<>();
        pods.stream()
                .filter(pod -> pod.started() && !pod.terminal())
                .forEach(pod -> uids.merge(pod.key(), pod.kubeletUid(), (one, other) -> ""));
        return uids;
    }

    private static PodAllocation with(PodAllocation pod, List<ContainerAllocation> state) {
        Set<String> names =
                pod.containers().stream().map(ContainerAllocation::name).collect(Collectors.toSet());
        CpuSet elsewhere =
                pod.containers().stream().map(ContainerAllocation::cpus).reduce(pod.cpus(), CpuSet::union);
        Set<DeviceAllocation> taken = new TreeSet<>();
        pod.containers().forEach(container -> taken.addAll(container.devices()));
        List<ContainerAllocation> all = new ArrayList<>(pod.containers());
        for (ContainerAllocation container : state) {
            if (!names.contains(container.name())) {
                CpuSet kept = container.cpus().minus(elsewhere);
                elsewhere = elsewhere.union(kept);
                List<DeviceAllocation> devices =
                        container.devices().stream().filter(taken::add).toList();
                all.add(new ContainerAllocation(container.name(), kept, container.memory(), devices));
            }
        }
        return new PodAllocation(pod.namespace(), pod.name(), all, pod.cpus(), pod.memory(), pod.reported());
    }
}

package io.numaledger.nrt.profile;

import io.numaledger.nrt.KubeletSettings;
import io.numaledger.nrt.fingerprint.FingerprintMethod;
import io.numaledger.nrt.fingerprint.PodName;
import io.numaledger.nrt.fingerprint.PodsFingerprint;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.MachineTopology;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a profile may say beside zones and amounts.
 *
 * @param pods what the kubelet lists
 * @param unlisted pods that run here though the kubelet does not list them for the moment
 * @param coreKinds kind of cores → its CPUs as a kernel list, on machines with several kinds
 * @param initContainers what plain init containers hold is part of what pods hold
 */
public record ProfileFacts(
        MachineTopology machine,
        KubeletSettings kubelet,
        List<PodAllocation> pods,
        List<UnlistedPod> unlisted,
        SortedMap<String, String> coreKinds,
        boolean initContainers) {

    public ProfileFacts {
        pods = List.copyOf(pods);
        unlisted = List.copyOf(unlisted);
        coreKinds = Collections.unmodifiableSortedMap(new TreeMap<>(coreKinds));
    }

    /** @param exclusive its record contains resources with a NUMA node */
    public record UnlistedPod(PodName pod, boolean exclusive) {}

    String fingerprint(FingerprintMethod method) {
        return PodsFingerprint.of(counted(method));
    }

    private Collection<PodName> counted(FingerprintMethod method) {
        List<PodName> counted = new ArrayList<>();
        pods.stream().filter(method::counts).forEach(pod -> counted.add(new PodName(pod.namespace(), pod.name())));
        unlisted.stream()
                .filter(pod -> method == FingerprintMethod.ALL || pod.exclusive())
                .forEach(pod -> counted.add(pod.pod()));
        return counted;
    }
}

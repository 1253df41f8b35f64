package io.numaledger.nrt.fingerprint;

import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.PodAllocation;

import java.util.Optional;

/** Which pods of a node a fingerprint is made of; the scheduler plugins read its spelling. */
public enum FingerprintMethod {

    /** Every pod that the kubelet lists. */
    ALL("all"),

    /** Pods that hold CPUs, memory or devices that have a NUMA node. */
    WITH_EXCLUSIVE_RESOURCES("with-exclusive-resources");

    private final String spelling;

    FingerprintMethod(String spelling) {
        this.spelling = spelling;
    }

    /**
     * The method whose pods a scheduler can work out, too: it takes every Guaranteed pod with memory for exclusive, which is wrong
     * where the Memory Manager is off, and the two fingerprints would never agree.
     */
    public static FingerprintMethod readersAgreeOn(Optional<MemoryPolicy> memoryManagerPolicy) {
        return memoryManagerPolicy.filter(MemoryPolicy.NONE::equals).isPresent() ? ALL : WITH_EXCLUSIVE_RESOURCES;
    }

    public String spelling() {
        return spelling;
    }

    public boolean counts(PodAllocation pod) {
        return switch (this) {
            case ALL -> true;
            case WITH_EXCLUSIVE_RESOURCES -> isExclusive(pod);
        };
    }

    private static boolean isExclusive(PodAllocation pod) {
        return !pod.cpus().isEmpty()
                || pod.memory().stream().anyMatch(block -> !block.numaNodes().isEmpty())
                || pod.containers().stream().anyMatch(FingerprintMethod::isExclusive);
    }

    private static boolean isExclusive(ContainerAllocation container) {
        return !container.cpus().isEmpty()
                || container.memory().stream()
                        .anyMatch(block -> !block.numaNodes().isEmpty())
                || container.devices().stream()
                        .anyMatch(device -> !device.numaNodes().isEmpty());
    }
}

package io.numaledger.bridge.evaluation;

import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.spread.MaxNumaSpread;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.QosClass;
import io.numaledger.pod.Resources;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Everything about a pod that decides on its placement. Pods of equal shape get the same result on the same node. */
public final class PodShape {

    private final QosClass qosClass;
    private final Optional<Resources> podLevel;
    private final List<ContainerRequest> initContainers;
    private final List<ContainerRequest> containers;
    private final Optional<MaxNumaSpread> maxSpread;
    private final int hash;

    private PodShape(PodRequest request, Optional<MaxNumaSpread> maxSpread) {
        this.qosClass = request.qosClass();
        this.podLevel = request.podLevel();
        this.initContainers = request.initContainers();
        this.containers = request.containers();
        this.maxSpread = maxSpread;
        this.hash = Objects.hash(qosClass, podLevel, initContainers, containers, maxSpread);
    }

    /** @throws IllegalArgumentException as a sentence, for an invalid maximum NUMA spread */
    public static PodShape of(PodFacts pod) {
        return new PodShape(pod.request(), MaxNumaSpread.of(pod));
    }

    public Optional<MaxNumaSpread> maxSpread() {
        return maxSpread;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PodShape that
                && hash == that.hash
                && qosClass == that.qosClass
                && podLevel.equals(that.podLevel)
                && initContainers.equals(that.initContainers)
                && containers.equals(that.containers)
                && maxSpread.equals(that.maxSpread);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}

package io.numaledger.bridge.verdict;

import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.span.SpanCeiling;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.QosClass;
import io.numaledger.pod.Resources;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What of a pod decides on its placement: pods of one shape get the same answer from the same node. */
public final class PodShape {

    private final QosClass qosClass;
    private final Optional<Resources> podLevel;
    private final List<ContainerRequest> initContainers;
    private final List<ContainerRequest> containers;
    private final Optional<SpanCeiling> ceiling;
    private final int hash;

    private PodShape(PodRequest request, Optional<SpanCeiling> ceiling) {
        this.qosClass = request.qosClass();
        this.podLevel = request.podLevel();
        this.initContainers = request.initContainers();
        this.containers = request.containers();
        this.ceiling = ceiling;
        this.hash = Objects.hash(qosClass, podLevel, initContainers, containers, ceiling);
    }

    /** @throws IllegalArgumentException for an invalid ceiling, as a sentence */
    public static PodShape of(PodFacts pod) {
        return new PodShape(pod.request(), SpanCeiling.of(pod));
    }

    public Optional<SpanCeiling> ceiling() {
        return ceiling;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PodShape that
                && hash == that.hash
                && qosClass == that.qosClass
                && podLevel.equals(that.podLevel)
                && initContainers.equals(that.initContainers)
                && containers.equals(that.containers)
                && ceiling.equals(that.ceiling);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}

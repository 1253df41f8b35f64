package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.link.GpuLinks;
import io.numaledger.evaluation.spread.MaxNumaSpread;
import io.numaledger.gpu.LinkDemand;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.QosClass;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Equal pods in all that they request of zones and of nodes as a whole: they get the same result on the same node. They may differ in claims
 * and constraints.
 */
public final class SchedulingRequest {

    private final QosClass qosClass;
    private final Optional<Resources> podLevel;
    private final List<ContainerRequest> initContainers;
    private final List<ContainerRequest> containers;
    private final SortedMap<String, RequestedAmount> overhead;
    private final Optional<MaxNumaSpread> maxSpread;
    private final Optional<LinkDemand> links;
    private final boolean asksForLinks;
    private final int hash;

    private SchedulingRequest(
            PodRequest request, Optional<MaxNumaSpread> maxSpread, Optional<LinkDemand> links, boolean asksForLinks) {
        this.qosClass = request.qosClass();
        this.podLevel = request.podLevel();
        this.initContainers = request.initContainers();
        this.containers = request.containers();
        this.overhead = request.overhead();
        this.maxSpread = maxSpread;
        this.links = links;
        this.asksForLinks = asksForLinks;
        this.hash =
                Objects.hash(qosClass, podLevel, initContainers, containers, overhead, maxSpread, links, asksForLinks);
    }

    /** @throws IllegalArgumentException as a sentence, for an invalid annotation */
    public static SchedulingRequest of(PodFacts pod) {
        return new SchedulingRequest(pod.request(), MaxNumaSpread.of(pod), GpuLinks.of(pod), GpuLinks.isAskedBy(pod));
    }

    public Optional<MaxNumaSpread> maxSpread() {
        return maxSpread;
    }

    /** What the pod demands of the links of its GPUs. */
    public Optional<LinkDemand> links() {
        return links;
    }

    /** Whether nodes are ranked by the links of the pod's GPUs. */
    public boolean asksForLinks() {
        return asksForLinks;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SchedulingRequest that
                && hash == that.hash
                && qosClass == that.qosClass
                && podLevel.equals(that.podLevel)
                && initContainers.equals(that.initContainers)
                && containers.equals(that.containers)
                && overhead.equals(that.overhead)
                && maxSpread.equals(that.maxSpread)
                && links.equals(that.links)
                && asksForLinks == that.asksForLinks;
    }

    @Override
    public int hashCode() {
        return hash;
    }
}

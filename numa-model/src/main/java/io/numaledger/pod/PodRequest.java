package io.numaledger.pod;

import io.numaledger.pod.ContainerRequest.Kind;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Stream;

import static io.numaledger.topology.Sorted.sorted;

/**
 * The requests of one pod.
 *
 * @param name names the pod instance on its node: a UID, or {@code namespace/name} where that is unique
 * @param podLevel the pod's own resources ({@code spec.resources}), where they name some
 * @param initContainers plain init containers and sidecars, in the order of the spec
 * @param containers app containers, in the order of the spec
 * @param overhead what its RuntimeClass adds: schedulers count it for the node as a whole, and the kubelet aligns nothing of it
 */
public record PodRequest(
        String name,
        QosClass qosClass,
        Optional<Resources> podLevel,
        List<ContainerRequest> initContainers,
        List<ContainerRequest> containers,
        SortedMap<String, RequestedAmount> overhead) {

    public PodRequest {
        podLevel = podLevel.filter(own -> !own.isEmpty());
        initContainers = List.copyOf(initContainers);
        containers = List.copyOf(containers);
        overhead = overhead.isEmpty() ? Collections.emptySortedMap() : sorted(overhead);
        if (name.isBlank()) {
            throw new IllegalArgumentException(
                    "a pod request names its pod: name='%s'; use the pod's UID".formatted(name));
        }
        Set<String> seen = new HashSet<>();
        for (ContainerRequest container : initContainers) {
            check(name, container, container.kind() != Kind.APP, seen);
        }
        for (ContainerRequest container : containers) {
            check(name, container, container.kind() == Kind.APP, seen);
        }
    }

    /** A pod without overhead. */
    public PodRequest(
            String name,
            QosClass qosClass,
            Optional<Resources> podLevel,
            List<ContainerRequest> initContainers,
            List<ContainerRequest> containers) {
        this(name, qosClass, podLevel, initContainers, containers, Collections.emptySortedMap());
    }

    /** A pod of app containers only, with the QoS class that follows from them. */
    public static PodRequest of(String name, ContainerRequest... containers) {
        List<ContainerRequest> list = List.of(containers);
        return new PodRequest(name, QosClass.compute(Optional.empty(), list), Optional.empty(), List.of(), list);
    }

    /** These requests, of another pod. */
    public PodRequest named(String other) {
        return new PodRequest(other, qosClass, podLevel, initContainers, containers, overhead);
    }

    /** This pod without its requests for some resources; its QoS class stays. */
    public PodRequest without(Set<String> resources) {
        return new PodRequest(
                name,
                qosClass,
                podLevel.map(own -> own.without(resources)),
                initContainers.stream().map(each -> each.without(resources)).toList(),
                containers.stream().map(each -> each.without(resources)).toList(),
                overhead);
    }

    /** This request without the init containers that end before the app containers start. */
    public PodRequest withoutPlainInit() {
        return new PodRequest(
                name,
                qosClass,
                podLevel,
                initContainers.stream()
                        .filter(each -> each.kind() != ContainerRequest.Kind.PLAIN_INIT)
                        .toList(),
                containers,
                overhead);
    }

    private static void check(String pod, ContainerRequest container, boolean inItsPlace, Set<String> seen) {
        if (!inItsPlace) {
            throw new IllegalArgumentException(
                    "init containers and app containers stand in lists of their own: pod=%s container=%s kind=%s; move it"
                            .formatted(pod, container.name(), container.kind()));
        }
        if (!seen.add(container.name())) {
            throw new IllegalArgumentException(
                    "duplicate container name: pod=%s container=%s; rename one".formatted(pod, container.name()));
        }
    }

    public boolean isGuaranteed() {
        return qosClass == QosClass.GUARANTEED;
    }

    /** Init containers first: the order in which the kubelet allocates. */
    public List<ContainerRequest> inAllocationOrder() {
        return initContainers.isEmpty()
                ? containers
                : Stream.concat(initContainers.stream(), containers.stream()).toList();
    }
}

package io.numaledger.objects;

import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.Resources;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The requests of a pod under an in-place resize: the resize changes the spec at once, and the kubelet allocates later or never. All are one
 * object where the kubelet reports nothing else than the spec.
 *
 * @param allocated what the kubelet has allocated; the spec, while it reports nothing
 * @param nodeLevel what kube-scheduler counts for the node as a whole
 * @param held what the pod can hold at most; its owner cannot raise it
 */
record ResizedRequest(PodRequest allocated, PodRequest nodeLevel, PodRequest held) {

    /** What is reported of containers, by name, and of the pod as a whole. */
    record Reported(Map<String, ReportedResources> containers, ReportedResources pod) {

        private boolean isNothing() {
            return containers.isEmpty() && pod.equals(ReportedResources.NONE);
        }
    }

    /** How the resources of one container, or those of the pod itself, are counted. */
    private interface Count {

        Resources of(Resources spec, ReportedResources reported);
    }

    /** @param infeasible the kubelet will not do what the spec asks: reason {@code Infeasible} of the condition {@code PodResizePending} */
    static ResizedRequest of(PodRequest spec, Reported reported, boolean infeasible) {
        if (reported.isNothing()) {
            return new ResizedRequest(spec, spec, spec);
        }
        Function<ContainerRequest, ReportedResources> byKubelet =
                container -> reported.containers().getOrDefault(container.name(), single(spec, reported.pod()));
        Function<ContainerRequest, ReportedResources> byScheduler = container -> container.kind() == Kind.PLAIN_INIT
                ? ReportedResources.NONE
                : reported.containers().getOrDefault(container.name(), ReportedResources.NONE);
        return new ResizedRequest(
                counted(spec, reported, byKubelet, (own, known) -> known.allocated(own)),
                counted(spec, reported, byScheduler, (own, known) -> known.nodeLevel(own, infeasible)),
                counted(spec, reported, byKubelet, (own, known) -> known.held(own)));
    }

    /** What is reported of the whole pod, before its containers run, is that of a single container. */
    private static ReportedResources single(PodRequest spec, ReportedResources pod) {
        return spec.podLevel().isEmpty()
                        && spec.initContainers().isEmpty()
                        && spec.containers().size() == 1
                ? pod.ofPod(spec.containers().get(0).resources(), spec.overhead())
                : ReportedResources.NONE;
    }

    private static PodRequest counted(
            PodRequest spec, Reported reported, Function<ContainerRequest, ReportedResources> of, Count count) {
        Function<List<ContainerRequest>, List<ContainerRequest>> all = containers -> containers.stream()
                .map(each -> of.apply(each).confirms(each.resources())
                        ? each
                        : new ContainerRequest(each.name(), each.kind(), count.of(each.resources(), of.apply(each))))
                .toList();
        PodRequest counted = new PodRequest(
                spec.name(),
                spec.qosClass(),
                spec.podLevel().map(own -> count.of(own, reported.pod().ofPod(own, spec.overhead()))),
                all.apply(spec.initContainers()),
                all.apply(spec.containers()),
                spec.overhead());
        return counted.equals(spec) ? spec : counted;
    }
}

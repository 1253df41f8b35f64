package io.numaledger.scheduling.explain;

import io.numaledger.annotation.Annotations;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Unknown;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Why a node that takes a pod aligns nothing of it, or not all.
 *
 * @param text one sentence, with what to do
 */
public record NotAligned(Reason reason, String text) {

    private static final List<String> COMPUTE = List.of("cpu", "memory");

    /** The reason as a code. */
    public enum Reason {
        /** The node's zones are not known, and the pod would need them. */
        ZONES_UNKNOWN("zones-unknown"),
        /** The model does not cover what the kubelet does with the pod. */
        NOT_PREDICTED("not-predicted"),
        /** The Topology Manager's policy is none. */
        POLICY_NONE("policy-none"),
        /** Only Guaranteed pods get CPUs and memory of their own. */
        QOS_CLASS("qos-class"),
        /** A container with a part of a CPU runs in the shared pool. */
        CPU_NOT_WHOLE("cpu-not-whole"),
        /** The pod's containers share the resources of the pod. */
        POD_RESOURCES_SHARED("pod-resources-shared"),
        CPU_MANAGER_NONE("cpu-manager-none"),
        MEMORY_MANAGER_NONE("memory-manager-none"),
        /** No zone has a device that the pod requests. */
        DEVICE_WITHOUT_ZONE("device-without-zone"),
        /** Devices of claims: the kubelet aligns them with nothing. */
        CLAIMED_DEVICES("claimed-devices");

        private final String text;

        Reason(String text) {
            this.text = text;
        }

        /** The reason's name in the API. */
        @Override
        public String toString() {
            return text;
        }
    }

    /** Who decides about devices of claims. */
    private static final NotAligned CLAIMED = new NotAligned(
            Reason.CLAIMED_DEVICES,
            "kube-scheduler chooses the devices of the pod's claims, and the kubelet does not align them with its CPUs and memory");

    private static final NotAligned CLAIMED_WITHOUT_DEMAND = new NotAligned(
            Reason.CLAIMED_DEVICES,
            CLAIMED.text()
                    + "; %s: required refuses nodes where they would lie on other NUMA nodes"
                            .formatted(Annotations.CLAIM_ALIGNMENT));

    /**
     * The reasons, the most important first; none where everything is aligned, or the node refuses the pod.
     *
     * @param hasClaims the pod has claims on this node
     */
    static List<NotAligned> of(NodeSnapshot node, Evaluation evaluation, PodFacts pod, boolean hasClaims) {
        List<NotAligned> reasons = byKubelet(node, evaluation, pod);
        if (hasClaims && evaluation.admits()) {
            reasons.add(pod.annotation(Annotations.CLAIM_ALIGNMENT).isPresent() ? CLAIMED : CLAIMED_WITHOUT_DEMAND);
        }
        return reasons;
    }

    private static List<NotAligned> byKubelet(NodeSnapshot node, Evaluation evaluation, PodFacts pod) {
        Optional<KubeletModel> kubelet = node.model().kubelet();
        List<NotAligned> reasons = new ArrayList<>();
        if (evaluation instanceof Unknown) {
            unknown(node, pod).or(() -> qosClass(pod, "not aligned")).ifPresent(reasons::add);
        } else if (evaluation instanceof Fits fits && kubelet.isPresent()) {
            boolean nothing = fits.placement()
                    .map(PredictedPlacement::placement)
                    .filter(placement -> !placement.isEmpty())
                    .isEmpty();
            qosClass(pod, nothing ? "not aligned" : "cpu and memory are not aligned")
                    .ifPresent(reasons::add);
            if (nothing) {
                reasons.addAll(ofManagers(kubelet.get(), withoutClaimed(pod, node)));
            }
            if (kubelet.get().rules().topologyPolicy() == TopologyPolicyName.NONE) {
                reasons.add(
                        new NotAligned(
                                Reason.POLICY_NONE,
                                "not aligned: the node's Topology Manager policy is none; set topologyManagerPolicy in the kubelet's configuration"));
            }
        }
        return reasons;
    }

    private static PodRequest withoutClaimed(PodFacts pod, NodeSnapshot node) {
        return pod.request().without(node.node().constraints().draBacked());
    }

    private static Optional<NotAligned> unknown(NodeSnapshot node, PodFacts pod) {
        if (node.model().kubelet().isPresent()) {
            return Optional.of(new NotAligned(
                    Reason.NOT_PREDICTED,
                    "not predicted: the node is not refused, and its kubelet may refuse the pod"));
        }
        return pod.needsAlignment(node.node().constraints().draBacked())
                ? Optional.of(
                        new NotAligned(
                                Reason.ZONES_UNKNOWN,
                                "zones unknown: the node is not refused, and its kubelet may refuse the pod; --unknown-nodes=hold waits for the zones"))
                : Optional.empty();
    }

    private static Optional<NotAligned> qosClass(PodFacts pod, String what) {
        PodRequest request = pod.request();
        return request.isGuaranteed()
                ? Optional.empty()
                : Optional.of(new NotAligned(
                        Reason.QOS_CLASS,
                        "%s: QoS class %s: %s; set limits equal to requests, for cpu and memory of every container"
                                .formatted(what, request.qosClass(), whyNotGuaranteed(request))));
    }

    private static String whyNotGuaranteed(PodRequest request) {
        return request.podLevel()
                .map(resources -> unequal("the pod itself (spec.resources)", resources))
                .orElseGet(() -> request.inAllocationOrder().stream()
                        .map(container -> unequal("container " + container.name(), container.resources()))
                        .flatMap(Optional::stream)
                        .findFirst())
                .orElse("limits and requests differ");
    }

    private static Optional<String> unequal(String who, Resources resources) {
        for (String resource : COMPUTE) {
            RequestedAmount limit = resources.limits().getOrDefault(resource, RequestedAmount.ZERO);
            RequestedAmount request = resources.requests().getOrDefault(resource, RequestedAmount.ZERO);
            if (limit.isZero()) {
                return Optional.of("%s has no limit of %s".formatted(who, resource));
            }
            if (request.compareTo(limit) != 0) {
                return Optional.of("%s requests %s %s, and its limit is %s".formatted(who, request, resource, limit));
            }
        }
        return Optional.empty();
    }

    /** Why the resource managers give nothing of a zone to a pod. */
    private static List<NotAligned> ofManagers(KubeletModel kubelet, PodRequest request) {
        List<NotAligned> reasons = new ArrayList<>();
        withoutZone(kubelet, request).ifPresent(reasons::add);
        if (!request.isGuaranteed()) {
            return reasons;
        }
        if (kubelet.rules().cpuManagerOn()) {
            shared(request).ifPresent(reasons::add);
        } else {
            reasons.add(
                    new NotAligned(
                            Reason.CPU_MANAGER_NONE,
                            "not aligned: the node's CPU Manager policy is none; set cpuManagerPolicy: static in the kubelet's configuration"));
        }
        if (!kubelet.rules().memoryManagerOn()) {
            reasons.add(
                    new NotAligned(
                            Reason.MEMORY_MANAGER_NONE,
                            "memory is not aligned: the node's Memory Manager policy is None; set memoryManagerPolicy: Static in the kubelet's configuration"));
        }
        return reasons;
    }

    private static Optional<NotAligned> withoutZone(KubeletModel kubelet, PodRequest request) {
        Collection<String> known = kubelet.devices()
                .<Collection<String>>map(devices -> devices.resources())
                .orElse(List.of());
        NavigableSet<String> devices = new TreeSet<>();
        request.inAllocationOrder().stream()
                .flatMap(container -> container.resources().requests().entrySet().stream())
                .filter(each -> each.getKey().contains("/") && !each.getValue().isZero())
                .map(Map.Entry::getKey)
                .filter(resource -> !known.contains(resource))
                .forEach(devices::add);
        return devices.isEmpty()
                ? Optional.empty()
                : Optional.of(new NotAligned(
                        Reason.DEVICE_WITHOUT_ZONE,
                        "not aligned: no zone of the node has %s; its device plugin has to report NUMA nodes, and the agent to publish them"
                                .formatted(String.join(", ", devices))));
    }

    private static Optional<NotAligned> shared(PodRequest request) {
        Stream<ContainerRequest> containers = request.inAllocationOrder().stream();
        if (request.podLevel().isPresent()) {
            return Optional.of(
                    new NotAligned(
                            Reason.POD_RESOURCES_SHARED,
                            "not aligned: the containers share the resources of the pod (spec.resources); set limits equal to requests, for cpu and memory of a container, to give it CPUs of its own"));
        }
        return containers
                .filter(container -> cpu(container).millis() % 1000 != 0)
                .findFirst()
                .map(container -> new NotAligned(
                        Reason.CPU_NOT_WHOLE,
                        "not aligned: container %s requests %s cpu, which is not a whole number: it runs in the shared pool; request whole CPUs"
                                .formatted(container.name(), cpu(container))));
    }

    private static RequestedAmount cpu(ContainerRequest container) {
        return container.resources().requests().getOrDefault("cpu", RequestedAmount.ZERO);
    }
}

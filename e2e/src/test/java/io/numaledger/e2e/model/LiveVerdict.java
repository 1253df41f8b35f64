package io.numaledger.e2e.model;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.PredictedContainer;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a real kubelet made of one pod: the pod's status, and what its containers hold by the kubelet's state files.
 *
 * @param held by container, plain init containers too
 * @param sharedCpus the node's shared pool right after the verdict
 */
record LiveVerdict(Pod pod, SortedMap<String, ContainerAllocation> held, CpuSet sharedCpus) {

    private static final String PREFIX = "Pod was rejected: ";

    boolean isAdmitted() {
        return !pod.getStatus().getPhase().equals("Failed");
    }

    String reason() {
        return pod.getStatus().getReason();
    }

    private String message() {
        String message = Optional.ofNullable(pod.getStatus().getMessage()).orElse("");
        return message.startsWith(PREFIX) ? message.substring(PREFIX.length()) : message;
    }

    /** What differs from an answer, one sentence each: verdict, reason, message, CPU ids, memory blocks, devices. */
    List<String> differences(Admission answer, PodRequest request) {
        List<String> differences = new ArrayList<>();
        String kubelet = isAdmitted() ? "admitted" : reason() + ": " + message();
        String predicted = answer.refused()
                .map(refusal -> refusal.reason() + ": " + refusal.message().orElse(message()))
                .orElse(answer.isAdmitted() ? "admitted" : answer.toString());
        compare(request.name() + " verdict", kubelet, predicted, differences);
        if (differences.isEmpty() && answer instanceof Admission.Admitted admitted) {
            boolean drawn = !admitted.undetermined().isEmpty();
            for (ContainerRequest container : request.inAllocationOrder()) {
                compareContainer(
                        request.name() + " " + container.name(),
                        container,
                        admitted.container(container.name()).orElseThrow(),
                        drawn,
                        differences);
            }
        }
        return differences;
    }

    /** What differs from the node as the model has it after the admission, when everything else was swept before. */
    List<String> differences(NodeState after) {
        List<String> differences = new ArrayList<>();
        after.cpus()
                .ifPresent(cpus -> compare(
                        pod.getMetadata().getName() + " shared pool",
                        sharedCpus.toString(),
                        cpus.shared().toString(),
                        differences));
        return differences;
    }

    /** Memory of plain init containers is free again as soon as the next container starts. */
    private void compareContainer(
            String what,
            ContainerRequest container,
            PredictedContainer predicted,
            boolean drawn,
            List<String> differences) {
        Optional<ContainerAllocation> holds = Optional.ofNullable(held.get(container.name()));
        compare(
                what + " cpus",
                holds.map(each -> each.cpus().toString()).orElse(""),
                predicted.cpus().toString(),
                differences);
        if (container.kind() != ContainerRequest.Kind.PLAIN_INIT) {
            compare(
                    what + " memory",
                    holds.map(ContainerAllocation::memory).orElse(List.of()).toString(),
                    predicted.memory().toString(),
                    differences);
        }
        SortedMap<String, SortedMap<Long, Integer>> devices =
                counts(holds.map(ContainerAllocation::devices).orElse(List.of()));
        compare(
                what + " devices",
                drawn ? totals(devices) : devices.toString(),
                drawn
                        ? totals(predicted.deviceCounts())
                        : predicted.deviceCounts().toString(),
                differences);
    }

    private static void compare(String what, String kubelet, String predicted, List<String> differences) {
        if (!kubelet.equals(predicted)) {
            differences.add("%s: kubelet '%s', predicted '%s'".formatted(what, kubelet, predicted));
        }
    }

    private static SortedMap<String, SortedMap<Long, Integer>> counts(List<DeviceAllocation> devices) {
        SortedMap<String, SortedMap<Long, Integer>> counts = new TreeMap<>();
        devices.forEach(device -> counts.computeIfAbsent(device.resource(), resource -> new TreeMap<>())
                .merge(AffinityMask.of(device.numaNodes()).bits(), 1, Integer::sum));
        return counts;
    }

    private static String totals(SortedMap<String, SortedMap<Long, Integer>> counts) {
        SortedMap<String, Integer> totals = new TreeMap<>();
        counts.forEach((resource, byMask) -> totals.put(
                resource, byMask.values().stream().mapToInt(Integer::intValue).sum()));
        return totals.toString();
    }
}

package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.alignment.ClaimNeeds.Alternative;
import io.numaledger.evaluation.claim.ClaimAlignment;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceRequest.AllocationMode;
import io.numaledger.evaluation.claim.NodeDevices;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.resource.ResourceKind;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.ZoneName;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;

/**
 * Compares the devices that a pod's claims have or may get on a node with the NUMA nodes from which the kubelet takes the pod's CPUs and
 * memory.
 *
 * @param score how good the node is: 3: each device will be near; 2: it can be; 1: it could be, which is not evaluated; 0: it is not
 * @param violation why a device is not near or why that is unknown; absent with a score of 1 or more
 */
public record AlignmentCheck(int score, Optional<String> violation) {

    public static final int MAX_SCORE = 3;

    /** The pod has no claims on the node: its devices come from plugins, and the kubelet aligns them or not. */
    public static final AlignmentCheck BY_KUBELET = admitted(1);

    /** The evaluation costs too much. */
    private static final AlignmentCheck NOT_EVALUATED = admitted(1);

    private static final int MAX_REQUESTS = 3;

    /** @param why a sentence */
    public static AlignmentCheck violated(String why) {
        return new AlignmentCheck(0, Optional.of(why));
    }

    private static AlignmentCheck admitted(int score) {
        return new AlignmentCheck(score, Optional.empty());
    }

    /**
     * Compares them. Claims that are to be allocated are not evaluated beyond the budget of the needs.
     *
     * @param predicted what the kubelet will give to the pod
     * @param isOrdered kube-scheduler tries pools and slices in the order of their names, as since 1.36, and not in a random one
     */
    public static AlignmentCheck of(ClaimNeeds needs, NodeDevices node, Placement predicted, boolean isOrdered) {
        if (isTooCostly(needs)) {
            return NOT_EVALUATED;
        }
        AlignmentCheck check = evaluated(needs, node, predicted, isOrdered);
        return isTooCostly(needs) ? NOT_EVALUATED : check;
    }

    private static boolean isTooCostly(ClaimNeeds needs) {
        return !needs.claims().isEmpty() && needs.budget().isUsedUp();
    }

    private static AlignmentCheck evaluated(
            ClaimNeeds needs, NodeDevices node, Placement predicted, boolean isOrdered) {
        ClaimFit fit = new ClaimFit(needs, node);
        Optional<Set<Device>> devices = isOrdered ? fit.predicted() : Optional.empty();
        SortedMap<String, AffinityMask> numaNodes = numaNodes(predicted);
        Stream.concat(
                        fit.allocated().stream().flatMap(Optional::stream),
                        devices.stream().flatMap(Set::stream))
                .forEach(device -> addCompute(device, numaNodes));
        if (numaNodes.isEmpty() && (devices.isPresent() || fit.claimableZones().isEmpty())) {
            return violated("the kubelet gives the pod no CPUs and no memory of its own on this node, so that nothing "
                    + "can be aligned with the devices of its claims");
        }
        Optional<String> allocated = allocated(fit, needs, numaNodes.values());
        if (allocated.isPresent()) {
            return violated(text(numaNodes) + allocated.get());
        }
        if (devices.isPresent()) {
            return devices.get().stream()
                    .filter(device -> !ClaimFit.isUsable(device, numaNodes.values()))
                    .findFirst()
                    .map(device -> violated(text(numaNodes) + "kube-scheduler would allocate " + name(device) + ", on "
                            + place(device)))
                    .orElse(admitted(MAX_SCORE));
        }
        return switch (fit.near(numaNodes.values())) {
            case YES -> admitted(2);
            case COULD -> admitted(1);
            case NO -> violated(text(numaNodes) + free(fit, needs));
        };
    }

    /** Why no devices that are free on a node can serve all claims of a pod, near to its CPUs or not; absent where some can, or could. */
    public static Optional<String> shortage(ClaimNeeds needs, NodeDevices node) {
        ClaimFit fit = new ClaimFit(needs, node);
        return fit.allocatable(device -> true).isPossible()
                ? Optional.empty()
                : Optional.of("too few devices for the pod's claims; " + free(fit, needs));
    }

    /** The NUMA nodes of CPUs and of each type of memory. */
    static SortedMap<String, AffinityMask> numaNodes(Placement placement) {
        SortedMap<String, AffinityMask> byResource = new TreeMap<>();
        placement
                .zones()
                .forEach((id, amounts) -> amounts.byResource().keySet().stream()
                        .filter(AlignmentCheck::isCpuOrMemory)
                        .forEach(resource -> byResource.merge(resource, AffinityMask.of(id), AffinityMask::or)));
        return byResource;
    }

    /** A device that is CPUs or memory decides where others have to be. */
    private static void addCompute(Device device, SortedMap<String, AffinityMask> numaNodes) {
        AffinityMask zones = ClaimFit.zones(device);
        if (ClaimFit.isCompute(device) && !zones.isEmpty()) {
            numaNodes.merge(
                    requireNonNull(ClaimAlignment.RESOURCES.get(device.id().driver())), zones, AffinityMask::or);
        }
    }

    private static boolean isCpuOrMemory(String resource) {
        return switch (ResourceKind.of(resource)) {
            case CPU, MEMORY -> true;
            case STORAGE, DEVICE -> false;
        };
    }

    /** The first device of an allocated claim that is not near. */
    private static Optional<String> allocated(ClaimFit fit, ClaimNeeds needs, Collection<AffinityMask> masks) {
        List<Optional<Device>> devices = fit.allocated();
        for (int at = 0; at < devices.size(); at++) {
            Optional<Device> device = devices.get(at);
            if (device.filter(each -> ClaimFit.isUsable(each, masks)).isEmpty()) {
                return Optional.of("its claims hold "
                        + device.map(each -> name(each) + ", on " + place(each))
                                .orElse(needs.allocated().get(at) + ", which no ResourceSlice of this node has"));
            }
        }
        return Optional.empty();
    }

    /** Such as {@code CPUs would come from node-0; }, or {@code CPUs and memory}, or both by themselves. */
    private static String text(SortedMap<String, AffinityMask> numaNodes) {
        Map<AffinityMask, String> names = new LinkedHashMap<>();
        numaNodes.forEach((resource, mask) -> names.merge(
                mask, resource.equals(Amounts.CPU) ? "CPUs" : resource, (all, next) -> all + " and " + next));
        return names.entrySet().stream()
                .map(each -> "%s would come from %s; "
                        .formatted(each.getValue(), ZoneName.of(each.getKey()).collect(Collectors.joining(" and "))))
                .collect(Collectors.joining());
    }

    private static String name(Device device) {
        return "%s of driver %s".formatted(device.id().name(), device.id().driver());
    }

    private static String place(Device device) {
        return device.numaNodes().known().map(NumaNodes.Known::toString).orElse("an unknown NUMA node");
    }

    /** Such as {@code free devices of class vf: 2 on node-1}; of each class that is requested. */
    private static String free(ClaimFit fit, ClaimNeeds needs) {
        List<Alternative> alternatives = needs.claims().stream()
                .flatMap(claim -> claim.requests().stream())
                .flatMap(request -> request.alternatives().stream())
                .toList();
        String free = alternatives.stream()
                .limit(MAX_REQUESTS)
                .map(alternative -> "free devices of class %s%s: %s"
                        .formatted(
                                alternative.wanted().deviceClass(), needed(alternative), counts(fit.free(alternative))))
                .distinct()
                .collect(Collectors.joining("; "));
        return free + (alternatives.size() > MAX_REQUESTS ? "; and others" : "");
    }

    private static String needed(Alternative alternative) {
        long count = alternative.wanted().count();
        return alternative.wanted().mode() == AllocationMode.ALL
                ? " (all are needed)"
                : count > 1 ? " (%d are needed)".formatted(count) : "";
    }

    private static String counts(List<Device> devices) {
        SortedMap<Integer, Integer> byZone = new TreeMap<>();
        devices.forEach(device -> byZone.merge(
                device.numaNodes().known().map(NumaNodes.Known::physical).orElse(Integer.MAX_VALUE), 1, Integer::sum));
        String counts = byZone.entrySet().stream()
                .map(each -> each.getValue() + " on "
                        + (each.getKey() == Integer.MAX_VALUE ? "unknown NUMA nodes" : ZoneName.of(each.getKey())))
                .collect(Collectors.joining(", "));
        return counts.isEmpty() ? "none" : counts;
    }
}

package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.alignment.AllocationSearch.Doubt;
import io.numaledger.evaluation.alignment.ClaimNeeds.Alternative;
import io.numaledger.evaluation.alignment.ClaimNeeds.Claim;
import io.numaledger.evaluation.cel.Match;
import io.numaledger.evaluation.claim.ClaimAlignment;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.DeviceRequest.AllocationMode;
import io.numaledger.evaluation.claim.NodeDevices;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.topology.AffinityMask;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Whether devices near given NUMA nodes could serve all claims of a pod on a node. Claims that are allocated have their devices. A device
 * whose NUMA node is not known is near none.
 */
final class ClaimFit {

    private final ClaimNeeds needs;
    private final NodeDevices node;
    private final DevicesByRequest devices;

    ClaimFit(ClaimNeeds needs, NodeDevices node) {
        this.needs = needs;
        this.node = node;
        this.devices = new DevicesByRequest(node, needs.budget());
    }

    /** Whether a device is local to at least one NUMA node of each mask. */
    static boolean isNear(Device device, Collection<AffinityMask> masks) {
        return device.numaNodes()
                .known()
                .map(NumaNodes.Known::nodes)
                .filter(nodes -> masks.stream().allMatch(mask -> nodes.stream().anyMatch(mask::contains)))
                .isPresent();
    }

    /** Whether a device is CPUs or memory of the pod itself: the others have to be near it. */
    static boolean isCompute(Device device) {
        return ClaimAlignment.RESOURCES.containsKey(device.id().driver());
    }

    /** Whether a device is near masks that include the pod's own CPUs and memory. These themselves only have to be on known NUMA nodes. */
    static boolean isUsable(Device device, Collection<AffinityMask> masks) {
        return isNear(device, isCompute(device) ? List.of() : masks);
    }

    /** The NUMA nodes to which it is local; none where they are unknown. */
    static AffinityMask zones(Device device) {
        return device.numaNodes()
                .known()
                .map(known -> AffinityMask.of(known.nodes().stream()
                        .filter(id -> id <= AffinityMask.MAX_ID)
                        .toList()))
                .orElse(AffinityMask.NONE);
    }

    /** Where the CPUs and the memory that the pod claims could come from. */
    AffinityMask claimableZones() {
        return compute().flatMap(this::devices).map(ClaimFit::zones).reduce(AffinityMask.NONE, AffinityMask::or);
    }

    /** The alternatives that devices with CPUs or memory could meet. */
    private Stream<Alternative> compute() {
        return needs.claims().stream()
                .flatMap(claim -> claim.requests().stream())
                .flatMap(request -> request.alternatives().stream())
                .filter(alternative -> devices(alternative).findAny().isPresent());
    }

    private Stream<Device> devices(Alternative alternative) {
        return devices.of(alternative).compute().stream();
    }

    /**
     * Whether each device that the pod gets can be near these NUMA nodes, and near the CPUs and the memory that it claims. For those, one NUMA
     * node is tried after the other.
     */
    Match near(Collection<AffinityMask> masks) {
        Match usable = served(device -> isUsable(device, masks));
        AffinityMask zones = claimableZones();
        if (usable == Match.NO || zones.isEmpty()) {
            return usable;
        }
        List<Match> byZone = zones.ids()
                .mapToObj(zone -> Stream.concat(masks.stream(), Stream.of(AffinityMask.of(zone)))
                        .toList())
                .map(all -> served(device -> isNear(device, all)))
                .toList();
        boolean isOne = compute().count() == 1
                && compute().allMatch(each -> each.wanted().count() == 1);
        return byZone.contains(Match.YES) ? Match.YES : byZone.contains(Match.COULD) || !isOne ? Match.COULD : Match.NO;
    }

    private Match served(Predicate<Device> isNear) {
        if (!allocated().stream().allMatch(device -> device.filter(isNear).isPresent())) {
            return Match.NO;
        }
        Match sure = search(needs.claims(), isNear, Doubt.EXCLUDES).run();
        if (sure == Match.YES) {
            return needs.complete() ? Match.YES : Match.COULD;
        }
        Match possible = search(needs.claims(), isNear, Doubt.INCLUDES).run();
        return sure == Match.NO && possible == Match.NO ? Match.NO : Match.COULD;
    }

    /** The devices that allocated claims have; absent: no slice has it. */
    List<Optional<Device>> allocated() {
        Map<DeviceId, Device> devices = new HashMap<>();
        if (!needs.allocated().isEmpty()) {
            node.devices().forEach(device -> devices.putIfAbsent(device.id(), device));
        }
        return needs.allocated().stream()
                .map(id -> Optional.ofNullable(devices.get(id)))
                .toList();
    }

    /**
     * The devices that kube-scheduler will allocate to the claims that have none, in the order of the pod's claims; absent where it will
     * allocate none, or that is not computed.
     */
    Optional<Set<Device>> predicted() {
        AllocationSearch search = search(needs.claims(), device -> true, Doubt.ENDS);
        return needs.complete() && search.run() == Match.YES
                ? Optional.of(new LinkedHashSet<>(search.found()))
                : Optional.empty();
    }

    private AllocationSearch search(List<Claim> claims, Predicate<Device> usable, Doubt doubt) {
        return new AllocationSearch(devices, needs.budget(), claims, usable, doubt);
    }

    /** The devices that could meet a request and that no claim holds. */
    List<Device> free(Alternative alternative) {
        List<Device> both = devices.of(alternative).both();
        needs.budget().take(1 + both.size() / DevicesByRequest.DEVICES_PASSED_OVER);
        List<Device> free = new ArrayList<>(both);
        free.removeIf(device -> !alternative.tolerates(device) || (!device.shared() && devices.isHeld(device)));
        return free;
    }

    /** Whether such devices can serve all claims that are to be allocated. */
    Match allocatable(Predicate<Device> usable) {
        return search(needs.claims(), usable, Doubt.INCLUDES).run();
    }

    /**
     * For each of such devices that these claims need, which ones it could be. What several have to have in common is not considered, and of a
     * request with alternatives the one with the fewest devices. Beyond the budget, some are missing.
     */
    List<List<DeviceId>> needed(Predicate<Device> usable) {
        return needs.claims().stream()
                .flatMap(claim -> claim.requests().stream())
                .takeWhile(any -> !needs.budget().isUsedUp())
                .flatMap(request -> needed(request.alternatives(), usable))
                .toList();
    }

    private Stream<List<DeviceId>> needed(List<Alternative> alternatives, Predicate<Device> usable) {
        List<Device> possible = alternatives.stream()
                .flatMap(alternative -> free(alternative).stream())
                .filter(device -> needs.budget().take(1) && usable.test(device))
                .toList();
        if (!alternatives.stream()
                        .allMatch(each -> each.isKnown() && !each.wanted().adminAccess())
                || possible.stream().anyMatch(Device::shared)) {
            return Stream.empty();
        }
        List<DeviceId> ids = possible.stream().map(Device::id).distinct().toList();
        long fewest = alternatives.stream().mapToLong(this::needed).min().orElse(0);
        return Collections.nCopies((int) Math.min(fewest, ids.size() + 1), ids).stream();
    }

    private long needed(Alternative alternative) {
        return alternative.wanted().mode() == AllocationMode.ALL
                ? Math.max(1, devices.of(alternative).sure().size())
                : alternative.wanted().count();
    }
}

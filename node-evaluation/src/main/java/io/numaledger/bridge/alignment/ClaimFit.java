package io.numaledger.bridge.alignment;

import io.numaledger.bridge.alignment.AllocationSearch.Doubt;
import io.numaledger.bridge.alignment.ClaimNeeds.Alternative;
import io.numaledger.bridge.alignment.ClaimNeeds.Claim;
import io.numaledger.bridge.claim.Device;
import io.numaledger.bridge.claim.DeviceId;
import io.numaledger.bridge.claim.DeviceRequest.AllocationMode;
import io.numaledger.bridge.claim.NodeDevices;
import io.numaledger.bridge.claim.NumaNodes;
import io.numaledger.topology.AffinityMask;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
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
    private final ClaimCandidates candidates;

    ClaimFit(ClaimNeeds needs, NodeDevices node) {
        this.needs = needs;
        this.node = node;
        this.candidates = new ClaimCandidates(node);
    }

    /** Whether a device is local to at least one NUMA node of each mask. */
    static boolean isNear(Device device, Collection<AffinityMask> masks) {
        return device.numaNodes()
                .known()
                .map(NumaNodes.Known::nodes)
                .filter(nodes -> masks.stream().allMatch(mask -> nodes.stream().anyMatch(mask::contains)))
                .isPresent();
    }

    /** Whether each device that the pod gets can be near these NUMA nodes. */
    Match near(Collection<AffinityMask> masks) {
        Predicate<Device> isNear = device -> isNear(device, masks);
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
        List<Device> devices = node.devices();
        return needs.allocated().stream().map(id -> device(devices, id)).toList();
    }

    private static Optional<Device> device(List<Device> devices, DeviceId id) {
        return devices.stream().filter(device -> device.id().equals(id)).findFirst();
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
        return new AllocationSearch(candidates, claims, usable, doubt);
    }

    /** Whether such devices can serve all claims that are to be allocated. */
    Match allocatable(Predicate<Device> usable) {
        return search(needs.claims(), usable, Doubt.INCLUDES).run();
    }

    /** The devices that could meet a request and that no claim holds. */
    List<Device> free(Alternative alternative) {
        List<Device> free = new ArrayList<>(candidates.of(alternative).both());
        free.removeIf(device -> !alternative.tolerates(device) || (!device.shared() && candidates.isHeld(device)));
        return free;
    }

    /** Whether such devices can serve all claims that are to be allocated. */
    Match allocatable(Predicate<Device> usable) {
        return search(needs.claims(), usable, Doubt.INCLUDES).run();
    }

    /**
     * For each of such devices that these claims need, which ones it could be. What several have to have in common is not considered, and of a
     * request with alternatives the one with the fewest devices.
     */
    List<List<DeviceId>> needed(Predicate<Device> usable) {
        return needs.claims().stream()
                .flatMap(claim -> claim.requests().stream())
                .flatMap(request -> needed(request.alternatives(), usable))
                .toList();
    }

    private Stream<List<DeviceId>> needed(List<Alternative> alternatives, Predicate<Device> usable) {
        List<Device> possible = alternatives.stream()
                .flatMap(alternative -> free(alternative).stream())
                .distinct()
                .filter(usable)
                .toList();
        if (!alternatives.stream()
                        .allMatch(each -> each.isKnown() && !each.wanted().adminAccess())
                || possible.stream().anyMatch(Device::shared)) {
            return Stream.empty();
        }
        List<DeviceId> ids = possible.stream().map(Device::id).toList();
        long fewest = alternatives.stream().mapToLong(this::needed).min().orElse(0);
        return Collections.nCopies((int) Math.min(fewest, ids.size() + 1), ids).stream();
    }

    private long needed(Alternative alternative) {
        return alternative.wanted().mode() == AllocationMode.ALL
                ? Math.max(1, candidates.of(alternative).sure().size())
                : alternative.wanted().count();
    }
}

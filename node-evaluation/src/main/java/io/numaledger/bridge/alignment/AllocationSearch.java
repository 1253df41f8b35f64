package io.numaledger.bridge.alignment;

import io.numaledger.bridge.alignment.ClaimNeeds.Alternative;
import io.numaledger.bridge.alignment.ClaimNeeds.Claim;
import io.numaledger.bridge.alignment.ClaimNeeds.Request;
import io.numaledger.bridge.claim.Device;
import io.numaledger.bridge.claim.DeviceRequest.AllocationMode;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Predicate;

/**
 * Looks for devices for all requests of a pod's claims, as kube-scheduler's allocator does: claim by claim, request by request, the first
 * device that fits, all others after it if that leads to nothing (dynamic-resource-allocation, structured/internal/incubating,
 * allocator_incubating.go, allocateOne). For one search.
 */
final class AllocationSearch {

    /** What is done about devices and requests of which it is not known whether they fit. */
    enum Doubt {
        /** They do not fit. */
        EXCLUDES,
        /** They fit. */
        INCLUDES,
        /** The search ends without a result. */
        ENDS
    }

    /** AllocationResultsMaxSize in resource/v1, types.go. */
    private static final int MAX_DEVICES_OF_CLAIM = 32;

    /** Equal devices are tried in all combinations where others are short. */
    private static final int MAX_STEPS = 20_000;

    private final ClaimCandidates candidates;
    private final List<Claim> claims;
    private final Predicate<Device> usable;
    private final Doubt doubt;
    private final List<List<ConstraintState>> constraints;
    private final IdentityHashMap<Device, List<Integer>> users = new IdentityHashMap<>();
    private final List<List<Device>> found = new ArrayList<>();
    private int steps;
    private boolean isUndecided;

    /** @param usable whether a device may be taken */
    AllocationSearch(ClaimCandidates candidates, List<Claim> claims, Predicate<Device> usable, Doubt doubt) {
        this.candidates = candidates;
        this.claims = claims;
        this.usable = usable;
        this.doubt = doubt;
        this.constraints = claims.stream()
                .map(claim ->
                        claim.constraints().stream().map(ConstraintState::new).toList())
                .toList();
        claims.forEach(claim -> found.add(new ArrayList<>()));
    }

    /** YES or NO; COULD where it is not decided. */
    Match run() {
        SearchBudget budget = candidates.budget();
        if (!budget.spend(0)) {
            return Match.COULD;
        }
        boolean all = request(0, 0);
        budget.spend(steps * (1L + constraints.stream().mapToInt(List::size).sum()));
        return isUndecided ? Match.COULD : all ? Match.YES : Match.NO;
    }

    /** The devices after a search with the result YES, without those of requests that are not known. */
    List<Device> found() {
        return found.stream().flatMap(List::stream).toList();
    }

    private boolean request(int claim, int at) {
        if (claim == claims.size()) {
            return true;
        }
        List<Request> requests = claims.get(claim).requests();
        if (at == requests.size()) {
            return request(claim + 1, 0);
        }
        Request request = requests.get(at);
        if (request.alternatives().isEmpty()) {
            return doubtful(claim, at);
        }
        for (Alternative alternative : request.alternatives()) {
            if (isUndecided) {
                return false;
            }
            if (alternative(new Choice(claim, at, request, alternative))) {
                return true;
            }
        }
        return false;
    }

    /** Where the search is. */
    private record Choice(int claim, int at, Request request, Alternative alternative) {

        boolean isAdmin() {
            return alternative.wanted().adminAccess();
        }

        /** kube-scheduler fails where a constraint excludes one of all devices. */
        boolean isForAll() {
            return alternative.wanted().mode() == AllocationMode.ALL;
        }
    }

    private boolean alternative(Choice choice) {
        if (!choice.alternative().isKnown()) {
            return doubtful(choice.claim(), choice.at());
        }
        ClaimCandidates.Lists lists = candidates.of(choice.alternative());
        if (choice.isForAll()) {
            return all(choice, lists.sure(), lists.possible());
        }
        long count = choice.alternative().wanted().count();
        return hasPlace(choice, count)
                && pick(choice, doubt == Doubt.EXCLUDES ? lists.sure() : lists.both(), 0, (int) count);
    }

    /** With allocation mode All, each matching device has to be free. */
    private boolean all(Choice choice, List<Device> sure, List<Device> possible) {
        if (doubt != Doubt.INCLUDES && (!possible.isEmpty() || !candidates.areComplete())) {
            isUndecided |= doubt == Doubt.ENDS;
            return false;
        }
        return sure.isEmpty()
                ? pick(choice, possible, 0, 1)
                : hasPlace(choice, sure.size()) && pick(choice, sure, 0, sure.size());
    }

    private boolean hasPlace(Choice choice, long count) {
        return count > 0
                && count <= MAX_DEVICES_OF_CLAIM - found.get(choice.claim()).size();
    }

    private boolean doubtful(int claim, int at) {
        isUndecided |= doubt == Doubt.ENDS;
        return doubt == Doubt.INCLUDES && request(claim, at + 1);
    }

    private boolean pick(Choice choice, List<Device> from, int start, int count) {
        if (count == 0) {
            return request(choice.claim(), choice.at() + 1);
        }
        for (int at = start; from.size() - at >= count && !isUndecided; at++) {
            Device device = from.get(at);
            if (++steps > MAX_STEPS) {
                isUndecided = true;
            } else if (isFree(choice, device) && take(choice, device)) {
                if (pick(choice, from, at + 1, count - 1)) {
                    return true;
                }
                giveBack(choice, device);
            }
        }
        return false;
    }

    private boolean isFree(Choice choice, Device device) {
        List<Integer> holders = users.getOrDefault(device, List.of());
        boolean isHeld =
                choice.isAdmin() ? holders.contains(choice.claim()) : !holders.isEmpty() || candidates.isHeld(device);
        return (device.shared() || !isHeld) && choice.alternative().tolerates(device) && usable.test(device);
    }

    private boolean take(Choice choice, Device device) {
        if (doubt == Doubt.ENDS && candidates.of(choice.alternative()).isPossible(device)) {
            isUndecided = true;
            return false;
        }
        List<ConstraintState> added = new ArrayList<>();
        for (ConstraintState constraint : constraints.get(choice.claim())) {
            Match fits = constraint.add(choice.request(), choice.alternative(), device);
            isUndecided |= doubt == Doubt.ENDS && (fits == Match.COULD || (fits == Match.NO && choice.isForAll()));
            if (fits == Match.NO || (fits == Match.COULD && doubt != Doubt.INCLUDES)) {
                added.forEach(each -> each.remove(choice.request(), choice.alternative()));
                return false;
            }
            added.add(constraint);
        }
        users.computeIfAbsent(device, any -> new ArrayList<>()).add(choice.claim());
        found.get(choice.claim()).add(device);
        return true;
    }

    private void giveBack(Choice choice, Device device) {
        constraints.get(choice.claim()).forEach(each -> each.remove(choice.request(), choice.alternative()));
        users.getOrDefault(device, List.of()).remove((Integer) choice.claim());
        List<Device> devices = found.get(choice.claim());
        devices.remove(devices.size() - 1);
    }
}

package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.alignment.ClaimNeeds.Alternative;
import io.numaledger.evaluation.alignment.ClaimNeeds.Claim;
import io.numaledger.evaluation.alignment.ClaimNeeds.Request;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.cel.Match;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceRequest.AllocationMode;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Looks for devices for all requests of a pod's claims, as kube-scheduler's allocator does: claim by claim, request by request, the first
 * device that fits, all others after it if that leads to nothing (dynamic-resource-allocation, structured/internal/incubating,
 * allocator_incubating.go, allocateOne). For one search.
 */
final class AllocationSearch {

    /** What is done about devices and requests of which it is not known whether they fit. */
    enum Doubt {
        /** Devices and requests in doubt do not fit. */
        EXCLUDES,
        /** Devices and requests in doubt fit. */
        INCLUDES,
        /** The search ends without a result. */
        ENDS
    }

    /** AllocationResultsMaxSize in resource/v1, types.go. */
    private static final int MAX_DEVICES_OF_CLAIM = 32;

    /** Equal devices are tried in all combinations where others are short. */
    private static final int MAX_STEPS = 2_000;

    private final DevicesByRequest devices;
    private final EvaluationBudget.Part budget;
    private final List<Wanted> wanted = new ArrayList<>();
    private final Predicate<Device> usable;
    private final Doubt doubt;
    private final IdentityHashMap<Device, List<Integer>> users = new IdentityHashMap<>();

    /** The constraints, by the number of their claim. */
    private final List<List<ConstraintState>> constraints = new ArrayList<>();

    private final List<List<Device>> found = new ArrayList<>();
    private int steps;
    private boolean isUndecided;

    /** A request, and the position of its claim. */
    private record Wanted(int claim, Request request) {}

    /** One way to meet the request at a position. */
    private record Choice(int position, int claim, Request request, Alternative alternative) {

        boolean isAdmin() {
            return alternative.wanted().adminAccess();
        }

        /** kube-scheduler fails where a constraint excludes one of all devices. */
        boolean isForAll() {
            return alternative.wanted().mode() == AllocationMode.ALL;
        }
    }

    /** A point where the search goes on if what comes after it leads to nothing. */
    private interface Point {

        /** The point after the next thing to try; absent: nothing is left to try. */
        Optional<Point> next();
    }

    /** @param usable whether a device may be taken */
    AllocationSearch(
            DevicesByRequest devices,
            EvaluationBudget.Part budget,
            List<Claim> claims,
            Predicate<Device> usable,
            Doubt doubt) {
        this.devices = devices;
        this.budget = budget;
        this.usable = usable;
        this.doubt = doubt;
        for (int at = 0; at < claims.size(); at++) {
            for (Request request : claims.get(at).requests()) {
                wanted.add(new Wanted(at, request));
            }
            constraints.add(claims.get(at).constraints().stream()
                    .map(ConstraintState::new)
                    .toList());
            found.add(new ArrayList<>());
        }
    }

    /** YES or NO; COULD where it is not decided. */
    Match run() {
        if (wanted.isEmpty()) {
            return Match.YES;
        }
        boolean all = budget.take(1 + wanted.size() / DevicesByRequest.DEVICES_PASSED_OVER) && reachesTheEnd();
        return isUndecided || budget.isUsedUp() ? Match.COULD : all ? Match.YES : Match.NO;
    }

    /** The devices after a search with the result YES, without those of requests that are not known. */
    List<Device> found() {
        return found.stream().flatMap(List::stream).toList();
    }

    private boolean reachesTheEnd() {
        Deque<Point> points = new ArrayDeque<>();
        points.push(new Alternatives(0));
        while (!points.isEmpty()) {
            Optional<Point> next = points.getFirst().next();
            if (next.isEmpty()) {
                points.pop();
            } else if (next.get() instanceof Alternatives request && request.position == wanted.size()) {
                return true;
            } else {
                points.push(next.get());
            }
        }
        return false;
    }

    /** Tries the alternatives of a request; the position behind the last request is the end of the search. */
    private final class Alternatives implements Point {

        private final int position;
        private boolean isSkipped;
        private Iterator<Alternative> left = List.<Alternative>of().iterator();

        private Alternatives(int position) {
            this.position = position;
            if (position < wanted.size()) {
                List<Alternative> all = wanted.get(position).request().alternatives();
                left = all.iterator();
                isSkipped = all.isEmpty() && mayBeMet();
            }
        }

        @Override
        public Optional<Point> next() {
            if (isSkipped) {
                isSkipped = false;
                return Optional.of(new Alternatives(position + 1));
            }
            while (left.hasNext() && !isUndecided) {
                Wanted request = wanted.get(position);
                Optional<Point> next = start(new Choice(position, request.claim(), request.request(), left.next()));
                if (next.isPresent()) {
                    return next;
                }
            }
            return Optional.empty();
        }
    }

    /** Whether something that is not known is taken as met. */
    private boolean mayBeMet() {
        isUndecided |= doubt == Doubt.ENDS;
        return doubt == Doubt.INCLUDES;
    }

    private Optional<Point> start(Choice choice) {
        if (!choice.alternative().isKnown()) {
            return mayBeMet() ? Optional.of(new Alternatives(choice.position() + 1)) : Optional.empty();
        }
        DevicesByRequest.Lists lists = devices.of(choice.alternative());
        if (choice.isForAll()) {
            return all(choice, lists);
        }
        long count = choice.alternative().wanted().count();
        return hasPlace(choice, count)
                ? Optional.of(new Pick(choice, doubt == Doubt.EXCLUDES ? lists.sure() : lists.both(), 0, (int) count))
                : Optional.empty();
    }

    /** With allocation mode All, each matching device has to be free. */
    private Optional<Point> all(Choice choice, DevicesByRequest.Lists lists) {
        if (doubt != Doubt.INCLUDES && (!lists.possible().isEmpty() || !devices.areComplete())) {
            isUndecided |= doubt == Doubt.ENDS;
            return Optional.empty();
        }
        int count = lists.sure().size();
        if (count == 0) {
            return Optional.of(new Pick(choice, lists.both(), 0, 1));
        }
        return hasPlace(choice, count) ? Optional.of(new Pick(choice, lists.sure(), 0, count)) : Optional.empty();
    }

    private boolean hasPlace(Choice choice, long count) {
        return count > 0
                && count <= MAX_DEVICES_OF_CLAIM - found.get(choice.claim()).size();
    }

    /** Takes one of some devices, and then so many less one of those after it. */
    private final class Pick implements Point {

        private final Choice choice;
        private final List<Device> from;
        private final int count;
        private int at;
        private boolean isTaken;

        private Pick(Choice choice, List<Device> from, int start, int count) {
            this.choice = choice;
            this.from = from;
            this.at = start;
            this.count = count;
        }

        @Override
        public Optional<Point> next() {
            if (isTaken) {
                giveBack(choice, from.get(at - 1));
                isTaken = false;
            }
            while (from.size() - at >= count && !isUndecided) {
                Device device = from.get(at++);
                if (++steps > MAX_STEPS
                        || !budget.take(1 + constraints.get(choice.claim()).size())) {
                    isUndecided = true;
                } else if (isFree(choice, device) && take(choice, device)) {
                    isTaken = true;
                    return Optional.of(
                            count == 1
                                    ? new Alternatives(choice.position() + 1)
                                    : new Pick(choice, from, at, count - 1));
                }
            }
            return Optional.empty();
        }
    }

    private boolean isFree(Choice choice, Device device) {
        List<Integer> holders = users.getOrDefault(device, List.of());
        boolean isHeld =
                choice.isAdmin() ? holders.contains(choice.claim()) : !holders.isEmpty() || devices.isHeld(device);
        return (device.shared() || !isHeld) && choice.alternative().tolerates(device) && usable.test(device);
    }

    private boolean take(Choice choice, Device device) {
        if (doubt == Doubt.ENDS && devices.of(choice.alternative()).possible().contains(device)) {
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

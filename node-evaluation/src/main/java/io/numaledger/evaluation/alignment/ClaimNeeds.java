package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.cel.DeviceSelector;
import io.numaledger.evaluation.cel.Match;
import io.numaledger.evaluation.claim.ClaimConstraint;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceClass;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.DeviceRequest;
import io.numaledger.evaluation.claim.DeviceRequest.AllocationMode;
import io.numaledger.evaluation.claim.NodeDevices;
import io.numaledger.evaluation.claim.ResourceClaim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What the claims of a pod need of a node's devices, prepared once for all nodes.
 *
 * @param claims those that are to be allocated
 * @param allocated the devices of the others, which are fixed
 * @param complete all of the pod's claims are made
 * @param budget the pod's part: who creates the pod writes its claims, and each node repeats their work
 */
public record ClaimNeeds(List<Claim> claims, List<DeviceId> allocated, boolean complete, EvaluationBudget.Part budget) {

    /**
     * A claim that is to be allocated.
     *
     * @param key {@code namespace/name}
     * @param constraints what the devices of several requests have to have in common
     */
    record Claim(String key, List<Request> requests, List<ClaimConstraint> constraints) {

        private Stream<Alternative> alternatives() {
            return requests.stream().flatMap(request -> request.alternatives().stream());
        }

        /** Whether some device that no claim holds could meet a request. */
        private boolean isServed(List<Device> allocatable, EvaluationBudget.Part budget) {
            return alternatives()
                    .anyMatch(alternative -> budget.take(alternative.cost(allocatable.size()))
                            && allocatable.stream().anyMatch(device -> alternative.matches(device) != Match.NO));
        }
    }

    /**
     * One request.
     *
     * @param alternatives the first one that fits is allocated; none: it is of a form that is not known
     */
    record Request(String name, List<Alternative> alternatives) {}

    /**
     * One way to meet a request.
     *
     * @param wanted as the claim has it
     * @param selectors those of the class and its own; absent: the class is not known
     */
    record Alternative(DeviceRequest.Alternative wanted, Optional<List<DeviceSelector>> selectors) {

        boolean isKnown() {
            return selectors.isPresent() && wanted.mode() != AllocationMode.UNKNOWN;
        }

        /** Whether it is about the device; taints apart. Capacities, counters and several nodes are not evaluated. */
        Match matches(Device device) {
            boolean evaluated = device.node().isPresent()
                    && !device.shared()
                    && !device.partition()
                    && wanted.capacity().isEmpty();
            return selectors.orElse(List.of()).stream()
                    .map(selector -> selector.matches(device))
                    .reduce(evaluated ? Match.YES : Match.COULD, Match::and);
        }

        /** About how much {@link #matches} costs for so many devices. */
        long cost(int devices) {
            long tokens = selectors.orElse(List.of()).stream()
                    .mapToLong(DeviceSelector::size)
                    .sum();
            return 1 + devices * (TOKENS_PER_UNIT / 4 + tokens) / TOKENS_PER_UNIT;
        }

        boolean tolerates(Device device) {
            return device.taints().stream()
                    .allMatch(taint -> wanted.tolerations().stream().anyMatch(each -> each.tolerates(taint)));
        }
    }

    private static final int TOKENS_PER_UNIT = 64;

    private static final int CHARACTERS_PER_UNIT = 32;

    public ClaimNeeds {
        claims = List.copyOf(claims);
        allocated = List.copyOf(allocated);
    }

    /**
     * Prepares claims. Requests beyond the budget are not evaluated.
     *
     * @param complete they are all that the pod has
     * @param budget the pod's part
     */
    public static ClaimNeeds of(
            List<ResourceClaim> claims,
            boolean complete,
            Function<String, Optional<DeviceClass>> classes,
            EvaluationBudget.Part budget) {
        Selectors selectors = new Selectors(classes, budget);
        List<Claim> open = new ArrayList<>();
        List<DeviceId> allocated = new ArrayList<>();
        for (ResourceClaim claim : claims) {
            if (claim.allocation().isPresent()) {
                claim.devices().forEach(result -> allocated.add(result.device()));
            } else {
                open.add(new Claim(
                        claim.key(),
                        claim.requests().stream()
                                .map(request -> request(request, selectors))
                                .toList(),
                        claim.constraints()));
            }
        }
        return new ClaimNeeds(open, allocated, complete, budget);
    }

    private static Request request(DeviceRequest request, Selectors selectors) {
        return new Request(
                request.name(),
                request.alternatives().stream()
                        .map(each -> new Alternative(each, selectors.of(each)))
                        .toList());
    }

    /** The selectors of several requests: equal expressions are read once. */
    private record Selectors(
            Function<String, Optional<DeviceClass>> classes,
            EvaluationBudget.Part budget,
            Map<String, DeviceSelector> known) {

        private Selectors(Function<String, Optional<DeviceClass>> classes, EvaluationBudget.Part budget) {
            this(classes, budget, new HashMap<>());
        }

        /** The selectors of the class and of the request; absent if the class is not known. */
        private Optional<List<DeviceSelector>> of(DeviceRequest.Alternative wanted) {
            return classes.apply(wanted.deviceClass())
                    .map(found -> Stream.concat(found.selectors().stream(), wanted.selectors().stream())
                            .map(expression -> known.computeIfAbsent(expression, this::read))
                            .toList());
        }

        private DeviceSelector read(String expression) {
            return budget.take(1 + expression.length() / CHARACTERS_PER_UNIT)
                    ? DeviceSelector.of(expression)
                    : DeviceSelector.NOT_READ;
        }
    }

    /** The keys of the claims that are to be allocated. */
    List<String> keys() {
        return claims.stream().map(Claim::key).toList();
    }

    /** These needs without claims that are to be allocated anyway. */
    ClaimNeeds without(Set<String> keys) {
        return with(claim -> !keys.contains(claim.key()));
    }

    /** These needs without claims that devices of no node could serve. */
    ClaimNeeds withoutServed(NodeDevices ofNoNode) {
        List<Device> allocatable = ofNoNode.allocatable();
        return allocatable.isEmpty() ? this : with(claim -> !claim.isServed(allocatable, budget));
    }

    private ClaimNeeds with(Predicate<Claim> which) {
        return new ClaimNeeds(claims.stream().filter(which).toList(), allocated, complete, budget);
    }

    /** Whether some of their devices are taken from nobody. */
    boolean areForAdmins() {
        return claims.stream()
                .flatMap(Claim::alternatives)
                .anyMatch(each -> each.wanted().adminAccess());
    }

    /** These, and then others. */
    public ClaimNeeds plus(ClaimNeeds others) {
        return new ClaimNeeds(
                Stream.concat(claims.stream(), others.claims.stream()).toList(),
                Stream.concat(allocated.stream(), others.allocated.stream()).toList(),
                complete && others.complete,
                budget);
    }

    /** Whether there is nothing to align. */
    public boolean isEmpty() {
        return complete && claims.isEmpty() && allocated.isEmpty();
    }
}

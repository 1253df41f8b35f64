package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.cel.Match;
import io.numaledger.evaluation.claim.ClaimConstraint;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceAttribute;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.DevicePool;
import io.numaledger.evaluation.claim.DeviceRequest;
import io.numaledger.evaluation.claim.DeviceRequest.AllocationMode;
import io.numaledger.evaluation.claim.DeviceRequest.Alternative;
import io.numaledger.evaluation.claim.NodeDevices;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.topology.AffinityMask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static io.numaledger.evaluation.alignment.TestDevices.DRIVER;
import static io.numaledger.evaluation.alignment.TestDevices.alternative;
import static io.numaledger.evaluation.alignment.TestDevices.claim;
import static io.numaledger.evaluation.alignment.TestDevices.device;
import static io.numaledger.evaluation.alignment.TestDevices.needs;
import static io.numaledger.evaluation.alignment.TestDevices.node;
import static io.numaledger.evaluation.alignment.TestDevices.request;
import static org.assertj.core.api.Assertions.assertThat;

class ClaimFitTest {

    private static final String UNREADABLE = "device.driver.matches(\"vf.*\")";

    private static List<AffinityMask> zones(int... ids) {
        return List.of(AffinityMask.of(ids));
    }

    private static List<Device> devices(int... numaNodes) {
        return IntStream.range(0, numaNodes.length)
                .mapToObj(index -> device("vf-" + index, numaNodes[index]))
                .toList();
    }

    @Test
    void fitsNearTheZonesOfFreeDevices() {
        ClaimFit fit = new ClaimFit(needs(claim("a", request("r", 2))), node(devices(0, 1, 1), List.of()));
        assertThat(fit.near(zones(1))).isEqualTo(Match.YES);
        assertThat(fit.near(zones(0))).isEqualTo(Match.NO);
        assertThat(fit.near(zones(0, 1))).isEqualTo(Match.YES);
        assertThat(fit.near(List.of(AffinityMask.of(1), AffinityMask.of(0)))).isEqualTo(Match.NO);
    }

    @Test
    void anUnknownNumaNodeIsNearNone() {
        ClaimFit fit = new ClaimFit(needs(claim("a", request("r", 1))), node(devices(-1), List.of()));
        assertThat(fit.near(zones(0))).isEqualTo(Match.NO);
    }

    @Test
    void whatIsNotEvaluatedCouldFit() {
        ClaimFit fit = new ClaimFit(needs(claim("a", request("r", 1, UNREADABLE))), node(devices(0), List.of()));
        assertThat(fit.near(zones(0))).isEqualTo(Match.COULD);
        assertThat(fit.near(zones(1))).isEqualTo(Match.NO);
        assertThat(fit.predicted()).isEmpty();
    }

    @Test
    void anUnknownClassOrClaimCouldFit() {
        Alternative other = new Alternative(
                "", "other", List.of(), AllocationMode.EXACT_COUNT, 1, false, List.of(), new TreeMap<>());
        ClaimFit fit = new ClaimFit(needs(claim("a", request("r", other))), node(devices(1), List.of()));
        assertThat(fit.near(zones(0))).isEqualTo(Match.COULD);
        ClaimNeeds missing = ClaimNeeds.of(List.of(), false, any -> Optional.empty(), TestDevices.ample());
        assertThat(new ClaimFit(missing, node(devices(1), List.of())).near(zones(0)))
                .isEqualTo(Match.COULD);
    }

    @Test
    void withAllocationModeAllEachDeviceIsNeeded() {
        ClaimNeeds all = needs(claim("a", request("r", alternative("", AllocationMode.ALL, 0))));
        List<Device> devices = devices(0, 0, 1);
        assertThat(new ClaimFit(all, node(devices, List.of())).near(zones(0))).isEqualTo(Match.NO);
        assertThat(new ClaimFit(all, node(devices.subList(0, 2), List.of())).near(zones(0)))
                .isEqualTo(Match.YES);
        assertThat(new ClaimFit(all, node(devices.subList(0, 2), devices.subList(0, 1))).near(zones(0)))
                .isEqualTo(Match.NO);
    }

    @Test
    void predictsTheFirstFreeDevices() {
        List<Device> devices = devices(0, 1, 0, 1);
        ClaimNeeds two = needs(claim("a", request("r", 2)));
        assertThat(new ClaimFit(two, node(devices, devices.subList(0, 1))).predicted())
                .contains(Set.of(devices.get(1), devices.get(2)));
        ClaimNeeds matching = needs(claim(
                "a",
                List.of(new ClaimConstraint(
                        List.of(), Optional.of("resource.kubernetes.io/numaNode"), Optional.empty())),
                request("r", 2)));
        assertThat(new ClaimFit(matching, node(devices, devices.subList(0, 1))).predicted())
                .contains(Set.of(devices.get(1), devices.get(3)));
    }

    @Test
    void poolsWithBindingConditionsComeLast() {
        Device plain = device("b", 0);
        Device conditional = new Device(
                new DeviceId(DRIVER, "n", "a"),
                plain.node(),
                plain.numaNodes(),
                plain.attributes(),
                plain.capacity(),
                List.of(),
                false,
                false,
                new TreeMap<>(),
                true);
        NodeDevices node = new NodeDevices(
                List.of(
                        new DevicePool(DRIVER, "a", true, List.of(device("a-0", 1), conditional)),
                        new DevicePool(DRIVER, "b", true, List.of(plain))),
                List.of(),
                new TreeMap<>());
        assertThat(new ClaimFit(needs(claim("c", request("r", 1))), node).predicted())
                .contains(Set.of(plain));
    }

    @Test
    void predictsTheFirstAlternativeThatFits() {
        List<Device> devices = devices(0, 1, 1);
        ClaimNeeds needs = needs(claim(
                "a",
                request(
                        "r",
                        alternative("four", AllocationMode.EXACT_COUNT, 4),
                        alternative("two", AllocationMode.EXACT_COUNT, 2))));
        assertThat(new ClaimFit(needs, node(devices, List.of())).predicted())
                .contains(Set.of(devices.get(0), devices.get(1)));
    }

    @Test
    void predictsInTheOrderOfClaims() {
        List<Device> devices = devices(0, 0);
        ResourceClaim any = claim("a", request("r", 1));
        ResourceClaim first =
                claim("b", request("r", 1, "device.attributes[\"resource.kubernetes.io\"].numaNode == 0"));
        assertThat(new ClaimFit(needs(any, first), node(devices, List.of())).predicted())
                .contains(Set.copyOf(devices));
        List<Device> three = devices(1, 0, 1);
        ResourceClaim two = claim("c", request("r", 1, "device.attributes[\"resource.kubernetes.io\"].numaNode == 1"));
        assertThat(new ClaimFit(needs(any, two), node(three, List.of())).predicted())
                .contains(Set.of(three.get(0), three.get(2)));
        assertThat(new ClaimFit(needs(two, first), node(three, List.of())).predicted())
                .contains(Set.of(three.get(0), three.get(1)));
    }

    @Test
    void aSearchIsBounded() {
        List<ClaimConstraint> constraints =
                List.of(new ClaimConstraint(List.of(), Optional.empty(), Optional.of(DRIVER + "/card")));
        List<Device> devices = IntStream.range(0, 100)
                .mapToObj(index -> device("vf-" + index, 0, Map.of(DRIVER + "/card", DeviceAttribute.ofInt(index % 7))))
                .toList();
        ClaimFit fit = new ClaimFit(needs(claim("a", constraints, request("r", 8))), node(devices, List.of()));
        assertThat(fit.near(zones(0))).isEqualTo(Match.COULD);
        assertThat(fit.predicted()).isEmpty();
    }

    @Test
    void theSearchesOnAllNodesAreBoundedTogether() {
        List<ClaimConstraint> constraints =
                List.of(new ClaimConstraint(List.of(), Optional.empty(), Optional.of(DRIVER + "/card")));
        List<Device> devices = IntStream.range(0, 100)
                .mapToObj(index -> device("vf-" + index, 0, Map.of(DRIVER + "/card", DeviceAttribute.ofInt(index % 7))))
                .toList();
        ClaimNeeds needs = TestDevices.needs(
                new EvaluationBudget(1_000_000).ofPod("any"), claim("a", constraints, request("r", 8)));
        int nodes = 0;
        for (; !needs.budget().isUsedUp(); nodes++) {
            new ClaimFit(needs, node(devices, List.of())).near(zones(0));
        }
        assertThat(nodes).isBetween(100, 1000);
        assertThat(new ClaimFit(needs, node(devices, List.of())).near(zones(0))).isEqualTo(Match.COULD);
    }

    @Test
    void selectorsThatWouldTakeTooLongAreNotEvaluated() {
        String expression = String.join(" && ", Collections.nCopies(1200, "1 == 1"));
        String[] selectors = Collections.nCopies(300, expression).toArray(String[]::new);
        List<Device> devices = IntStream.range(0, 10_000)
                .mapToObj(index -> device("vf-" + index, 0))
                .toList();
        ClaimFit fit = new ClaimFit(needs(claim("a", request("r", 1, selectors))), node(devices, List.of()));
        assertThat(fit.near(zones(0))).isEqualTo(Match.COULD);
        assertThat(fit.predicted()).isEmpty();
    }

    // ---- the slow twin

    static LongStream seeds() {
        return LongStream.range(0, 400);
    }

    private record Case(List<Device> devices, List<Device> held, List<ResourceClaim> claims) {

        static Case of(Random random) {
            List<Device> devices = IntStream.range(0, 2 + random.nextInt(4))
                    .mapToObj(index -> device(
                            "vf-" + index,
                            random.nextInt(4) - 1,
                            random.nextInt(5) == 0
                                    ? Map.of()
                                    : Map.of(DRIVER + "/card", DeviceAttribute.ofInt(random.nextInt(2)))))
                    .toList();
            List<Device> held =
                    devices.stream().filter(any -> random.nextInt(5) == 0).toList();
            List<ResourceClaim> claims = IntStream.range(0, 1 + random.nextInt(2))
                    .mapToObj(index -> randomClaim(random, "c" + index))
                    .toList();
            return new Case(devices, held, claims);
        }

        private static ResourceClaim randomClaim(Random random, String name) {
            List<ClaimConstraint> constraints = new ArrayList<>();
            if (random.nextInt(3) == 0) {
                Optional<String> card = Optional.of(DRIVER + "/card");
                List<String> requests = random.nextBoolean() ? List.of() : List.of("r0", "r1/b");
                constraints.add(
                        random.nextBoolean()
                                ? new ClaimConstraint(requests, card, Optional.empty())
                                : new ClaimConstraint(requests, Optional.empty(), card));
            }
            return claim(
                    name,
                    constraints,
                    IntStream.range(0, 1 + random.nextInt(2))
                            .mapToObj(index -> randomRequest(random, "r" + index))
                            .toArray(DeviceRequest[]::new));
        }

        private static DeviceRequest randomRequest(Random random, String name) {
            return random.nextInt(3) == 0
                    ? request(name, randomAlternative(random, "a"), randomAlternative(random, "b"))
                    : request(name, randomAlternative(random, ""));
        }

        private static Alternative randomAlternative(Random random, String name) {
            AllocationMode mode = random.nextInt(6) == 0 ? AllocationMode.ALL : AllocationMode.EXACT_COUNT;
            String[] selectors = random.nextInt(3) == 0
                    ? new String[] {"device.attributes[\"%s\"].card == %d".formatted(DRIVER, random.nextInt(2))}
                    : new String[0];
            return alternative(name, mode, 1 + random.nextInt(2), selectors);
        }
    }

    /** A way to give devices to alternatives of requests, one of all that there are. */
    private record Assignment(ResourceClaim claim, String request, Alternative alternative, Set<Device> devices) {}

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithTryingEveryAssignment(long seed) {
        Case random = Case.of(new Random(seed));
        NodeDevices node = node(random.devices(), random.held());
        ClaimFit fit = new ClaimFit(needs(random.claims().toArray(ResourceClaim[]::new)), node);
        for (int mask = 1; mask < 8; mask++) {
            List<AffinityMask> zones = List.of(new AffinityMask(mask));
            List<Device> near = random.devices().stream()
                    .filter(device -> ClaimFit.isNear(device, zones))
                    .toList();
            boolean exists = first(random, 0, 0, new ArrayList<>(), near).isPresent();
            assertThat(fit.near(zones)).as("zones %d", mask).isEqualTo(exists ? Match.YES : Match.NO);
        }
        Optional<Set<Device>> first = first(random, 0, 0, new ArrayList<>(), random.devices());
        if (random.claims().size() == 1) {
            assertThat(fit.predicted()).isEqualTo(first);
        } else {
            assertThat(fit.predicted()).isIn(Optional.empty(), first);
        }
    }

    /** The devices of the first valid assignment: by alternative, then by the places of the devices. */
    private static Optional<Set<Device>> first(
            Case random, int claimAt, int requestAt, List<Assignment> chosen, List<Device> usable) {
        if (claimAt == random.claims().size()) {
            return isValid(random, chosen, usable)
                    ? Optional.of(chosen.stream()
                            .flatMap(each -> each.devices().stream())
                            .collect(Collectors.toSet()))
                    : Optional.empty();
        }
        ResourceClaim claim = random.claims().get(claimAt);
        if (requestAt == claim.requests().size()) {
            return first(random, claimAt + 1, 0, chosen, usable);
        }
        DeviceRequest request = claim.requests().get(requestAt);
        for (Alternative alternative : request.alternatives()) {
            for (Set<Device> devices : subsets(random.devices())) {
                if (!suits(random, alternative, devices)) {
                    continue;
                }
                chosen.add(new Assignment(claim, request.name(), alternative, devices));
                Optional<Set<Device>> found = first(random, claimAt, requestAt + 1, chosen, usable);
                chosen.remove(chosen.size() - 1);
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    /** All but the empty one; of equally large ones, that with the first devices first. */
    private static List<Set<Device>> subsets(List<Device> devices) {
        return IntStream.range(1, 1 << devices.size())
                .mapToObj(bits -> IntStream.range(0, devices.size())
                        .filter(bit -> (bits & 1 << bit) != 0)
                        .boxed()
                        .toList())
                .sorted(Comparator.comparing(List::toString))
                .<Set<Device>>map(places -> places.stream().map(devices::get).collect(Collectors.toSet()))
                .toList();
    }

    private static boolean selects(Alternative alternative, Device device) {
        return alternative.selectors().stream().allMatch(text -> {
            DeviceAttribute card = device.attributes().get(DRIVER + "/card");
            return card != null && text.endsWith("== " + card.values().get(0));
        });
    }

    private static boolean suits(Case random, Alternative alternative, Set<Device> devices) {
        List<Device> selected = random.devices().stream()
                .filter(device -> selects(alternative, device))
                .toList();
        return alternative.mode() == AllocationMode.ALL
                ? devices.equals(Set.copyOf(selected))
                : devices.size() == alternative.count() && selected.containsAll(devices);
    }

    private static boolean isValid(Case random, List<Assignment> chosen, List<Device> usable) {
        List<Device> all =
                chosen.stream().flatMap(each -> each.devices().stream()).toList();
        return Set.copyOf(all).size() == all.size()
                && usable.containsAll(all)
                && all.stream().noneMatch(random.held()::contains)
                && random.claims().stream()
                        .allMatch(claim ->
                                claim.constraints().stream().allMatch(constraint -> isMet(constraint, claim, chosen)));
    }

    private static boolean isMet(ClaimConstraint constraint, ResourceClaim claim, List<Assignment> chosen) {
        List<Optional<DeviceAttribute>> cards = chosen.stream()
                .filter(each -> each.claim().key().equals(claim.key()))
                .filter(each -> constraint.requests().isEmpty()
                        || constraint.requests().contains(each.request())
                        || constraint
                                .requests()
                                .contains(each.request() + "/"
                                        + each.alternative().name()))
                .flatMap(each -> each.devices().stream())
                .map(device -> Optional.ofNullable(device.attributes().get(DRIVER + "/card")))
                .toList();
        long different = cards.stream().distinct().count();
        return !cards.contains(Optional.<DeviceAttribute>empty())
                && (constraint.matchAttribute().isPresent() ? different <= 1 : different == cards.size());
    }
}

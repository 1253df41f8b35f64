package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.claim.ClaimConstraint;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceAttribute;
import io.numaledger.evaluation.claim.DeviceClass;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.DevicePool;
import io.numaledger.evaluation.claim.DeviceRequest;
import io.numaledger.evaluation.claim.DeviceRequest.AllocationMode;
import io.numaledger.evaluation.claim.DeviceRequest.Alternative;
import io.numaledger.evaluation.claim.NodeDevices;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.NodeConstraints.Taint;
import io.numaledger.evaluation.facts.Toleration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares with what a real kube-scheduler has allocated. {@code allocations.txt} has one node and one pod in each case, with random slices in
 * the order of their creation, and claims in the pod's order; kube-scheduler 1.36.3 and 1.37.2 gave the same devices to all of them.
 */
class RecordedAllocationsTest {

    private static final String ATTRIBUTE = "numa.example.com/node";

    private static final Map<String, String> CLASSES = Map.of(
            "a", "device.driver == \"a.example.com\"",
            "b", "device.driver == \"b.example.com\"",
            "any", "device.driver in [\"a.example.com\", \"b.example.com\"]");

    /** Reads one case. */
    private static final class Case {

        private final String name;
        private final SortedMap<String, SortedMap<String, List<Device>>> slices = new TreeMap<>();
        private final Map<String, Integer> counts = new TreeMap<>();
        private final List<ResourceClaim> claims = new ArrayList<>();
        private final SortedSet<DeviceId> allocated = new TreeSet<>();
        private String pool = "";
        private String slice = "";

        private Case(String text) {
            String[] lines = text.split("\n");
            this.name = lines[0];
            List.of(lines).subList(1, lines.length).forEach(this::read);
        }

        private void read(String line) {
            String[] words = line.split(" ", 7);
            switch (words[0]) {
                case "slice" -> {
                    slice = words[1];
                    pool = words[2] + " " + words[3];
                    counts.put(pool, Integer.parseInt(words[4]));
                    slices.computeIfAbsent(pool, any -> new TreeMap<>()).put(slice, new ArrayList<>());
                }
                case "device" -> slices.get(pool).get(slice).add(device(words));
                case "claim" -> claims.add(TestDevices.claim(words[1]));
                case "match" -> last(List.of(), constraint(true));
                case "distinct" -> last(List.of(), constraint(false));
                case "request" -> last(List.of(new DeviceRequest(words[1], List.of())), List.of());
                case "alternative" -> alternative(words);
                case "allocated" -> allocated.add(new DeviceId(words[1], words[2], words[3]));
                default -> throw new IllegalArgumentException(line);
            }
        }

        private Device device(String[] words) {
            String driver = pool.substring(0, pool.indexOf(' '));
            return new Device(
                    new DeviceId(driver, pool.substring(driver.length() + 1), words[1]),
                    Optional.of("n"),
                    new NumaNodes.Unknown("it is not recorded"),
                    new TreeMap<>(Map.of(ATTRIBUTE, DeviceAttribute.ofInt(Long.parseLong(words[3])))),
                    Collections.emptySortedMap(),
                    words.length > 4 ? List.of(new Taint("example.com/bad", "", "NoSchedule")) : List.of(),
                    false,
                    false);
        }

        private static List<ClaimConstraint> constraint(boolean match) {
            Optional<String> name = Optional.of(ATTRIBUTE);
            return List.of(
                    new ClaimConstraint(List.of(), match ? name : Optional.empty(), match ? Optional.empty() : name));
        }

        private void alternative(String[] words) {
            Alternative alternative = new Alternative(
                    words[1].replace("-", ""),
                    words[2],
                    List.of(words[6]),
                    words[3].equals("All") ? AllocationMode.ALL : AllocationMode.EXACT_COUNT,
                    Long.parseLong(words[4]),
                    false,
                    words[5].equals("tolerant")
                            ? List.of(new Toleration("example.com/bad", "Exists", "", ""))
                            : List.of(),
                    Collections.emptySortedMap());
            ResourceClaim claim = claims.remove(claims.size() - 1);
            List<DeviceRequest> requests = new ArrayList<>(claim.requests());
            DeviceRequest request = requests.remove(requests.size() - 1);
            requests.add(new DeviceRequest(
                    request.name(),
                    Stream.concat(request.alternatives().stream(), Stream.of(alternative))
                            .toList()));
            claims.add(TestDevices.claim(claim.name(), claim.constraints(), requests.toArray(DeviceRequest[]::new)));
        }

        private void last(List<DeviceRequest> requests, List<ClaimConstraint> constraints) {
            ResourceClaim claim = claims.remove(claims.size() - 1);
            claims.add(TestDevices.claim(
                    claim.name(),
                    Stream.concat(claim.constraints().stream(), constraints.stream())
                            .toList(),
                    Stream.concat(claim.requests().stream(), requests.stream()).toArray(DeviceRequest[]::new)));
        }

        private NodeDevices node() {
            List<DevicePool> pools = slices.entrySet().stream()
                    .map(each -> new DevicePool(
                            each.getKey().split(" ")[0],
                            each.getKey().split(" ")[1],
                            each.getValue().size() == counts.get(each.getKey()),
                            each.getValue().values().stream()
                                    .flatMap(List::stream)
                                    .toList()))
                    .toList();
            return new NodeDevices(pools, List.of(), Collections.emptySortedMap());
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        try (InputStream file =
                Objects.requireNonNull(RecordedAllocationsTest.class.getResourceAsStream("allocations.txt"))) {
            return Stream.of(new String(file.readAllBytes(), StandardCharsets.UTF_8).split("(?m)^case "))
                    .filter(text -> !text.isEmpty())
                    .map(Case::new);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest(name = "case {0}")
    @MethodSource("cases")
    void predictsWhatKubeSchedulerAllocates(Case recorded) {
        ClaimNeeds needs = ClaimNeeds.of(
                recorded.claims,
                true,
                name -> Optional.of(
                        new DeviceClass(name, List.of(CLASSES.get(name)), Optional.empty(), Optional.empty())),
                TestDevices.ample());
        Optional<Set<DeviceId>> predicted = new ClaimFit(needs, recorded.node())
                .predicted()
                .map(devices -> devices.stream().map(Device::id).collect(Collectors.toSet()));
        if (recorded.allocated.isEmpty()) {
            assertThat(predicted).isEmpty();
        } else if (predicted.isPresent() || needs.claims().size() == 1) {
            assertThat(predicted).contains(recorded.allocated);
        }
    }
}

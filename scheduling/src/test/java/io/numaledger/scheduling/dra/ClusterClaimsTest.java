package io.numaledger.scheduling.dra;

import io.numaledger.evaluation.claim.ClaimAllocation;
import io.numaledger.evaluation.claim.ClaimAllocation.Result;
import io.numaledger.evaluation.claim.ClaimedDevice;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceAttribute;
import io.numaledger.evaluation.claim.DeviceClass;
import io.numaledger.evaluation.claim.DeviceCounts;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.NodeDevices;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.claim.ResourceSlice;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.gpu.PciNumaNodes;
import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

class ClusterClaimsTest {

    private static final String DRIVER = "vf.example.com";

    private final List<String> changed = new ArrayList<>();
    private final ClusterClaims claims = new ClusterClaims(changed::add, () -> {}, () -> {}, InstantSource.system());

    @Test
    void tellsWhatIsClaimedAndFreeByZone() {
        claims.sliceChanged(slice("s", 1, 1, vf("vf-0", 0), vf("vf-1", 0), vf("vf-2", 1), vf("vf-3", -1)));
        claims.claimChanged(claim("c", "vf-1"));

        NodeDevices node = claims.devices("n");
        assertThat(names(node.free())).containsExactly("vf-0", "vf-2", "vf-3");
        assertThat(node.claims()).isEqualTo(Map.of(id("vf-1"), "ns/c"));
        assertThat(node.counts())
                .containsExactly(
                        new DeviceCounts(DRIVER, Optional.of(0), 1, 1),
                        new DeviceCounts(DRIVER, Optional.of(1), 0, 1),
                        new DeviceCounts(DRIVER, Optional.empty(), 0, 1));
        assertThat(claims.allocated(id("vf-1"))).extracting(ResourceClaim::key).containsExactly("ns/c");
        assertThat(claims.devices("other")).isSameAs(NodeDevices.NONE);
    }

    /** Halves of a GPU, each of which uses one of its two counters, and the whole GPU, which uses both. */
    @ParameterizedTest(name = "{0} held")
    @CsvSource(delimiter = '|', textBlock = """
            none   | half-0 half-1 whole
            half-0 | half-1
            whole  |
            """)
    void whatLacksCountersOrIsTaintedIsNotFree(String held, String free) {
        String slice = """
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: %s}
                spec:
                  driver: vf.example.com
                  nodeName: n
                  pool: {name: n, generation: 1, resourceSliceCount: 2}
                """;
        String counters = "consumesCounters: [{counterSet: gpu, counters: {parts: {value: \"%d\"}}}]";
        ClusterYaml.read(slice.formatted("counters")
                        + "  sharedCounters: [{name: gpu, counters: {parts: {value: \"2\"}}}]\n"
                        + slice.formatted("devices")
                        + "  devices:\n"
                        + "  - {name: half-0, %s}\n".formatted(counters.formatted(1))
                        + "  - {name: half-1, %s}\n".formatted(counters.formatted(1))
                        + "  - {name: whole, %s}\n".formatted(counters.formatted(2))
                        + "  - {name: leaving, taints: [{key: a, effect: NoSchedule}]}\n"
                        + "  - {name: ill, taints: [{key: a, effect: NoExecute}]}\n")
                .devices()
                .slices()
                .forEach(claims::sliceChanged);
        claims.claimChanged(held.equals("none") ? claim("c") : claim("c", held));
        NodeDevices node = claims.devices("n");

        List<String> expected = free == null ? List.of() : List.of(free.split(" "));
        assertThat(names(node.free())).isEqualTo(expected);
        assertThat(node.counts()).extracting(DeviceCounts::free).containsExactly(expected.size());
        assertThat(names(node.allocatable())).hasSize(expected.size() + 2).contains("leaving", "ill");
    }

    @Test
    void returnsTheSameObjectUntilTheNodeChanges() {
        claims.sliceChanged(slice("s", 1, 1, vf("vf-0", 0)));
        NodeDevices before = claims.devices("n");
        changed.clear();

        claims.claimChanged(claim("elsewhere", "vf-9"));
        assertThat(claims.devices("n")).isSameAs(before);
        assertThat(changed).isEmpty();

        claims.claimChanged(claim("c", "vf-0"));
        assertThat(claims.devices("n").free()).isEmpty();
        assertThat(changed).containsExactly("n");

        changed.clear();
        claims.claimChanged(claim("c", "vf-0"));
        assertThat(changed).as("the same again").isEmpty();
    }

    @Test
    void aClaimThatIsGivenBackFreesItsDevice() {
        claims.sliceChanged(slice("s", 1, 1, vf("vf-0", 0), vf("vf-1", 0)));
        claims.claimChanged(claim("c", "vf-0"));
        claims.claimChanged(claim("d", "vf-1"));
        claims.claimChanged(claim("c"));
        claims.claimDeleted("ns", "d");

        assertThat(names(claims.devices("n").free())).containsExactly("vf-0", "vf-1");
    }

    @Test
    void onlyTheNewestGenerationOfAPoolCounts() {
        claims.sliceChanged(slice("a", 1, 2, vf("vf-0", 0)));
        claims.sliceChanged(slice("b", 1, 2, vf("vf-1", 0)));
        assertThat(names(claims.devices("n").free())).containsExactly("vf-0", "vf-1");

        claims.sliceChanged(slice("c", 2, 1, vf("vf-1", 1)));
        assertThat(names(claims.devices("n").devices())).containsExactly("vf-1");
        claims.sliceDeleted("a");
        claims.sliceDeleted("b");
        assertThat(claims.devices("n").counts()).containsExactly(new DeviceCounts(DRIVER, Optional.of(1), 0, 1));
    }

    @Test
    void anOlderGenerationCountsAgainWhenTheNewestIsGone() {
        claims.sliceChanged(slice("a", 1, 1, vf("vf-0", 0)));
        claims.sliceChanged(slice("b", 2, 1, vf("vf-1", 0)));
        claims.sliceDeleted("b");

        assertThat(names(claims.devices("n").free())).containsExactly("vf-0");
    }

    @Test
    void nothingOfAnIncompletePoolIsFree() {
        claims.sliceChanged(slice("a", 1, 2, vf("vf-0", 0)));
        assertThat(claims.devices("n").free()).isEmpty();
        assertThat(names(claims.devices("n").devices())).containsExactly("vf-0");

        claims.sliceChanged(slice("b", 1, 2, vf("vf-1", 0)));
        assertThat(names(claims.devices("n").free())).containsExactly("vf-0", "vf-1");
    }

    @Test
    void nothingOfAPoolIsFreeInWhichANameIsRepeated() {
        claims.sliceChanged(slice("a", 1, 2, vf("vf-0", 0), vf("vf-1", 0)));
        claims.sliceChanged(slice("b", 1, 2, vf("vf-1", 1), vf("vf-2", 1)));
        assertThat(claims.devices("n").free()).isEmpty();

        claims.sliceChanged(slice("b", 1, 2, vf("vf-2", 1)));
        assertThat(names(claims.devices("n").free())).containsExactly("vf-0", "vf-1", "vf-2");
        claims.claimChanged(claim("c", "vf-1"));
        assertThat(names(claims.devices("n").free())).containsExactly("vf-0", "vf-2");

        claims.sliceChanged(slice("b", 1, 2, vf("vf-1", 1), vf("vf-2", 1)));
        claims.sliceChanged(slice("a", 1, 2, vf("vf-0", 0)));
        assertThat(claims.devices("n").vanished()).isEmpty();
        assertThat(claims.devices("n").counts())
                .containsExactly(
                        new DeviceCounts(DRIVER, Optional.of(0), 0, 1), new DeviceCounts(DRIVER, Optional.of(1), 1, 1));

        claims.sliceChanged(slice("d", 2, 1, vf("vf-0", 0)));
        assertThat(names(claims.devices("n").devices())).containsExactly("vf-0", "vf-1");
        assertThat(names(claims.devices("n").vanished())).containsExactly("vf-1");
    }

    @Test
    void keepsWhatItReadOfADeviceWhoseSliceVanishesWhileAClaimHoldsIt() {
        claims.sliceChanged(slice("s", 1, 1, vf("vf-0", 0), vf("vf-1", 1)));
        claims.claimChanged(claim("c", "vf-1"));
        claims.sliceDeleted("s");

        assertThat(names(claims.devices("n").devices())).containsExactly("vf-1");
        assertThat(claims.devices("n").counts()).containsExactly(new DeviceCounts(DRIVER, Optional.of(1), 1, 0));
        assertThat(claims.devicesOf(pod("c")))
                .extracting(ClaimedDevice::numaNodes)
                .extracting(nodes -> nodes.known().map(Object::toString))
                .containsExactly(Optional.of("node-1"));

        claims.sliceChanged(slice("s", 1, 1, vf("vf-0", 0), vf("vf-1", 0)));
        assertThat(claims.devices("n").vanished()).isEmpty();

        claims.sliceDeleted("s");
        claims.claimDeleted("ns", "c");
        assertThat(claims.devices("n").devices()).isEmpty();
        assertThat(claims.nodes()).isEmpty();
    }

    @Test
    void findsTheClaimsAndDevicesOfAPod() {
        claims.sliceChanged(slice("s", 1, 1, vf("vf-0", 0), vf("vf-1", 1)));
        claims.claimChanged(claim("c", "vf-1", "lost"));
        claims.claimChanged(claim("d", "vf-0"));

        PodFacts pod = pod("c");
        assertThat(claims.claimsOf(pod)).extracting(ResourceClaim::name).containsExactly("c");
        assertThat(claims.devicesOf(pod))
                .extracting(each -> each.id().name(), each -> each.device().isPresent())
                .containsExactly(tuple("vf-1", true), tuple("lost", false));
        assertThat(claims.devicesOf(pod("nowhere"))).isEmpty();
    }

    @Test
    void anAdministratorTakesNothing() {
        claims.sliceChanged(slice("s", 1, 1, vf("vf-0", 0)));
        claims.claimChanged(claim("c", Stream.of(result("vf-0", true))));

        assertThat(names(claims.devices("n").free())).containsExactly("vf-0");
    }

    @Test
    void sharedDevicesAreAllocatableThoughClaimed() {
        claims.sliceChanged(slice("s", 1, 1, device("shared", Map.of(), true)));
        claims.claimChanged(claim("b", "shared"));
        claims.claimChanged(claim("a", "shared"));

        assertThat(claims.devices("n").free()).isEmpty();
        assertThat(names(claims.devices("n").allocatable())).containsExactly("shared");
        assertThat(claims.allocated(id("shared")))
                .extracting(ResourceClaim::name)
                .containsExactly("a", "b");
    }

    @Test
    void findsTheNumaNodeOfAPciAddressInWhatTheAgentPublishes() {
        claims.sliceChanged(slice(
                "s",
                1,
                1,
                device("gpu", Map.of(NumaNodes.PCI_BUS_ID, DeviceAttribute.ofString("0000:3b:00.0")), false)));
        assertThat(claims.devices("n").counts()).containsExactly(new DeviceCounts(DRIVER, Optional.empty(), 0, 1));

        claims.pciNumaNodesChanged("n", PciNumaNodes.parse("0000:3a:00.0-0000:3c:1f.7=1"));
        assertThat(claims.devices("n").counts()).containsExactly(new DeviceCounts(DRIVER, Optional.of(1), 0, 1));
    }

    @Test
    void theNewestClassServesAnExtendedResource() {
        claims.classChanged(deviceClass("old", "example.com/vf", "2026-01-01T00:00:00Z"));
        claims.classChanged(deviceClass("new", "example.com/vf", "2026-01-02T00:00:00Z"));

        assertThat(claims.classOf("example.com/vf")).map(DeviceClass::name).contains("new");
        assertThat(claims.classOf("deviceclass.resource.kubernetes.io/old"))
                .map(DeviceClass::name)
                .contains("old");
        claims.classDeleted("new");
        assertThat(claims.classOf("example.com/vf")).map(DeviceClass::name).contains("old");
        assertThat(claims.classOf("example.com/other")).isEmpty();
    }

    private static DeviceClass deviceClass(String name, String resource, String created) {
        return new DeviceClass(name, List.of(), Optional.of(resource), Optional.of(Instant.parse(created)));
    }

    private static ResourceSlice slice(String name, long generation, long slices, Device... devices) {
        return new ResourceSlice(name, DRIVER, "n", generation, slices, List.of(devices), List.of());
    }

    private static Device vf(String name, int numaNode) {
        return device(name, Map.of(NumaNodes.STANDARD, DeviceAttribute.ofInt(numaNode)), false);
    }

    private static Device device(String name, Map<String, DeviceAttribute> attributes, boolean shared) {
        SortedMap<String, DeviceAttribute> sorted = new TreeMap<>(attributes);
        return new Device(
                id(name), Optional.of("n"), NumaNodes.of(sorted), sorted, new TreeMap<>(), List.of(), shared, false);
    }

    private static ResourceClaim claim(String name, String... devices) {
        return claim(name, Stream.of(devices).map(device -> result(device, false)));
    }

    private static ResourceClaim claim(String name, Stream<Result> devices) {
        List<Result> results = devices.toList();
        return new ResourceClaim(
                "ns",
                name,
                "uid",
                List.of(),
                List.of(),
                results.isEmpty() ? Optional.empty() : Optional.of(new ClaimAllocation(Optional.of("n"), results)),
                new TreeSet<>(),
                List.of());
    }

    private static Result result(String device, boolean adminAccess) {
        return new Result("r", id(device), Optional.empty(), new TreeMap<>(), adminAccess);
    }

    private static DeviceId id(String name) {
        return new DeviceId(DRIVER, "n", name);
    }

    private static List<String> names(List<Device> devices) {
        return devices.stream().map(device -> device.id().name()).toList();
    }

    private static PodFacts pod(String claim) {
        return ClusterYaml.read("""
                        ---
                        kind: Pod
                        metadata: {name: a, namespace: ns}
                        spec: {resourceClaims: [{name: x, resourceClaimName: %s}], containers: [{name: c}]}
                        """.formatted(claim)).pods().get(0);
    }
}

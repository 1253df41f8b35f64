package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.claim.ClaimAllocation;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceAttribute;
import io.numaledger.evaluation.claim.DeviceClass;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.DevicePool;
import io.numaledger.evaluation.claim.DeviceRequest.AllocationMode;
import io.numaledger.evaluation.claim.DeviceRequest.Alternative;
import io.numaledger.evaluation.claim.NodeDevices;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.placement.Placement;
import org.junit.jupiter.api.Test;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

import static io.numaledger.evaluation.alignment.TestDevices.DRIVER;
import static io.numaledger.evaluation.alignment.TestDevices.claim;
import static io.numaledger.evaluation.alignment.TestDevices.device;
import static io.numaledger.evaluation.alignment.TestDevices.needs;
import static io.numaledger.evaluation.alignment.TestDevices.node;
import static io.numaledger.evaluation.alignment.TestDevices.request;
import static org.assertj.core.api.Assertions.assertThat;

class AlignmentCheckTest {

    private static final String UNREADABLE = "device.driver.matches(\"vf.*\")";

    private final Device first = device("vf-0", 0);
    private final Device second = device("vf-1", 1);
    private final Device third = device("vf-2", 1);
    private final NodeDevices devices = node(List.of(first, second, third, device("vf-3", -1)), List.of());

    private static Placement cpus(int... zones) {
        Placement.Builder placement = new Placement.Builder();
        for (int zone : zones) {
            placement.add(zone, "cpu", 2000);
        }
        return placement.build();
    }

    private static AlignmentCheck check(ClaimNeeds needs, NodeDevices devices, Placement placement) {
        return AlignmentCheck.of(needs, devices, placement, true);
    }

    private static String violation(AlignmentCheck check) {
        assertThat(check.score()).isZero();
        return check.violation().orElseThrow();
    }

    @Test
    void theDeviceThatWillBeAllocatedDecides() {
        ClaimNeeds one = needs(claim("a", request("r", 1)));
        assertThat(check(one, devices, cpus(0))).isEqualTo(new AlignmentCheck(3, Optional.empty()));
        assertThat(check(one, devices, cpus(0, 1))).isEqualTo(new AlignmentCheck(3, Optional.empty()));
        assertThat(violation(check(one, devices, cpus(1))))
                .isEqualTo(
                        "CPUs would come from node-1; kube-scheduler would allocate vf-0 of driver vf.example.com, on node-0");
    }

    @Test
    void withoutAnOrderTheFreeDevicesDecide() {
        ClaimNeeds one = needs(claim("a", request("r", 1)));
        assertThat(AlignmentCheck.of(one, devices, cpus(1), false).score()).isEqualTo(2);
    }

    @Test
    void memoryDecidesToo() {
        Placement placement = new Placement.Builder()
                .add(1, "cpu", 2000)
                .add(0, "memory", 1)
                .add(1, "memory", 1)
                .build();
        assertThat(violation(check(needs(claim("a", request("r", 1))), devices, placement)))
                .isEqualTo(
                        "CPUs would come from node-1; memory would come from node-0 and node-1; kube-scheduler would allocate vf-0 of driver vf.example.com, on node-0");
    }

    @Test
    void whatIsNotEvaluatedIsAdmitted() {
        ClaimNeeds one = needs(claim("a", request("r", 1, UNREADABLE)));
        assertThat(check(one, devices, cpus(1)).score()).isEqualTo(1);
    }

    @Test
    void saysWhereDevicesAreFree() {
        ClaimNeeds two = needs(claim("a", request("r", 2, UNREADABLE)));
        assertThat(violation(check(two, devices, cpus(0))))
                .isEqualTo(
                        "CPUs would come from node-0; free devices of class vf (2 are needed): 1 on node-0, 2 on node-1, 1 on unknown NUMA nodes");
        assertThat(violation(check(two, node(List.of(first, second), List.of(first, second)), cpus(0))))
                .isEqualTo("CPUs would come from node-0; free devices of class vf (2 are needed): none");
    }

    @Test
    void anAllocatedClaimHasItsDevices() {
        ResourceClaim plain = claim("a", request("r", 1));
        ClaimAllocation allocation = new ClaimAllocation(
                Optional.of("n"),
                List.of(new ClaimAllocation.Result(
                        "r", second.id(), Optional.empty(), Collections.emptySortedMap(), false)));
        ClaimNeeds needs = needs(new ResourceClaim(
                "default",
                "a",
                "a",
                plain.requests(),
                List.of(),
                Optional.of(allocation),
                Collections.emptySortedSet(),
                List.of()));
        assertThat(check(needs, devices, cpus(1)).score()).isEqualTo(3);
        assertThat(violation(check(needs, devices, cpus(0))))
                .isEqualTo("CPUs would come from node-0; its claims hold vf-1 of driver vf.example.com, on node-1");
        assertThat(violation(check(needs, node(List.of(first), List.of()), cpus(0))))
                .isEqualTo(
                        "CPUs would come from node-0; its claims hold vf.example.com/n/vf-1, which no ResourceSlice of this node has");
    }

    @Test
    void aPodWithoutCpusOfItsOwnCannotBeAligned() {
        assertThat(violation(check(needs(claim("a", request("r", 1))), devices, Placement.EMPTY)))
                .startsWith("the kubelet gives the pod no CPUs and no memory of its own on this node");
    }

    private static Device compute(String driver, String name, int numaNode) {
        TreeMap<String, DeviceAttribute> attributes =
                new TreeMap<>(Map.of(NumaNodes.STANDARD, DeviceAttribute.ofInt(numaNode)));
        return new Device(
                new DeviceId(driver, "n", name),
                Optional.of("n"),
                NumaNodes.of(attributes),
                attributes,
                Collections.emptySortedMap(),
                List.of(),
                false,
                false);
    }

    /** A class of this name has the devices of the driver of this name. */
    private static ClaimNeeds needsOf(String... classes) {
        return ClaimNeeds.of(
                Stream.of(classes)
                        .map(name -> claim(
                                name,
                                request(
                                        "r",
                                        new Alternative(
                                                "",
                                                name,
                                                List.of(),
                                                AllocationMode.EXACT_COUNT,
                                                1,
                                                false,
                                                List.of(),
                                                Collections.emptySortedMap()))))
                        .toList(),
                true,
                name -> Optional.of(new DeviceClass(
                        name, List.of("device.driver == \"%s\"".formatted(name)), Optional.empty(), Optional.empty())),
                TestDevices.ample());
    }

    private static NodeDevices nodeOf(Device... devices) {
        return new NodeDevices(
                Stream.of(devices)
                        .map(device -> new DevicePool(device.id().driver(), "n", true, List.of(device)))
                        .toList(),
                List.of(),
                new TreeMap<>());
    }

    @Test
    void claimedCpusAreThePodsCpus() {
        ClaimNeeds needs = needsOf("dra.cpu", DRIVER);
        NodeDevices apart = nodeOf(compute("dra.cpu", "cpus-1", 1), first);
        assertThat(violation(check(needs, apart, Placement.EMPTY)))
                .isEqualTo(
                        "CPUs would come from node-1; kube-scheduler would allocate vf-0 of driver vf.example.com, on node-0");
        assertThat(check(needs, nodeOf(compute("dra.cpu", "cpus-1", 1), second), Placement.EMPTY)
                        .score())
                .isEqualTo(3);
        assertThat(violation(AlignmentCheck.of(needs, apart, Placement.EMPTY, false)))
                .isEqualTo(
                        "free devices of class dra.cpu: 1 on node-1; free devices of class vf.example.com: 1 on node-0");
        assertThat(AlignmentCheck.of(
                                needs,
                                nodeOf(compute("dra.cpu", "cpus-0", 0), compute("dra.cpu", "cpus-1", 1), first),
                                Placement.EMPTY,
                                false)
                        .score())
                .isEqualTo(2);
    }

    @Test
    void claimedMemoryDecidesBesideTheKubeletsCpus() {
        ClaimNeeds needs = needsOf("dra.memory", DRIVER);
        NodeDevices node = nodeOf(compute("dra.memory", "memory-1", 1), second);
        assertThat(check(needs, node, cpus(1)).score()).isEqualTo(3);
        assertThat(violation(check(needs, node, cpus(0))))
                .isEqualTo(
                        "CPUs would come from node-0; memory would come from node-1; kube-scheduler would allocate vf-1 of driver vf.example.com, on node-1");
    }
}

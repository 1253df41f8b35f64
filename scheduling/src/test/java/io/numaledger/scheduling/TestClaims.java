package io.numaledger.scheduling;

import io.numaledger.evaluation.claim.ClaimAllocation;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceAttribute;
import io.numaledger.evaluation.claim.DeviceClass;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.DeviceRequest;
import io.numaledger.evaluation.claim.DeviceRequest.AllocationMode;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.claim.ResourceSlice;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.dra.ClusterClaims;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Devices of one driver and class, and their claims, for tests. */
public final class TestClaims {

    public static final String DRIVER = "vf.example.com";
    private static final String CARD = DRIVER + "/card";

    private final ClusterClaims claims;

    public TestClaims(ClusterClaims claims) {
        this.claims = claims;
        claims.classChanged(new DeviceClass(
                "vf", List.of("device.driver == '%s'".formatted(DRIVER)), Optional.empty(), Optional.empty()));
    }

    /** Devices {@code vf-0}, {@code vf-1}, … of a node, with these NUMA nodes; -1: unknown. */
    public void devices(String node, int... numaNodes) {
        devices(
                node,
                IntStream.range(0, numaNodes.length)
                        .mapToObj(index -> device(node, index, numaNodes[index], 0))
                        .toList());
    }

    public void devices(String node, List<Device> devices) {
        claims.sliceChanged(new ResourceSlice(node, DRIVER, node, 1, 1, devices, List.of()));
    }

    /** @param card for selectors */
    public static Device device(String node, int index, int numaNode, int card) {
        TreeMap<String, DeviceAttribute> attributes = new TreeMap<>(Map.of(CARD, DeviceAttribute.ofInt(card)));
        if (numaNode >= 0) {
            attributes.put(NumaNodes.STANDARD, DeviceAttribute.ofInt(numaNode));
        }
        return new Device(
                id(node, index),
                Optional.of(node),
                NumaNodes.of(attributes),
                attributes,
                Collections.emptySortedMap(),
                List.of(),
                false,
                false);
    }

    public static int card(Device device) {
        return Integer.parseInt(device.attributes().get(CARD).values().get(0));
    }

    private static DeviceId id(String node, int index) {
        return new DeviceId(DRIVER, node, "vf-" + index);
    }

    /** A selector of devices with this card. */
    public static String ofCard(int card) {
        return "device.attributes[\"%s\"].card == %d".formatted(DRIVER, card);
    }

    /** A claim that has no devices yet. */
    public void claim(String name, int count, String... selectors) {
        put(name, count, List.of(selectors), Optional.empty(), Collections.emptySortedSet());
    }

    /**
     * A claim that has a device.
     *
     * @param pods that use it
     */
    public void allocated(String name, String node, int device, String... pods) {
        ClaimAllocation.Result result = new ClaimAllocation.Result(
                "r", id(node, device), Optional.empty(), Collections.emptySortedMap(), false);
        TreeSet<String> uids = new TreeSet<>();
        List.of(pods).forEach(pod -> uids.add("uid-" + pod));
        put(name, 1, List.of(), Optional.of(new ClaimAllocation(Optional.of(node), List.of(result))), uids);
    }

    private void put(
            String name,
            int count,
            List<String> selectors,
            Optional<ClaimAllocation> allocation,
            SortedSet<String> reservedFor) {
        DeviceRequest.Alternative one = new DeviceRequest.Alternative(
                "", "vf", selectors, AllocationMode.EXACT_COUNT, count, false, List.of(), Collections.emptySortedMap());
        claims.claimChanged(new ResourceClaim(
                "default",
                name,
                name,
                List.of(new DeviceRequest("r", List.of(one))),
                List.of(),
                allocation,
                reservedFor,
                List.of()));
    }

    /** A pending pod with the claim of its own name. */
    public static PodFacts pod(String name, String limits, String alignment) {
        return pod(name, limits, alignment, name);
    }

    public static PodFacts pod(String name, String limits, String alignment, String claim) {
        return ClusterYaml.parsePod(yaml(name, limits, alignment, claim));
    }

    public static String yaml(String name, String limits, String alignment, String claim) {
        return ClusterYaml.pod(
                name,
                limits,
                ", annotations: {numaledger.io/claim-alignment: %s}".formatted(alignment),
                "  resourceClaims: [{name: device, resourceClaimName: %s}]".formatted(claim),
                "");
    }

    /** The same pod with the claim of its own name. */
    public static String withClaim(String pod) {
        return pod.replaceFirst(
                "(?s)(name: )([a-z0-9-]+)(,.*)spec:\n",
                "$1$2$3spec:\n  resourceClaims: [{name: device, resourceClaimName: $2}]\n");
    }
}

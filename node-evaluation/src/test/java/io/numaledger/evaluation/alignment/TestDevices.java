package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.budget.EvaluationBudget;
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
import io.numaledger.pod.RequestedAmount;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Devices, requests and claims for tests. */
public final class TestDevices {

    public static final String DRIVER = "vf.example.com";

    private TestDevices() {}

    /** The part of a pod of a budget that is not used up. */
    public static EvaluationBudget.Part ample() {
        return new EvaluationBudget(1_000_000_000).ofPod("any");
    }

    /** @param numaNode -1: unknown */
    public static Device device(String name, int numaNode, Map<String, DeviceAttribute> attributes) {
        Map<String, DeviceAttribute> all = new TreeMap<>(attributes);
        if (numaNode >= 0) {
            all.put(NumaNodes.STANDARD, DeviceAttribute.ofInt(numaNode));
        }
        return new Device(
                new DeviceId(DRIVER, "n", name),
                Optional.of("n"),
                NumaNodes.of(all),
                new TreeMap<>(all),
                new TreeMap<>(Map.of(DRIVER + "/rate", RequestedAmount.parse("100Gi"))),
                List.of(),
                false,
                false);
    }

    public static Device device(String name, int numaNode) {
        return device(name, numaNode, Map.of());
    }

    /** One pool of one driver; claims hold some of its devices. */
    public static NodeDevices node(List<Device> devices, Collection<Device> held) {
        TreeMap<DeviceId, String> claims = new TreeMap<>();
        held.forEach(device -> claims.put(device.id(), "default/other"));
        return new NodeDevices(List.of(new DevicePool(DRIVER, "n", true, devices)), List.of(), claims);
    }

    public static Alternative alternative(String name, AllocationMode mode, long count, String... selectors) {
        return new Alternative(
                name, "vf", List.of(selectors), mode, count, false, List.of(), Collections.emptySortedMap());
    }

    public static DeviceRequest request(String name, Alternative... alternatives) {
        return new DeviceRequest(name, List.of(alternatives));
    }

    public static DeviceRequest request(String name, long count, String... selectors) {
        return request(name, alternative("", AllocationMode.EXACT_COUNT, count, selectors));
    }

    public static ResourceClaim claim(String name, List<ClaimConstraint> constraints, DeviceRequest... requests) {
        return new ResourceClaim(
                "default",
                name,
                name,
                List.of(requests),
                constraints,
                Optional.empty(),
                Collections.emptySortedSet(),
                List.of());
    }

    public static ResourceClaim claim(String name, DeviceRequest... requests) {
        return claim(name, List.of(), requests);
    }

    /** The class {@code vf} has all devices of the driver. */
    public static ClaimNeeds needs(ResourceClaim... claims) {
        return needs(ample(), claims);
    }

    public static ClaimNeeds needs(EvaluationBudget.Part budget, ResourceClaim... claims) {
        return ClaimNeeds.of(List.of(claims), true, TestDevices::deviceClass, budget);
    }

    private static Optional<DeviceClass> deviceClass(String name) {
        return name.equals("vf")
                ? Optional.of(new DeviceClass(
                        name, List.of("device.driver == \"%s\"".formatted(DRIVER)), Optional.empty(), Optional.empty()))
                : Optional.empty();
    }
}

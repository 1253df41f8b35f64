package io.numaledger.scheduling.dra;

import io.numaledger.evaluation.claim.ClaimAllocation;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceAttribute;
import io.numaledger.evaluation.claim.DeviceCapacity;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.claim.ResourceSlice;
import io.numaledger.pod.RequestedAmount;
import org.junit.jupiter.api.Test;

import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

/** A node of dra-driver-cpu: a device for each NUMA node, whose CPUs claims share. */
class DeviceCapacityTest {

    private static final String DRIVER = "dra.cpu";

    private final ClusterClaims claims = new ClusterClaims(node -> {}, () -> {}, () -> {}, InstantSource.system());

    private static Device device(String driver, int numaNode, boolean shared, Map<String, String> capacity) {
        TreeMap<String, DeviceAttribute> attributes =
                new TreeMap<>(Map.of(NumaNodes.STANDARD, DeviceAttribute.ofInt(numaNode)));
        TreeMap<String, RequestedAmount> amounts = new TreeMap<>();
        capacity.forEach((name, amount) -> amounts.put(name, RequestedAmount.parse(amount)));
        return new Device(
                new DeviceId(driver, "n", "numa-" + numaNode),
                Optional.of("n"),
                NumaNodes.of(attributes),
                attributes,
                amounts,
                List.of(),
                shared,
                false);
    }

    private void publish(String driver, Device... devices) {
        claims.sliceChanged(new ResourceSlice(driver, driver, "n", 1, 1, List.of(devices), List.of()));
    }

    private void claim(String name, Device device, Map<String, String> consumed) {
        TreeMap<String, RequestedAmount> amounts = new TreeMap<>();
        consumed.forEach((capacity, amount) -> amounts.put(capacity, RequestedAmount.parse(amount)));
        claims.claimChanged(new ResourceClaim(
                "ns",
                name,
                name,
                List.of(),
                List.of(),
                Optional.of(new ClaimAllocation(
                        Optional.of("n"),
                        List.of(new ClaimAllocation.Result("r", device.id(), Optional.of(name), amounts, false)))),
                new TreeSet<>(),
                List.of()));
    }

    @Test
    void claimsShareTheCpusOfADevice() {
        Device first = device(DRIVER, 0, true, Map.of("dra.cpu/cpu", "32"));
        publish(DRIVER, first, device(DRIVER, 1, true, Map.of("dra.cpu/cpu", "32")));
        claim("a", first, Map.of("dra.cpu/cpu", "4"));
        claim("b", first, Map.of("cpu", "2"));

        assertThat(claims.devices("n").capacities())
                .containsExactly(
                        new DeviceCapacity(DRIVER, Optional.of(0), "dra.cpu/cpu", 32, 6),
                        new DeviceCapacity(DRIVER, Optional.of(1), "dra.cpu/cpu", 32, 0));
        claims.claimDeleted("ns", "a");
        assertThat(claims.devices("n").capacities().get(0).claimed()).isEqualTo(2);
    }

    @Test
    void aDeviceOfMemoryIsClaimedAsAWhole() {
        Device memory = device("dra.memory", 1, false, Map.of("dra.memory/size", "1Gi"));
        publish("dra.memory", memory);
        claim("a", memory, Map.of());

        assertThat(claims.devices("n").capacities())
                .containsExactly(
                        new DeviceCapacity("dra.memory", Optional.of(1), "dra.memory/size", 1L << 30, 1L << 30));
    }

    @Test
    void theCapacityOfOtherDevicesIsNotShared() {
        publish("gpu.example.com", device("gpu.example.com", 0, false, Map.of("gpu.example.com/memory", "80Gi")));

        assertThat(claims.devices("n").capacities()).isEqualTo(Collections.emptyList());
    }
}

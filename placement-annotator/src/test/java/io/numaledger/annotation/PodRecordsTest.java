package io.numaledger.annotation;

import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class PodRecordsTest {

    private static final Placement PLACEMENT =
            new Placement.Builder().add(0, "example.com/vf", 5000).build();

    @Test
    void leavesASecondRecordOutThatTheApiServerWouldRefuse() {
        PodRecords records = PodRecords.of(PLACEMENT, holding(5000));
        assertThat(records.observed()).isPresent();
        assertThat(records.placement()).isEmpty();
    }

    @Test
    void writesASecondRecordOfHundredsOfDevices() {
        assertThat(PodRecords.of(PLACEMENT, holding(500)).placement()).isPresent();
    }

    private static PodAllocation holding(int devices) {
        List<DeviceAllocation> held = IntStream.range(0, devices)
                .mapToObj(i -> new DeviceAllocation(
                        "example.com/vf", "virtual-function-of-a-long-name-%05d".formatted(i), List.of(0)))
                .toList();
        return new PodAllocation("ns", "p", List.of(new ContainerAllocation("c", CpuSet.EMPTY, List.of(), held)));
    }
}

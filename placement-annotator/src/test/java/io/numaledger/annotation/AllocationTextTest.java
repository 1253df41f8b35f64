package io.numaledger.annotation;

import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Collections;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class AllocationTextTest {

    private static final PodAllocation POD = new PodAllocation(
            "a",
            "p",
            List.of(
                    new ContainerAllocation(
                            "c",
                            CpuSet.parse("2-5"),
                            List.of(new MemoryBlock("memory", 1L << 30, List.of(0, 1))),
                            List.of(
                                    new DeviceAllocation("nvidia.com/gpu", "gpu-1", List.of(0)),
                                    new DeviceAllocation("nvidia.com/gpu", "gpu-0", List.of(0)),
                                    new DeviceAllocation("x/nic", "nic", List.of()))),
                    new ContainerAllocation("shares", CpuSet.EMPTY, List.of(), List.of())));

    @Test
    void saysWhatEachContainerHoldsInOneLine() {
        assertThat(AllocationText.write(POD))
                .isEqualTo(
                        "{\"version\":1,\"containers\":[{\"name\":\"c\",\"cpus\":\"2-5\",\"memory\":[{\"type\":\"memory\","
                                + "\"bytes\":1073741824,\"numaNodes\":\"0-1\"}],\"devices\":["
                                + "{\"resource\":\"nvidia.com/gpu\",\"numaNodes\":\"0\",\"ids\":[\"gpu-0\",\"gpu-1\"]},"
                                + "{\"resource\":\"x/nic\",\"numaNodes\":\"\",\"ids\":[\"nic\"]}]}]}");
    }

    @Test
    void readsBackWhatItWrites() {
        PodAllocation held = new PodAllocation(
                "a",
                "p",
                POD.containers().subList(0, 1),
                CpuSet.parse("2-9"),
                List.of(new MemoryBlock("memory", 5, List.of(1))));
        assertThat(AllocationText.read("a", "p", AllocationText.write(held))).isEqualTo(held);
    }

    @Test
    void readsATextWithoutAVersionAndSkipsFieldsThatCameLater() {
        assertThat(AllocationText.read(
                        "a", "p", "{\"containers\":[{\"name\":\"c\",\"cpus\":\"1\",\"later\":{}}],\"more\":[1]}"))
                .isEqualTo(AllocationText.read(
                        "a", "p", "{\"version\":1,\"containers\":[{\"name\":\"c\",\"cpus\":\"1\"}]}"));
    }

    @Test
    void saysWhichVersionItReads() {
        assertThatThrownBy(() -> AllocationText.read("a", "p", "{\"version\":2,\"containers\":[]}"))
                .hasMessageContaining("it is of version 2 and this program reads 1");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            cut short       | {"containers":[{"name":"c"
            an array        | []
            not a CPU list  | {"containers":[{"name":"c","cpus":"x"}]}
            negative bytes  | {"containers":[{"name":"c","memory":[{"type":"memory","bytes":-1,"numaNodes":"0"}]}]}
            a newer version | {"version":2,"containers":[]}
            trailing object | {"containers":[]}{}
            """)
    void refusesMalformedText(String what, String text) {
        assertThatThrownBy(() -> AllocationText.read("a", "p", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("malformed numaledger.io/placement: ")
                .hasMessageEndingWith("the agent writes it again");
    }

    @Test
    void refusesAListOfNumaNodesThatNoMachineHas() {
        String block = "{\"type\":\"memory\",\"bytes\":1,\"numaNodes\":\"0-1048575\"}";
        String record = "{\"version\":1,\"containers\":[{\"name\":\"c\",\"memory\":[%s]}]}"
                .formatted(String.join(",", Collections.nCopies(2000, block)));

        assertThatThrownBy(() -> AllocationText.read("a", "p", record))
                .hasStackTraceContaining("too many NUMA nodes: count=1048576; expected at most 64");
    }
}

package io.numaledger.annotation;

import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

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
        String block = "{\"type\":\"memory\",\"bytes\":1,\"numaNodes\":\"0-65535\"}";
        String record = "{\"version\":1,\"containers\":[{\"name\":\"c\",\"memory\":[%s]}]}"
                .formatted(String.join(",", Collections.nCopies(2000, block)));

        assertThatThrownBy(() -> AllocationText.read("a", "p", record))
                .hasStackTraceContaining("too many NUMA nodes: count=65536; expected at most 64");
    }

    static Stream<Arguments> bombs() {
        String container = "{\"name\":\"c\",\"cpus\":\"65535\"}";
        String strides = "0-65535:1/2,".repeat(10_000);
        String all = "{\"name\":\"c\",\"cpus\":\"0-65535:1/2,1-65535:1/2\"}";
        String block = "{\"type\":\"memory\",\"bytes\":0,\"numaNodes\":\"0-63\"}";
        String devices = "{\"resource\":\"a/b\",\"numaNodes\":\"0-63\",\"ids\":[%s]}"
                .formatted(String.join(",", Collections.nCopies(40_000, "\"\"")));
        return Stream.of(
                arguments("too long", "{\"containers\":[]}" + " ".repeat(128 << 10), "it has 131089 characters"),
                arguments(
                        "an array of containers, each with a large CPU id",
                        "{\"containers\":[%s]}".formatted(String.join(",", Collections.nCopies(4000, container))),
                        "it has more than 1000 containers"),
                arguments(
                        "strides",
                        "{\"containers\":[{\"name\":\"c\",\"cpus\":\"%s\"}]}".formatted(strides),
                        "name more than 65536 ids"),
                arguments(
                        "strides in many containers",
                        "{\"containers\":[%s]}".formatted(String.join(",", Collections.nCopies(900, all))),
                        "it names more than 65536 ids"),
                arguments(
                        "strides in a field that comes again and again",
                        "{%s}"
                                .formatted(String.join(
                                        ",", Collections.nCopies(900, all.substring(12, all.length() - 1)))),
                        "it names more than 65536 ids"),
                arguments(
                        "memory blocks on many NUMA nodes",
                        "{\"memory\":[%s]}".formatted(String.join(",", Collections.nCopies(2_000, block))),
                        "it names more than 65536 ids"),
                arguments(
                        "devices on many NUMA nodes",
                        "{\"containers\":[{\"devices\":[%s]}]}".formatted(devices),
                        "it names more than 65536 ids"),
                arguments("nested", "{\"containers\":[".repeat(5000), "nesting depth"),
                arguments("a long number", "{\"bytes\":%s}".formatted("9".repeat(100_000)), "length"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bombs")
    void refusesWhatCostsMoreThanItsLength(String what, String text, String why) {
        assertThatThrownBy(() -> AllocationText.read("a", "p", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("malformed numaledger.io/placement: ")
                .hasMessageContaining(why)
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(1000));
    }

    @Test
    void readsTheLongestRecordThatAPodNeeds() {
        List<Integer> allNumaNodes = IntStream.range(0, 64).boxed().toList();
        List<ContainerAllocation> containers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            int own = i;
            CpuSet cpus = CpuSet.of(IntStream.range(0, 1024)
                    .filter(cpu -> cpu % 100 == own)
                    .map(cpu -> 2 * cpu)
                    .toArray());
            List<DeviceAllocation> devices = IntStream.range(0, own < 16 ? 1 : 0)
                    .mapToObj(any -> new DeviceAllocation("nvidia.com/gpu", "d".repeat(97) + (100 + own), allNumaNodes))
                    .toList();
            containers.add(new ContainerAllocation(
                    "c".repeat(61) + (10 + own % 90),
                    cpus,
                    List.of(new MemoryBlock("memory", 1L << 40, allNumaNodes.subList(0, 1 + own % 64))),
                    devices));
        }
        PodAllocation pod = new PodAllocation("a", "p", containers);
        String text = AllocationText.write(pod);

        assertThat(text.length()).isLessThan(Annotations.MAX_RECORD_BYTES / 3);
        assertThat(AllocationText.read("a", "p", text)).isEqualTo(pod);
    }
}

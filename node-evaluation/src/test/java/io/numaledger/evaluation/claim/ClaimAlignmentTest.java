package io.numaledger.evaluation.claim;

import io.numaledger.evaluation.claim.ClaimAlignment.Aligned;
import io.numaledger.evaluation.claim.ClaimAlignment.Misaligned;
import io.numaledger.evaluation.claim.ClaimAlignment.Unknown;
import io.numaledger.placement.Placement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class ClaimAlignmentTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            the same NUMA node           | cpu=0 memory=0   | vf-3=0        | aligned
            another one                  | cpu=0            | vf-3=1        | CPUs on node-0; vf-3 of driver vf.example.com on node-1
            other than the memory        | cpu=0 memory=1   | vf-3=0        | CPUs on node-0; memory on node-1; vf-3 of driver vf.example.com on node-0
            one of several               | cpu=0,1          | vf-3=1        | aligned
            local to the CPUs' socket    | cpu=1            | vf-3=0,1      | aligned
            one device of two            | cpu=0            | a=0 b=1       | CPUs on node-0; b of driver vf.example.com on node-1
            unknown                      | cpu=0            | vf-3=-        | the NUMA node of vf-3 of driver vf.example.com is not known: no attribute names it
            unknown beside a wrong one   | cpu=0            | a=- b=1       | CPUs on node-0; b of driver vf.example.com on node-1
            no CPUs of its own           | example.com/x=0  | vf-3=1        | the pod has no CPUs or memory of its own on known NUMA nodes
            CPUs by claim, too           | -                | dra.cpu/c=0 gpu=1 | CPUs on node-0; gpu of driver vf.example.com on node-1
            another driver's elsewhere   | -                | g/gpu-0=0 vf-3=1 | gpu-0 of driver g on node-0; vf-3 of driver vf.example.com on node-1
            within the CPUs' NUMA nodes  | cpu=0,1          | g/gpu-0=0 vf-3=1 | CPUs on node-0, node-1; gpu-0 of driver g on node-0; vf-3 of driver vf.example.com on node-1
            also far from the CPUs       | cpu=0            | g/gpu-0=0 vf-3=1 | CPUs on node-0; vf-3 of driver vf.example.com on node-1; gpu-0 of driver g on node-0
            a GPU without a NIC near     | cpu=0,1          | g/a=0 g/b=1 vf-0=0 | CPUs on node-0, node-1; b of driver g on node-1; vf-0 of driver vf.example.com on node-0
            pairs                        | cpu=0,1          | g/a=0 g/b=1 vf-0=0 vf-3=1 | aligned
            one NUMA node in common      | cpu=0,1          | g/gpu-0=0,1 vf-3=1 | aligned
            perhaps near                 | cpu=0,1          | g/gpu-0=- vf-3=1 | the NUMA node of gpu-0 of driver g is not known: no attribute names it
            two claims                   | -                | vf-0=0@a vf-3=1@b | vf-0 of driver vf.example.com on node-0; vf-3 of driver vf.example.com on node-1
            two claims that need both    | cpu=0,1          | a=0@a b=1@b c=0@c d=1@d | aligned
            one claim on two NUMA nodes  | cpu=0,1          | vf-0=0 vf-3=1    | aligned
            """)
    void compares(String situation, String observed, String devices, String expected) {
        assertThat(text(ClaimAlignment.of(devices(devices), placement(observed))))
                .isEqualTo(expected);
    }

    @Test
    void isUnknownForADeviceThatNoSliceHas() {
        ClaimedDevice lost = new ClaimedDevice("ns/c", result("vf.example.com", "vf-3"), Optional.empty());
        assertThat(ClaimAlignment.of(List.of(lost), placement("cpu=0")))
                .isEqualTo(new Unknown(
                        "the NUMA node of vf-3 of driver vf.example.com is not known: no ResourceSlice has it"));
    }

    private static String text(ClaimAlignment alignment) {
        if (alignment instanceof Misaligned misaligned) {
            return misaligned.sentence();
        }
        return alignment instanceof Unknown unknown ? unknown.why() : alignment.equals(new Aligned()) ? "aligned" : "";
    }

    private static Placement placement(String text) {
        Placement.Builder placement = new Placement.Builder();
        Stream.ofNullable(text).flatMap(all -> Stream.of(all.split(" "))).forEach(each -> {
            String[] parts = each.split("=");
            Stream.of(parts[1].split(",")).forEach(id -> placement.add(Integer.parseInt(id), parts[0], 1000));
        });
        return placement.build();
    }

    private static List<ClaimedDevice> devices(String text) {
        return Stream.of(text.split(" ")).map(ClaimAlignmentTest::device).toList();
    }

    private static ClaimedDevice device(String text) {
        String[] parts = text.split("[=@]");
        boolean named = parts[0].contains("/");
        String driver = named ? parts[0].split("/")[0] : "vf.example.com";
        ClaimAllocation.Result result = result(driver, named ? parts[0].split("/")[1] : parts[0]);
        return new ClaimedDevice(
                parts.length > 2 ? parts[2] : "ns/c",
                result,
                Optional.of(new Device(
                        result.device(),
                        Optional.of("n"),
                        numaNodes(parts[1]),
                        new TreeMap<>(),
                        new TreeMap<>(),
                        List.of(),
                        false,
                        false)));
    }

    private static NumaNodes numaNodes(String ids) {
        if (ids.equals("-")) {
            return new NumaNodes.Unknown("no attribute names it");
        }
        List<Integer> all = Stream.of(ids.split(",")).map(Integer::valueOf).toList();
        return new NumaNodes.Known(all.get(0), new TreeSet<>(all), NumaNodes.STANDARD);
    }

    private static ClaimAllocation.Result result(String driver, String name) {
        return new ClaimAllocation.Result(
                "r", new DeviceId(driver, "n", name), Optional.empty(), new TreeMap<>(), false);
    }
}

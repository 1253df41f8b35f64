package io.numaledger.evaluation.claim;

import io.numaledger.gpu.PciNumaNodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class NumaNodesTest {

    private static final PciNumaNodes AT_NODE_1 = PciNumaNodes.parse("0000:3b:00.0=1");

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            the standard attribute        | resource.kubernetes.io/numaNode=1                      | node-1
            a list, the physical one first| resource.kubernetes.io/numaNode=2,0                    | node-0, node-2
            dranet and SR-IOV             | dra.net/numaNode=0                                     | node-0
            dra-driver-cpu                | dra.cpu/numaNodeID=3                                   | node-3
            AMD                           | gpu.amd.com/numaNode=1                                 | node-1
            the standard one counts       | dra.net/numaNode=0 resource.kubernetes.io/numaNode=1   | node-1
            the greatest id               | resource.kubernetes.io/numaNode=1023                   | node-1023
            """)
    void readsTheFirstAttributeThatExists(String situation, String attributes, String nodes) {
        assertThat(NumaNodes.of(attributes(attributes)).known())
                .map(Object::toString)
                .contains(nodes);
    }

    @Test
    void namesThePhysicalNodeAndTheSource() {
        assertThat(NumaNodes.of(attributes("resource.kubernetes.io/numaNode=2,0"))
                        .known())
                .hasValueSatisfying(known -> {
                    assertThat(known.physical()).isEqualTo(2);
                    assertThat(known.source()).isEqualTo(NumaNodes.STANDARD);
                });
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            sysfs does not know it | dra.net/numaNode=-1                                     | its attribute dra.net/numaNode is -1
            too great              | resource.kubernetes.io/numaNode=1024                    | its attribute resource.kubernetes.io/numaNode is 1024
            one of a list          | resource.kubernetes.io/numaNode=0,-1                    | its attribute resource.kubernetes.io/numaNode is -1
            no fall-back           | resource.kubernetes.io/numaNode=-1 dra.net/numaNode=0   | its attribute resource.kubernetes.io/numaNode is -1
            none                   | dra.cpu/numaNode=1                                      | no attribute names its NUMA node
            """)
    void isUnknownForAReason(String situation, String attributes, String why) {
        assertThat(NumaNodes.of(attributes(attributes))).isEqualTo(new NumaNodes.Unknown(why));
    }

    @Test
    void aTextIsNoNumaNode() {
        NumaNodes nodes = NumaNodes.of(Map.of(NumaNodes.STANDARD, DeviceAttribute.ofString("1")));
        assertThat(nodes)
                .isEqualTo(new NumaNodes.Unknown("its attribute resource.kubernetes.io/numaNode is no NUMA node id"));
    }

    @Test
    void anEmptyListIsNoNumaNode() {
        NumaNodes nodes = NumaNodes.of(
                Map.of(NumaNodes.STANDARD, new DeviceAttribute(DeviceAttribute.Type.INT, true, List.of())));
        assertThat(nodes.known()).isEmpty();
    }

    @Test
    void findsADeviceByItsPciAddressInWhatTheAgentPublishes() {
        Device located = device(Map.of(NumaNodes.PCI_BUS_ID, DeviceAttribute.ofString("0000:3B:00.0")))
                .located(AT_NODE_1);
        assertThat(located.numaNodes().known()).hasValueSatisfying(known -> {
            assertThat(known.physical()).isEqualTo(1);
            assertThat(known.source()).isEqualTo(Device.SOURCE_AGENT);
        });
    }

    @Test
    void believesTheDriverBeforeThePciAddress() {
        Device device = device(Map.of(
                NumaNodes.STANDARD,
                DeviceAttribute.ofInt(-1),
                NumaNodes.PCI_BUS_ID,
                DeviceAttribute.ofString("0000:3b:00.0")));
        assertThat(device.located(AT_NODE_1)).isSameAs(device);
    }

    @Test
    void anOddPciAddressIsNone() {
        assertThat(device(Map.of(NumaNodes.PCI_BUS_ID, DeviceAttribute.ofString("x")))
                        .located(AT_NODE_1)
                        .numaNodes()
                        .known())
                .isEmpty();
    }

    private static Device device(Map<String, DeviceAttribute> attributes) {
        return new Device(
                new DeviceId("gpu.example.com", "n", "gpu-0"),
                Optional.of("n"),
                NumaNodes.of(attributes),
                new TreeMap<>(attributes),
                new TreeMap<>(),
                List.of(),
                false,
                false);
    }

    private static SortedMap<String, DeviceAttribute> attributes(String text) {
        SortedMap<String, DeviceAttribute> attributes = new TreeMap<>();
        Stream.of(text.split(" ")).map(each -> each.split("=")).forEach(each -> {
            List<String> ids = List.of(each[1].split(","));
            attributes.put(each[0], new DeviceAttribute(DeviceAttribute.Type.INT, ids.size() > 1, ids));
        });
        return attributes;
    }
}

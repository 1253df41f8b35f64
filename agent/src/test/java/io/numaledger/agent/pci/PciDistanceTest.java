package io.numaledger.agent.pci;

import io.numaledger.gpu.PciAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class PciDistanceTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', emptyValue = "", textBlock = """
            two ports of one switch      | pci80 root up downA      | 0 | pci80 root up downB           | 0 | PIX
            two functions of one slot    | pci80 root               | 0 | pci80 root                    | 0 | PIX
            a switch behind a switch     | pci80 root up downA      | 0 | pci80 root up downB up2 downC | 0 | PXB
            two root ports               | pci80 rootA up downA     | 0 | pci80 rootB up downB          | 0 | PHB
            on the root bus itself       | pci80                    | 0 | pci80                         | 0 | PHB
            two host bridges of one node | pci80 rootA              | 1 | pcia0 rootB                   | 1 | NODE
            two NUMA nodes               | pci00 rootA              | 0 | pci80 rootB                   | 1 | SYS
            a node not known             | pci00 rootA              | ? | pci80 rootB                   | 1 | ?
            one node, places not known   | ''                       | 1 | ''                            | 1 | ?
            two nodes, places not known  | ''                       | 0 | ''                            | 1 | SYS
            """)
    void namesTheDistanceAsNvidiaSmiDoes(
            String situation, String first, String firstNode, String second, String secondNode, String level) {
        PciFunction one = function(0x10, first, firstNode);
        PciFunction other = function(0x20, second, secondNode);
        assertThat(PciDistance.between(one, other).map(Enum::name).orElse("?")).isEqualTo(level);
        assertThat(PciDistance.between(other, one)).isEqualTo(PciDistance.between(one, other));
    }

    private static PciFunction function(int bus, String upstream, String node) {
        List<String> bridges =
                Stream.of(upstream.split(" ")).filter(name -> !name.isEmpty()).toList();
        OptionalInt numaNode = node.equals("?") ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(node));
        return new PciFunction(new PciAddress(0, bus, 0, 0), 0, 0, 0, Optional.empty(), numaNode, bridges, false);
    }
}

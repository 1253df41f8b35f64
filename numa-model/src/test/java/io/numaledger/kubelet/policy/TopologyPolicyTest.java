package io.numaledger.kubelet.policy;

import io.numaledger.kubelet.hint.HintMerger;
import io.numaledger.kubelet.hint.MaskOrder;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Each policy on the hints of two resource managers; NUMA node ids, + preferred, - not preferred. */
class TopologyPolicyTest {

    private static final AffinityMask MACHINE = AffinityMask.of(0, 1);

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            none             | nothing is asked for        | 0+        | 1+        | any- | admits
            best-effort      | both fit one NUMA node      | 0+ 1+     | 0+        | 0+   | admits
            best-effort      | each on another NUMA node   | 1+ 0,1-   | 0+ 0,1-   | 0-   | admits
            best-effort      | two NUMA nodes are needed   | 0,1+      | any+      | 0,1+ | admits
            best-effort      | one resource is exhausted   | 0+ 1+     | -         | 0-   | admits
            restricted       | both fit one NUMA node      | 0+ 1+     | 0+        | 0+   | admits
            restricted       | each on another NUMA node   | 1+ 0,1-   | 0+ 0,1-   | 0-   | refuses
            restricted       | two NUMA nodes are needed   | 0,1+      | any+      | 0,1+ | admits
            restricted       | one resource is exhausted   | 0+ 1+     | -         | 0-   | refuses
            single-numa-node | both fit one NUMA node      | 0+ 1+     | 0+        | 0+   | admits
            single-numa-node | each on another NUMA node   | 1+ 0,1-   | 0+ 0,1-   | any- | refuses
            single-numa-node | two NUMA nodes are needed   | 0,1+      | any+      | any- | refuses
            single-numa-node | one resource is exhausted   | 0+ 1+     | -         | any- | refuses
            single-numa-node | no manager has a preference | any+      | any+      | any+ | admits
            """)
    void decidesOnTheHintsOfTwoManagers(
            String policy, String situation, String cpus, String devices, String merged, String decision) {
        TopologyPolicy.Verdict verdict = policy(policy)
                .decide(List.of(
                        ProviderHints.of("cpu", hints(cpus)), ProviderHints.of("nvidia.com/gpu", hints(devices))));

        assertThat(verdict)
                .as(situation)
                .isEqualTo(new TopologyPolicy.Verdict(hint(merged), decision.equals("admits")));
    }

    private static TopologyPolicy policy(String name) {
        HintMerger merger = new HintMerger(MACHINE, MaskOrder.narrowest());
        return switch (name) {
            case "none" -> new NonePolicy();
            case "best-effort" -> new BestEffortPolicy(merger);
            case "restricted" -> new RestrictedPolicy(merger);
            default -> new SingleNumaNodePolicy(merger, MACHINE);
        };
    }

    private static List<TopologyHint> hints(String text) {
        return text.equals("-")
                ? List.of()
                : Stream.of(text.split(" ")).map(TopologyPolicyTest::hint).toList();
    }

    private static TopologyHint hint(String text) {
        String nodes = text.substring(0, text.length() - 1);
        boolean preferred = text.endsWith("+");
        return nodes.equals("any")
                ? new TopologyHint(Optional.empty(), preferred)
                : TopologyHint.of(AffinityMask.of(CpuSet.parse(nodes).toArray()), preferred);
    }
}

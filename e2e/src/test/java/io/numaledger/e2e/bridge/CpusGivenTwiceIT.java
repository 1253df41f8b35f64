package io.numaledger.e2e.bridge;

import io.numaledger.annotation.AllocationText;
import io.numaledger.annotation.Annotations;
import io.numaledger.evaluation.snapshot.Assumption;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.SharedCpus;
import io.numaledger.simulator.workload.SimplePod;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Machines on which a real kubelet gives a CPU to two pods (kubernetes #124066), or a reserved one to a pod. */
class CpusGivenTwiceIT {

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.own(() -> BridgedNodes.start("""
            nodes:
            - name: sibling-offline
              kubelet: {topologyManagerPolicy: single-numa-node, reservedSystemCPUs: "4-5,7,12"}
              numaNodes:
              - {id: 0, memory: 8Gi, coreCpus: ["0,8", "1,9", "2,10", "3,11"]}
              - {id: 1, memory: 8Gi, coreCpus: ["4,12", "5,13", "6,14", "7"]}
              devices: [{resource: example.com/nic, count: 1, numaNodes: [0]}]
            - name: hybrid
              kubelet: {topologyManagerPolicy: single-numa-node, reservedSystemCPUs: "1"}
              numaNodes: [{id: 0, memory: 16Gi, coreCpus: ["0,1", "2,3", "4,5", "6,7", "8", "9", "10", "11"]}]
              devices: [{resource: example.com/hybrid, count: 2, numaNodes: [0]}]
            """, List.of()));

    private static void create(String name, int cpus, String... more) {
        nodes.pods()
                .create(SimplePod.named(name)
                        .with(
                                "c",
                                Stream.concat(Stream.of("cpu=" + cpus, "memory=256Mi"), Stream.of(more))
                                        .toArray(String[]::new)));
        nodes.pods().awaitRecord(name);
    }

    private static PodAllocation record(String name) {
        return AllocationText.read(
                "default",
                name,
                nodes.pods().get(name).getMetadata().getAnnotations().get(Annotations.PLACEMENT));
    }

    private static void awaitAvailable(String node, int zone, long cpuMillis) {
        await().atMost(BridgedNodes.TIMEOUT)
                .untilAsserted(() -> assertThat(snapshot(node)
                                .topology()
                                .orElseThrow()
                                .numaZones()
                                .get(zone)
                                .resources()
                                .get("cpu")
                                .available())
                        .isEqualTo(cpuMillis));
    }

    private static NodeSnapshot snapshot(String node) {
        return nodes.bridge().cluster().snapshot(node).orElseThrow();
    }

    private static void assertRecordsStay(String node) {
        BridgedNodes.quiet(Duration.ofSeconds(6));
        assertThat(nodes.bridge().cluster().recordsSetAside(node)).isEmpty();
        assertThat(snapshot(node).assumptions()).extracting(Assumption::code).containsExactly("cpus-given-twice");
    }

    @Test
    void aPodGetsTheCpuThatNobodyHolds() {
        nodes.cordon(Set.of("hybrid"));
        create("five", 5);
        create("three", 3);
        assertThat(SharedCpus.of(List.of(record("five"), record("three")), CpuSet.parse("4-5,7,12")))
                .hasToString("[cpu=2 pods=default/five,default/three]");
        awaitAvailable("sibling-offline", 0, 1000);
        assertRecordsStay("sibling-offline");

        create("one", 1, "example.com/nic=1");

        assertThat(record("one").allCpus()).hasToString("11");
        nodes.assertNobodyRefused();
    }

    @Test
    void aReservedCpuOfAPodIsNotTakenFromTheAllocatableOnes() {
        nodes.cordon(Set.of("sibling-offline"));
        create("two", 2);
        create("eight", 8);
        assertThat(SharedCpus.of(List.of(record("two"), record("eight")), CpuSet.of(1)))
                .anySatisfy(shared -> assertThat(shared.reserved()).isTrue());
        long free = 12L
                - CpuSet.of(1)
                        .union(record("two").allCpus())
                        .union(record("eight").allCpus())
                        .size();
        awaitAvailable("hybrid", 0, free * 1000);
        assertRecordsStay("hybrid");
        nodes.assertNobodyRefused();
    }
}

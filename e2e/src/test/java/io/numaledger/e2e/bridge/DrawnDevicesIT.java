package io.numaledger.e2e.bridge;

import io.numaledger.annotation.AllocationText;
import io.numaledger.annotation.Annotations;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import static org.awaitility.Awaitility.await;

/** A kubelet that draws: the third GPU of a pod comes from either zone, and the next pod fits beside one of both results. */
class DrawnDevicesIT {

    @RegisterExtension
    static final BridgedNodes NODES = BridgedNodes.own(() -> BridgedNodes.start("""
            nodes:
            - name: n
              kubelet: {topologyManagerPolicy: restricted, memoryManagerPolicy: None, reservedSystemCPUs: "4"}
              numaNodes: [{id: 0, cores: 4, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}]
              devices:
              - {resource: nvidia.com/gpu, count: 2, numaNodes: [0]}
              - {resource: nvidia.com/gpu, count: 2, numaNodes: [1]}
            """, List.of()));

    @RepeatedTest(10)
    void aPodThatFitsBesideOneResultWaitsForTheOther() {
        NODES.pods().create(SimplePod.named("wide").with("c", "cpu=5", "memory=1Gi", "nvidia.com/gpu=3"));
        await("the wide pod is bound")
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> !NODES.nodesOf("wide").isEmpty());
        NODES.pods().create(SimplePod.named("narrow").with("c", "cpu=2", "memory=1Gi", "nvidia.com/gpu=1"));

        await("the narrow pod runs, or nothing is left for it on one zone")
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> NODES.running("narrow") == 1 || gpusInZone1OfWide() == 2);
        NODES.assertNobodyRefused();
    }

    /** As observed. */
    private static long gpusInZone1OfWide() {
        return Stream.of(NODES.pods().get("wide").getMetadata().getAnnotations())
                .flatMap(all -> Stream.ofNullable(all.get(Annotations.PLACEMENT)))
                .flatMap(record -> AllocationText.read("default", "wide", record).containers().stream())
                .flatMap(container -> container.devices().stream())
                .filter(device -> device.numaNodes().equals(Set.of(1)))
                .count();
    }
}

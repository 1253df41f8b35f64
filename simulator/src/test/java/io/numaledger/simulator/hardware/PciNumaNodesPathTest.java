package io.numaledger.simulator.hardware;

import io.numaledger.agent.config.GpuPublicationOptions;
import io.numaledger.agent.gpu.GpuSurvey;
import io.numaledger.evaluation.claim.DeviceCounts;
import io.numaledger.evaluation.snapshot.ClusterObjects;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.gpu.PciNumaNodes;
import io.numaledger.objects.ClusterDump;
import io.numaledger.scheduling.state.StaticCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/** A device whose driver tells its PCI address only, on the whole path: sysfs tree, agent, annotation of the Node, and the bridge's devices. */
class PciNumaNodesPathTest {

    @TempDir
    private Path hardware;

    @Test
    void theBridgeKnowsTheNumaNode() throws IOException {
        HardwareTree.write(NodeSpecYaml.parse("""
                nodes:
                - name: n
                  numaNodes: [{id: 0, cores: 2, memory: 4Gi}, {id: 1, cores: 2, memory: 4Gi}]
                  draDrivers:
                  - driver: vf.example.com
                    devices:
                    - {count: 1, attributes: {resource.kubernetes.io/pciBusID: {string: "0000:3b:00.1"}}, pciNumaNode: 1}
                    - {count: 1, attributes: {resource.kubernetes.io/pciBusID: {string: "0000:3b:00.2"}}, pciNumaNode: 1}
                    - {count: 1, attributes: {resource.kubernetes.io/pciBusID: {string: "0000:5e:00.0"}}}
                """).get(0), hardware);
        PciNumaNodes read = new GpuPublicationOptions()
                .survey(hardware.resolve("sys"))
                .observe("n", GpuSurvey.NO_MACHINE)
                .pci();
        assertThat(read).hasToString("0000:3b:00.1-0000:3b:00.2=1");

        ClusterObjects objects = ClusterDump.parse("""
                apiVersion: v1
                kind: Node
                metadata: {name: n, annotations: {numaledger.io/pci-numa-nodes: "%s"}}
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: s}
                spec:
                  driver: vf.example.com
                  nodeName: n
                  pool: {name: n, generation: 1, resourceSliceCount: 1}
                  devices:
                  - {name: vf-0, attributes: {resource.kubernetes.io/pciBusID: {string: "0000:3b:00.1"}}}
                  - {name: vf-2, attributes: {resource.kubernetes.io/pciBusID: {string: "0000:5e:00.0"}}}
                """.formatted(read));
        assertThat(StaticCluster.of(objects, SnapshotSettings.DEFAULT, InstantSource.system())
                        .claims()
                        .devices("n")
                        .counts())
                .containsExactly(
                        new DeviceCounts("vf.example.com", Optional.of(1), 0, 1),
                        new DeviceCounts("vf.example.com", Optional.empty(), 0, 1));
    }
}

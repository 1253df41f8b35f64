package io.numaledger.podresources.server;

import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.podresources.PodResources;
import io.numaledger.podresources.PodResourcesClient;
import io.numaledger.podresources.PodResourcesException;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PodResourcesServerTest {

    private static final PodAllocation POD = new PodAllocation(
            "default",
            "train",
            List.of(new ContainerAllocation(
                    "main",
                    CpuSet.parse("2-5"),
                    List.of(new MemoryBlock("memory", 1L << 30, List.of(0, 1))),
                    List.of(
                            new DeviceAllocation("example.com/nic", "nic-0", List.of(0, 1)),
                            new DeviceAllocation("example.com/key", "key-0", List.of())))));
    private static final AllocatableResources ALLOCATABLE = new AllocatableResources(
            CpuSet.parse("1-7"), List.of(new MemoryBlock("memory", 1L << 31, List.of(0))), List.of());

    @TempDir
    private Path directory;

    @Test
    void tellsTheClientTheValuesOfItsSource() throws Exception {
        Path socket = directory.resolve("kubelet.sock");
        try (PodResourcesServer server = new PodResourcesServer(socket, new OnePod());
                PodResourcesClient client = new PodResourcesClient(socket, Duration.ofSeconds(60), warning -> {})) {
            assertThat(server).isNotNull();
            assertThat(client.list().pods()).containsExactly(POD);
            assertThat(client.allocatable()).isEqualTo(ALLOCATABLE);
            assertThat(client.get("default", "train")).isEqualTo(POD);
            assertThatThrownBy(() -> client.get("default", "gone"))
                    .isInstanceOfSatisfying(
                            PodResourcesException.class,
                            e -> assertThat(e.kind()).isEqualTo(PodResourcesException.Kind.NO_SUCH_POD));
        }
    }

    private static final class OnePod implements PodResources {
        @Override
        public PodResourcesSnapshot list() {
            return new PodResourcesSnapshot(List.of(POD));
        }

        @Override
        public AllocatableResources allocatable() {
            return ALLOCATABLE;
        }

        @Override
        public PodAllocation get(String namespace, String name) throws PodResourcesException {
            if (!name.equals("train")) {
                throw PodResourcesException.noSuchPod(namespace, name);
            }
            return POD;
        }
    }
}

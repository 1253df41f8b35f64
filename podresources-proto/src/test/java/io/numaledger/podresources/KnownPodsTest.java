package io.numaledger.podresources;

import com.google.protobuf.ByteString;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.podresources.v1.ContainerResources;
import io.numaledger.podresources.v1.DynamicResource;
import io.numaledger.podresources.v1.ListPodResourcesResponse;
import io.numaledger.podresources.v1.PodResources;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

class KnownPodsTest {

    private final List<String> warnings = new ArrayList<>();
    private final PodResourcesReader reader = new PodResourcesReader(warnings::add, true);

    @Test
    void readsAnswersLikeAReaderThatKnowsNone() throws IOException {
        Random random = new Random(7);
        List<PodResources> pods = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            if (pods.size() > 5 && random.nextBoolean()) {
                pods.remove(random.nextInt(pods.size()));
            } else {
                pods.add(pod("pod-" + random.nextInt(8), random.nextInt(3), random.nextInt(4) * 500));
            }
            Collections.shuffle(pods, random);
            PodResourcesReader knowsNone = new PodResourcesReader(warning -> {}, true);
            assertThat(read(reader, pods)).isEqualTo(read(knowsNone, pods));
        }
    }

    @Test
    void aPodOfWhichTheKubeletSaysTheSameIsTheSameObject() throws IOException {
        PodAllocation same =
                read(reader, List.of(pod("a", 1, 100), pod("b", 2, 0))).pods().get(0);
        List<PodAllocation> next =
                read(reader, List.of(pod("b", 3, 0), pod("a", 1, 100))).pods();
        assertThat(next.get(0)).isSameAs(same);
        assertThat(next.get(1).allCpus().toString()).isEqualTo("3");
        assertThat(read(reader, List.of()).pods()).isEmpty();
        assertThat(read(reader, List.of(pod("a", 1, 100))).pods().get(0)).isNotSameAs(same);
    }

    @Test
    void warnsOfAPodOnceWhileItStaysTheSame() throws IOException {
        read(reader, List.of(pod("a", -1, 0)));
        read(reader, List.of(pod("a", -1, 0)));
        assertThat(warnings).hasSize(1);
    }

    /** With a field that this version does not know. */
    private static PodResourcesSnapshot read(PodResourcesReader reader, List<PodResources> pods) throws IOException {
        ByteString unknown = ByteString.copyFrom(new byte[] {0x12, 0});
        return reader.snapshot(new ByteArrayInputStream(ListPodResourcesResponse.newBuilder()
                .addAllPodResources(pods)
                .build()
                .toByteString()
                .concat(unknown)
                .toByteArray()));
    }

    private static PodResources pod(String name, long cpu, int claimBytes) {
        ContainerResources.Builder container =
                ContainerResources.newBuilder().setName("main").addCpuIds(cpu);
        if (claimBytes > 0) {
            container.addDynamicResources(DynamicResource.newBuilder().setClaimName("x".repeat(claimBytes)));
        }
        return PodResources.newBuilder()
                .setNamespace("n")
                .setName(name)
                .addContainers(container)
                .build();
    }
}

package io.numaledger.bridge.evaluation;

import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.topology.AffinityMask;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class RefusalMessagesTest {

    private static ResourceFit fit(String resource, String numaNodes, long need, long free, int width, String... held) {
        Optional<AffinityMask> mask = numaNodes.isEmpty()
                ? Optional.empty()
                : Optional.of(AffinityMask.of(List.of(numaNodes.split(",")).stream()
                        .map(Integer::valueOf)
                        .toList()));
        return new ResourceFit(resource, mask, need, free, width, List.of(held));
    }

    @Test
    void namesTheZonesTheNeedAndWhatIsFree() {
        assertThat(RefusalMessages.sentence(fit("cpu", "0", 8, 6, 1)))
                .isEqualTo("needs 8 cpu on 1 zone; node-0 has 6 free");
        assertThat(RefusalMessages.sentence(fit("nvidia.com/gpu", "0,2", 4, 3, 2)))
                .isEqualTo("needs 4 nvidia.com/gpu on 2 zones; node-0 and node-2 have 3 free");
    }

    @Test
    void writesMemoryInBinaryUnits() {
        assertThat(RefusalMessages.sentence(fit("memory", "1", 8L << 30, 512L << 20, 1)))
                .isEqualTo("needs 8Gi memory on 1 zone; node-1 has 512Mi free");
    }

    @Test
    void leavesTheWidthOutWhereTheWholeNodeIsShort() {
        assertThat(RefusalMessages.sentence(fit("memory", "", 8L << 30, 0, 0)))
                .isEqualTo("needs 8Gi memory; the node has 0 free");
    }

    @Test
    void namesUpToThreeHolders() {
        assertThat(RefusalMessages.sentence(fit("cpu", "0", 8, 6, 1, "d/a", "d/b", "d/c", "d/d", "d/e")))
                .endsWith(" free, held by d/a, d/b, d/c and 2 more");
    }

    @Test
    void theFirstResourceThatIsShortIsDecisive() {
        ResourceFit enough = fit("example.com/nic", "0", 1, 2, 1);
        ResourceFit tooLittle = fit("cpu", "0", 8, 6, 1);

        assertThat(RefusalMessages.decisive(List.of(enough, tooLittle))).contains(tooLittle);
        assertThat(RefusalMessages.decisive(List.of(enough))).contains(enough);
        assertThat(RefusalMessages.decisive(List.of())).isEmpty();
    }
}

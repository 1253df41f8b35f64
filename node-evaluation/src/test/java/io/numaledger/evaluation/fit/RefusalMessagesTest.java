package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.holder.PodNames;
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
        assertThat(sentence(fit("cpu", "0", 8, 6, 1))).isEqualTo("needs 8 cpu on 1 zone; node-0 has 6 free");
        assertThat(sentence(fit("nvidia.com/gpu", "0,2", 4, 3, 2)))
                .isEqualTo("needs 4 nvidia.com/gpu on 2 zones; node-0 and node-2 have 3 free");
    }

    @Test
    void writesMemoryInBinaryUnits() {
        assertThat(sentence(fit("memory", "1", 8L << 30, 512L << 20, 1)))
                .isEqualTo("needs 8Gi memory on 1 zone; node-1 has 512Mi free");
    }

    @Test
    void leavesTheWidthOutWhereTheWholeNodeIsShort() {
        assertThat(sentence(fit("memory", "", 8L << 30, 0, 0))).isEqualTo("needs 8Gi memory; the node has 0 free");
    }

    @Test
    void namesUpToThreeHolders() {
        assertThat(sentence(fit("cpu", "0", 8, 6, 1, "d/a", "d/b", "d/c", "d/d", "d/e")))
                .endsWith(" free, held by d/a, d/b, d/c and 2 more");
    }

    private static String sentence(ResourceFit... fits) {
        return text(RefusalReason.TOPOLOGY_AFFINITY_ERROR, RefusalMessages.decisive(List.of(fits)));
    }

    private static String text(RefusalReason reason, List<ResourceFit> decisive) {
        return PodNames.ALL.text(RefusalMessages.sentence(reason, decisive));
    }

    @Test
    void theFirstResourceThatIsShortIsDecisive() {
        assertThat(sentence(
                        fit("example.com/nic", "0", 1, 2, 1), fit("cpu", "0", 8, 6, 1), fit("memory", "0", 8, 6, 1)))
                .isEqualTo("needs 8 cpu on 1 zone; node-0 has 6 free");
    }

    @Test
    void namesTheConflictWhereNothingIsShort() {
        assertThat(sentence(fit("nvidia.com/gpu", "0", 1, 2, 1), fit("cpu", "1", 4, 6, 1)))
                .isEqualTo("no set of zones satisfies the Topology Manager policy for all of"
                        + " 1 nvidia.com/gpu (node-0: 2 free), 4 cpu (node-1: 6 free)");
        assertThat(sentence(fit("cpu", "0,1", 20, 23, 2)))
                .isEqualTo("needs 20 cpu on 2 zones (node-0 and node-1: 23 free),"
                        + " which the Topology Manager policy does not allow");
    }

    @Test
    void namesTheRuleOfTheManagersWhereNothingIsShort() {
        assertThat(text(RefusalReason.UNEXPECTED_ADMISSION_ERROR, List.of(fit("memory", "", 90L << 30, 107L << 30, 0))))
                .isEqualTo(
                        "the kubelet cannot allocate 90Gi memory (the node: 107Gi free): the free amounts cannot be combined");
        assertThat(text(RefusalReason.SMT_ALIGNMENT_ERROR, List.of(fit("cpu", "", 3, 8, 0))))
                .isEqualTo("the requested CPUs must fill whole physical cores: 3 cpu (the node: 8 free)");
    }
}

package io.numaledger.evaluation.fit;

import io.numaledger.kubelet.Admission.KubeletFailure;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.kubelet.hint.KubeletFailureException.Kind;
import io.numaledger.topology.AffinityMask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class RefusalSummaryTest {

    private static ResourceFit fit(String resource, int zone, long need, long free, int width) {
        return new ResourceFit(
                resource, Optional.of(AffinityMask.of(List.of(zone))), need, free, width, List.of("default/holder"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            one zone is enough on the empty node | cpu            | 8          | 1 | no zone can take 8 cpu
            the request is as wide as two zones  | nvidia.com/gpu | 4          | 2 | no 2 zones can take 4 nvidia.com/gpu
            the zones do not matter              | memory         | 8589934592 | 0 | the node cannot take 8Gi memory
            """)
    void namesTheRequestAndNotWhatIsFree(String situation, String resource, long need, int width, String expected) {
        for (long free = 0; free < 3; free++) {
            List<ResourceFit> decisive = List.of(fit(resource, (int) free, need, free, width));

            assertThat(RefusalSummary.of(RefusalReason.TOPOLOGY_AFFINITY_ERROR, decisive))
                    .isEqualTo(expected);
        }
    }

    @Test
    void isTheSameWhateverTheOrderOfTheResources() {
        ResourceFit gpu = fit("nvidia.com/gpu", 0, 1, 2, 1);
        ResourceFit cpu = fit("cpu", 1, 4, 6, 1);

        assertThat(RefusalSummary.of(RefusalReason.TOPOLOGY_AFFINITY_ERROR, List.of(gpu, cpu)))
                .isEqualTo(RefusalSummary.of(RefusalReason.TOPOLOGY_AFFINITY_ERROR, List.of(cpu, gpu)))
                .isEqualTo("no set of zones satisfies the Topology Manager policy for all of 4 cpu, 1 nvidia.com/gpu");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            TOPOLOGY_AFFINITY_ERROR     | the Topology Manager policy does not allow 4 cpu on 2 zones
            SMT_ALIGNMENT_ERROR         | the requested CPUs must fill whole physical cores: 4 cpu
            UNEXPECTED_ADMISSION_ERROR  | the kubelet cannot allocate 4 cpu: the free amounts cannot be combined
            EMPTY_POD_SHARED_POOL_ERROR | the pod-level resources leave too little for some containers
            """)
    void namesTheRuleWhereNothingIsShort(RefusalReason reason, String expected) {
        assertThat(RefusalSummary.of(reason, List.of(fit("cpu", 0, 4, 7, 2)))).isEqualTo(expected);
        assertThat(RefusalSummary.of(reason, List.of(fit("cpu", 1, 4, 5, 2)))).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            PANIC | this request would make the kubelet panic
            HANG  | this request would make the kubelet hang
            """)
    void doesNotQuoteTheKubeletsOwnError(Kind kind, String expected) {
        assertThat(RefusalSummary.of(new KubeletFailure(kind, "index out of range [7]")))
                .isEqualTo(expected);
    }
}

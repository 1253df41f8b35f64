package io.numaledger.bridge.run;

import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.evaluation.holder.PodNames;
import org.junit.jupiter.api.Test;

import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class UnschedulableMessageTest {

    private static final String CPUS = "no zone can take 6 cpu";
    private static final String GPUS = "no zone can take 2 nvidia.com/gpu";

    private static Refused refused(String summary) {
        return Refused.of(RefusalReason.TOPOLOGY_AFFINITY_ERROR, summary, false);
    }

    @Test
    void namesTheMostFrequentReasonWithTheFreeAmountsOfANode() {
        UnschedulableMessage message = UnschedulableMessage.of(Map.of(
                refused(CPUS), 2,
                refused(CPUS).explained(" otherwise"), 3,
                refused(GPUS), 4));

        assertThat(message.mostFrequent()).isEqualTo(CPUS);
        assertThat(message.sentence("worker-7", "node-1 has 4 free", "team/big"))
                .isEqualTo(
                        "the pod fits the NUMA zones of none of 9 nodes; 5 of them: no zone can take 6 cpu (such as on worker-7: node-1 has 4 free); kubectl numa explain team/big shows all nodes");
    }

    @Test
    void repeatsNoReasonThatHasNoMoreToSay() {
        Refused unknown = Refused.of(RefusalReason.ZONES_UNKNOWN, "the node's zones are unknown", true);

        assertThat(UnschedulableMessage.of(Map.of(unknown, 1))
                        .sentence("w", PodNames.ALL.text(unknown.message()), "team/big"))
                .isEqualTo(
                        "the pod fits the NUMA zones of none of 1 node; 1 of them: the node's zones are unknown (on w); kubectl numa explain team/big shows all nodes");
    }

    @Test
    void hasOtherReasonsOnlyIfTheReasonsChange() {
        String reasons = UnschedulableMessage.of(Map.of(refused(CPUS), 2)).reasons();

        assertThat(UnschedulableMessage.of(Map.of(
                                refused(CPUS), 1,
                                refused(CPUS).explained(" otherwise"), 7))
                        .reasons())
                .isEqualTo(reasons);
        assertThat(UnschedulableMessage.of(Map.of(refused(CPUS), 2, refused(GPUS), 1))
                        .reasons())
                .isNotEqualTo(reasons);
    }
}

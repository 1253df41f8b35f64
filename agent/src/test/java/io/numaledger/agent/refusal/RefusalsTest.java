package io.numaledger.agent.refusal;

import io.numaledger.annotation.PodRecords;
import io.numaledger.annotation.PodView;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class RefusalsTest {

    private final List<String> heard = new ArrayList<>();
    private final Refusals refusals = new Refusals((reason, again) -> heard.add(reason + (again ? " again" : "")));

    @Test
    void tellsEachRefusedPodOnce() {
        List<PodView> pods = List.of(pod("u1", "TopologyAffinityError", "ReplicaSet/web"));

        refusals.observe(pods);
        refusals.observe(pods);

        assertThat(heard).containsExactly("TopologyAffinityError");
    }

    @Test
    void noticesThatTheSameOwnerIsRefusedAgain() {
        refusals.observe(List.of(pod("u1", "TopologyAffinityError", "ReplicaSet/web")));
        refusals.observe(List.of(
                pod("u2", "UnexpectedAdmissionError", "ReplicaSet/web"),
                pod("u3", "SMTAlignmentError", "ReplicaSet/other"),
                pod("u4", "EmptyPodSharedPoolError", "ReplicaSet/third")));

        assertThat(heard)
                .containsExactly(
                        "TopologyAffinityError",
                        "UnexpectedAdmissionError again",
                        "SMTAlignmentError",
                        "EmptyPodSharedPoolError");
    }

    @Test
    void passesOverPodsThatEndedForAnotherReason() {
        refusals.observe(List.of(pod("u1", "Evicted", "ReplicaSet/web")));

        assertThat(heard).isEmpty();
    }

    private static PodView pod(String uid, String reason, String owner) {
        return new PodView(
                "default",
                "pod-" + uid,
                uid,
                true,
                false,
                true,
                PodRecords.NONE,
                Optional.of(reason),
                Optional.of(owner),
                Optional.empty());
    }
}

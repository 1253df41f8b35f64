package io.numaledger.pod;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class QosClassTest {

    private static final ContainerRequest CONTAINER =
            ContainerRequest.app("c", Map.of("cpu", RequestedAmount.of(2), "memory", RequestedAmount.of(1024)));

    @Test
    void looksAtTheContainersWhereThePodsOwnResourcesAreEmpty() {
        assertThat(QosClass.compute(Optional.of(Resources.NONE), List.of(CONTAINER)))
                .isEqualTo(QosClass.GUARANTEED);
    }

    @Test
    void emptyResourcesOfThePodAreNone() {
        PodRequest pod =
                new PodRequest("a", QosClass.GUARANTEED, Optional.of(Resources.NONE), List.of(), List.of(CONTAINER));

        assertThat(pod.podLevel()).isEmpty();
    }
}

package io.numaledger.evaluation.spread;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.placement.Placement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class MaxNumaSpreadTest {

    private static PodFacts pod(String annotations) {
        return ClusterYaml.read(ClusterYaml.pod(
                        "x", "cpu: \"1\", memory: 1Gi", ", annotations: {%s}".formatted(annotations), "", ""))
                .pods()
                .get(0);
    }

    @Test
    void isAbsentWithoutTheAnnotation() {
        assertThat(MaxNumaSpread.of(pod(""))).isEmpty();
    }

    @Test
    void readsTheNumberAndTheResources() {
        MaxNumaSpread max = MaxNumaSpread.of(pod("kai.scheduler/max-numa-spread: ' 2 ',"
                        + " numaledger.io/max-numa-spread-resources: 'nvidia.com/gpu, cpu,'"))
                .orElseThrow();

        assertThat(max.zones()).isEqualTo(2);
        assertThat(max.covers("cpu")).isTrue();
        assertThat(max.covers("memory")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "two", "1.5", "", "99999"})
    void rejectsEverythingButPositiveNumbers(String value) {
        assertThatThrownBy(() -> MaxNumaSpread.of(pod("kai.scheduler/max-numa-spread: '%s'".formatted(value))))
                .hasMessage(
                        "invalid annotation: kai.scheduler/max-numa-spread='%s'; use a whole number of 1 or more, or remove it",
                        value);
    }

    @Test
    void rejectsTextsThatAreTooLongInAShortSentence() {
        assertThatThrownBy(() ->
                        MaxNumaSpread.of(pod("kai.scheduler/max-numa-spread: '%s'".formatted("1".repeat(200_000)))))
                .hasMessageStartingWith("invalid annotation: kai.scheduler/max-numa-spread='1111")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(200));
        assertThatThrownBy(() -> MaxNumaSpread.of(pod("kai.scheduler/max-numa-spread: '1',"
                        + " numaledger.io/max-numa-spread-resources: '%s'".formatted("a,".repeat(100_000)))))
                .hasMessage(
                        "invalid annotation: numaledger.io/max-numa-spread-resources has more than 2048 characters; shorten it, or remove it");
    }

    @Test
    void countsTheZonesOfCoveredResources() {
        Placement placement = new Placement.Builder()
                .add(0, "cpu", 1000)
                .add(1, "memory", 1)
                .add(3, "cpu", 1000)
                .build();

        assertThat(SpreadCheck.spread(
                        MaxNumaSpread.of(pod("kai.scheduler/max-numa-spread: '1'"))
                                .orElseThrow(),
                        placement))
                .isEqualTo(3);
        assertThat(SpreadCheck.spread(
                        MaxNumaSpread.of(pod("kai.scheduler/max-numa-spread: '1',"
                                        + " numaledger.io/max-numa-spread-resources: cpu"))
                                .orElseThrow(),
                        placement))
                .isEqualTo(2);
    }
}

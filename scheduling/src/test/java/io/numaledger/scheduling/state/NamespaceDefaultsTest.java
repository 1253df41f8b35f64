package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class NamespaceDefaultsTest {

    private static final Map<String, String> REQUIRED =
            Map.of("numaledger.io/gpu-links", "required", "example.com/other", "x");

    private final TestCluster cluster = new TestCluster();

    private static PodFacts pod(int gpus, String annotations) {
        return ClusterYaml.parsePod(ClusterYaml.pod(
                "x", "nvidia.com/gpu: \"%d\"".formatted(gpus), ", annotations: {" + annotations + "}", "", ""));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            two GPUs               | 2 |                                     | numaledger.io/gpu-links=required
            one GPU                | 1 |                                     |
            turned off             | 2 | numaledger.io/gpu-links: none        | numaledger.io/gpu-links=none
            a number of its own    | 2 | numaledger.io/gpu-links-min: '3'     | numaledger.io/gpu-links-min=3
            """)
    void concernsPodsWithTwoGpusWithoutAnAnnotationOfTheirOwn(
            String situation, int gpus, @Nullable String own, @Nullable String effective) {
        cluster.state.namespaceDefaults().put("default", REQUIRED);
        PodFacts pod = pod(gpus, own == null ? "" : own);
        assertThat(cluster.state.pods().known(pod).annotations())
                .hasToString(effective == null ? "{}" : "{" + effective + "}");
    }

    @Test
    void bindsOnlyWhereTheDefaultIsMet() {
        cluster.apply(ClusterYaml.node("n", "none"));
        assertThat(cluster.binds("n", pod(2, ""))).isTrue();

        cluster.state.namespaceDefaults().put("default", REQUIRED);
        assertThat(cluster.binds("n", pod(2, ""))).isFalse();

        cluster.state.namespaceDefaults().remove("default");
        assertThat(cluster.binds("n", pod(2, ""))).isTrue();
    }

    @Test
    void concernsPodsThatTheWatchShows() {
        cluster.state.namespaceDefaults().put("default", REQUIRED);
        cluster.state.podChanged(pod(2, ""));
        assertThat(cluster.state.pods().get("default/x").orElseThrow().annotations())
                .containsEntry("numaledger.io/gpu-links", "required");
    }
}

package io.numaledger.evaluation.snapshot;

import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Kubelets whose source was not read when this was built. */
class LaterKubeletTest {

    private final TestCluster cluster = new TestCluster();

    private NodeSnapshot node(String version) {
        cluster.apply(ClusterYaml.node("n").replace("v1.36.3", version));
        return cluster.snapshot("n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1.39.0", "v1.39.0-alpha.2", "v1.40.1+k3s1"})
    void isTakenForTheNewestThatIsModelledAndNeverExact(String version) {
        NodeSnapshot snapshot = node(version);

        assertThat(snapshot.assumptions()).singleElement().satisfies(assumption -> {
            assertThat(assumption.code()).isEqualTo("kubelet-version");
            assertThat(assumption.about()).contains("kubelet=" + KubeletVersion.parse(version));
        });
        assertThat(snapshot.confidence()).isNotEqualTo(Confidence.EXACT);
    }

    @Test
    void theNewestThatIsModelledIsExact() {
        NodeSnapshot snapshot = node("v1." + KubeletVersion.NEWEST + ".2");

        assertThat(snapshot.assumptions()).isEmpty();
        assertThat(snapshot.confidence()).isEqualTo(Confidence.EXACT);
    }
}

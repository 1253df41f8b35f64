package io.numaledger.bridge.plugin;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.bridge.ClusterYaml;
import io.numaledger.bridge.TestCluster;
import io.numaledger.bridge.view.NodeJson;
import io.numaledger.cli.Finding;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class ZoneChecksTest {

    private final TestCluster cluster = new TestCluster();

    private List<Finding> findings(String... nodes) {
        List<JsonNode> json = Stream.of(nodes)
                .<JsonNode>map(name -> NodeJson.of(cluster.state.snapshot(name).orElseThrow()))
                .toList();
        return ZoneChecks.of(json, true);
    }

    @Test
    void warnsOfKubeletsThatNeedLongThemselves() {
        cluster.apply(
                ClusterYaml.node("quick"),
                ClusterYaml.nodeOf34Zones("slow")
                        .replace("memoryManagerPolicy, value: None", "memoryManagerPolicy, value: Static"));

        assertThat(findings("quick", "slow"))
                .filteredOn(finding -> finding.text().contains("the kubelet needs"))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.level()).isEqualTo(Finding.Level.WARN);
                    assertThat(finding.text())
                            .startsWith("nodes=slow: ")
                            .contains("on 34 NUMA nodes", "memoryManagerPolicy None");
                });
    }
}

package io.numaledger.kubectl.doctor;

import io.numaledger.cli.Finding;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.kubectl.zones.EvaluatedZones;
import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class ZoneChecksTest {

    private static List<Finding> findings(String... objects) {
        return ZoneChecks.of(new EvaluatedZones(ClusterYaml.read(objects), SnapshotSettings.DEFAULT).nodes(), true);
    }

    @Test
    void warnsOfKubeletsThatNeedLongThemselves() {
        String slow = ClusterYaml.nodeOf34Zones("slow")
                .replace("memoryManagerPolicy, value: None", "memoryManagerPolicy, value: Static");

        assertThat(findings(ClusterYaml.node("quick"), slow))
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

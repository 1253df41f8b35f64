package io.numaledger.e2e.cluster;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.SimCluster;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class ChartRightsIT {

    @Test
    void theControllerManagerFindsNoFaultInTheAdmissionPolicies() {
        try (SimCluster cluster =
                RealKubernetes.cluster("nodes: [{name: n, numaNodes: [{id: 0, cores: 2, memory: 4Gi}]}]")) {
            ChartRights.install(cluster, "bridge.groups.enabled=true,agent.podConditions=true,cleanup.enabled=true");
            for (String name : List.of("agent", "bridge", "groups", "records", "cleanup")) {
                ValidatingAdmissionPolicy policy = await().atMost(Duration.ofMinutes(3))
                        .until(
                                () -> cluster.client()
                                        .resources(ValidatingAdmissionPolicy.class)
                                        .withName("numaledger-" + name)
                                        .require(),
                                found -> found.getStatus() != null
                                        && found.getStatus().getObservedGeneration() != null);

                assertThat(policy.getStatus().getTypeChecking().getExpressionWarnings())
                        .as(name)
                        .isEmpty();
            }
        }
    }
}

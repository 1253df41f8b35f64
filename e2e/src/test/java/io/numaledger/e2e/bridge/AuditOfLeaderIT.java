package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.APIServiceBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.apiobjects.view.ApiGroup;
import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.apiservers.real.FreePort;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.deployment.ClusterAgents;
import io.numaledger.simulator.deployment.Credentials;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Two processes of the bridge, of which one leads and predicts. The API server asks the other one about the audit. */
class AuditOfLeaderIT {

    private static final String NODE = """
            nodes:
            - name: n
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 4, memory: 4Gi}, {id: 1, cores: 4, memory: 4Gi}]
            """;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private final int leader = FreePort.next();
    private final int standby = FreePort.next();

    @Test
    void theStandbyAnswersWithWhatTheLeaderKnows() {
        BridgeCertificates certificates = BridgeCertificates.make(directory);
        try (SimCluster cluster = SimCluster.builder(RealKubernetes.binaries())
                .nodes(NodeSpecYaml.parse(NODE))
                .aggregation(any -> SchedulerConfig.text(
                        "https://127.0.0.1:" + leader,
                        "default-scheduler",
                        Optional.empty(),
                        Optional.of(certificates.scheduler()),
                        false))
                .start()) {
            Credentials credentials = ChartRights.credentials(cluster);
            try (ClusterAgents agents = new ClusterAgents(cluster, credentials.agents());
                    ChildProcess first = replica("leader", leader, credentials, certificates)) {
                agents.awaitPublished(cluster);
                awaitHolder(cluster.client(), leader);
                try (ChildProcess second = replica("standby", standby, credentials, certificates)) {
                    registerStandby(cluster.client());
                    assertAudited(cluster);
                    ProcessHandle.of(first.pid()).ifPresent(ProcessHandle::destroyForcibly);
                    awaitHolder(cluster.client(), standby);
                    await("the new leader answers by itself")
                            .atMost(BridgedNodes.TIMEOUT)
                            .until(() -> audits(cluster.client()).contains("\"items\":[]"));
                    assertThat(second.isAlive()).isTrue();
                }
            }
        }
    }

    private ChildProcess replica(String name, int port, Credentials credentials, BridgeCertificates certificates) {
        return BridgeProcess.replica(name, port, credentials.bridge(), directory, certificates, "--aggregated-api");
    }

    private static void awaitHolder(KubernetesClient client, int port) {
        await("the replica leads: port=" + port)
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> client.leases().inAnyNamespace().list().getItems().stream()
                        .anyMatch(lease -> lease.getMetadata().getName().equals("numaledger-bridge")
                                && String.valueOf(lease.getSpec().getHolderIdentity())
                                        .endsWith(":" + port)));
    }

    private void registerStandby(KubernetesClient client) {
        client.resource(new ServiceBuilder()
                        .withNewMetadata()
                        .withName("standby")
                        .withNamespace("default")
                        .endMetadata()
                        .withNewSpec()
                        .withType("ExternalName")
                        .withExternalName("localhost")
                        .endSpec()
                        .build())
                .create();
        client.resource(new APIServiceBuilder()
                        .withNewMetadata()
                        .withName("v1alpha1." + ApiGroup.NAME)
                        .endMetadata()
                        .withNewSpec()
                        .withGroup(ApiGroup.NAME)
                        .withVersion("v1alpha1")
                        .withGroupPriorityMinimum(1000)
                        .withVersionPriority(10)
                        .withNewService("standby", "default", standby)
                        .withInsecureSkipTLSVerify(true)
                        .endSpec()
                        .build())
                .create();
    }

    private static void assertAudited(SimCluster cluster) {
        ClusterPods pods = new ClusterPods(cluster);
        pods.create(SimplePod.named("p").with("c", "cpu=2", "memory=1Gi"));
        pods.awaitPhase("p", "Running");
        await("the standby knows the prediction")
                .atMost(BridgedNodes.TIMEOUT)
                .ignoreException(KubernetesClientException.class)
                .until(() -> audits(cluster.client()).contains("\"pod\":\"default/p\""));
        String uid = pods.get("p").getMetadata().getUid();
        assertThat(cluster.client().raw(ApiGroup.ROOT + "/" + ApiGroup.AUDITS + "/" + uid))
                .contains("\"outcome\":\"same\"", "\"c\":{\"cpus\":\"1-2\"");
    }

    private static String audits(KubernetesClient client) {
        return String.valueOf(client.raw(ApiGroup.ROOT + "/" + ApiGroup.AUDITS));
    }
}

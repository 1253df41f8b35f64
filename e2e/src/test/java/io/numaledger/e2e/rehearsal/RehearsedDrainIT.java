package io.numaledger.e2e.rehearsal;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.numaledger.annotation.Annotations;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.DeviceClaims;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.kubectl.client.Kubectl;
import io.numaledger.kubectl.zones.EvaluatedZones;
import io.numaledger.objects.ClusterDump;
import io.numaledger.scheduling.rehearsal.AddRehearsal;
import io.numaledger.scheduling.rehearsal.DrainRehearsal;
import io.numaledger.scheduling.rehearsal.Fate;
import io.numaledger.scheduling.rehearsal.RehearsedPod;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.workload.SimplePod;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Drains with a real kube-scheduler and the bridge, and then a node more: as many pods wait as was rehearsed, and no kubelet refuses one. Set
 * {@code
 * -Dnumaledger.rehearsed-drains} for more.
 */
class RehearsedDrainIT {

    private static final int DRAINS = Integer.getInteger("numaledger.rehearsed-drains", 3);
    private static final List<String> NODES = List.of("a", "b", "c");

    private static String yaml() {
        StringBuilder yaml = new StringBuilder("nodes:\n");
        for (String node : NODES) {
            yaml.append("""
                    - name: %s
                      kubelet: {topologyManagerPolicy: single-numa-node}
                      numaNodes: [{id: 0, cores: 8, memory: 16Gi}, {id: 1, cores: 8, memory: 16Gi}]
                      draDrivers:
                      - driver: vf.example.com
                        devices:
                        - {names: [vf-0], attributes: {resource.kubernetes.io/numaNode: {int: 0}}}
                        - {names: [vf-1], attributes: {resource.kubernetes.io/numaNode: {int: 1}}}
                    """.formatted(node));
        }
        return yaml.toString();
    }

    /**
     * Pods that wait.
     *
     * @param rehearsedWithNode once there is another node
     */
    private record Waiting(int rehearsed, int real, int rehearsedWithNode, int realWithNode) {}

    @Test
    void asManyPodsWaitAsWasRehearsed() throws IOException {
        List<Waiting> found = new ArrayList<>();
        try (BridgedCluster bridged =
                BridgedCluster.start(RealKubernetes.binaries(), yaml(), cluster -> ChartRights.credentials(cluster))) {
            new DeviceClaims(bridged.cluster().client()).createTemplate("vf", DeviceClaims.request("vf.example.com"));
            Random random = new Random(1);
            for (int i = 0; i < DRAINS; i++) {
                found.add(drain(bridged, random));
            }
            assertThat(bridged.cluster().journal().count("TopologyAffinityError"))
                    .isZero();
        }
        System.out.println("measured: rehearsed drains=%d %s".formatted(DRAINS, found));
        assertThat(found).allSatisfy(each -> {
            assertThat(each.real()).isEqualTo(each.rehearsed());
            assertThat(each.realWithNode()).isEqualTo(each.rehearsedWithNode());
        });
    }

    private static Waiting drain(BridgedCluster bridged, Random random) throws IOException {
        ClusterPods pods = new ClusterPods(bridged.cluster());
        int cpus = 2 + random.nextInt(4);
        switch (random.nextInt(3)) {
            case 0 -> {
                int most = NODES.size() * (8 / cpus + 7 / cpus); // one CPU of each node is reserved
                deploy(bridged, SimplePod.named("large"), cpus, most - random.nextInt(3));
            }
            case 1 -> {
                deploy(bridged, SimplePod.named("large"), cpus, 4);
                deploy(bridged, SimplePod.named("small"), 1, random.nextInt(6));
            }
            default -> {
                SimplePod claiming = SimplePod.named("claiming")
                        .annotated(Annotations.CLAIM_ALIGNMENT, "required")
                        .claimingFrom("vf");
                // Without others: where these go decides whether a claimed device lies near the CPUs that are left.
                deploy(bridged, claiming, cpus, 3 + random.nextInt(4));
            }
        }
        pods.awaitAllDecided();
        System.out.println(bridged.awaitStateEqualsKubelets().summary());
        String node = NODES.get(random.nextInt(NODES.size()));
        List<RehearsedPod> rehearsed = new DrainRehearsal(read(bridged).rehearsed(), false)
                .of(List.of(node), 1)
                .pods();
        List<Pod> before = pods.all();
        long waitingBefore = waiting(pods);
        bridged.cluster().patchNode(node, "{\"spec\":{\"unschedulable\":true}}");
        List<Pod> evicted = before.stream()
                .filter(pod -> node.equals(pod.getSpec().getNodeName()))
                .toList();
        evicted.forEach(pod -> pods.delete(pod.getMetadata().getName()));
        await("all pods are elsewhere or wait")
                .atMost(ClusterPods.TIMEOUT)
                .until(() -> pods.all().size() == before.size()
                        && pods.all().stream()
                                .noneMatch(pod -> node.equals(pod.getSpec().getNodeName())));
        pods.awaitAllDecided();
        int waiting = (int) (waiting(pods) - waitingBefore);
        int withNode = AddRehearsal.of(read(bridged).rehearsed(), like(node), 1)
                .waiting()
                .size();
        bridged.cluster().patchNode(node, "{\"spec\":{\"unschedulable\":false}}");
        int waitingWithNode = awaitLeft(pods, withNode);
        bridged.cluster().client().apps().deployments().inNamespace("default").delete();
        pods.deleteAll();
        assertThat(rehearsed).hasSameSizeAs(evicted);
        return new Waiting(
                (int) rehearsed.stream()
                        .filter(pod -> pod.fate() == Fate.PENDING)
                        .count(),
                waiting,
                withNode,
                waitingWithNode);
    }

    /** Another node of the same kind. */
    private static String like(String node) {
        return NODES.get((NODES.indexOf(node) + 1) % NODES.size());
    }

    /** How many pods wait once the others have found a node; waits until that is as expected. */
    private static int awaitLeft(ClusterPods pods, int expected) {
        try {
            await("%d pods wait".formatted(expected))
                    .during(Duration.ofSeconds(2))
                    .atMost(ClusterPods.TIMEOUT)
                    .until(() -> waiting(pods) == expected);
        } catch (ConditionTimeoutException compared) {
            System.out.println(compared.getMessage());
        }
        return (int) waiting(pods);
    }

    private static EvaluatedZones read(BridgedCluster bridged) throws IOException {
        Kubectl kubectl = new Kubectl(
                RealKubernetes.binaries().directory().resolve("kubectl").toString(),
                List.of("--kubeconfig=" + bridged.cluster().kubeconfig()));
        return new EvaluatedZones(
                ClusterDump.parse(kubectl.objects(
                        "nodes,noderesourcetopologies,pods,resourceslices,resourceclaims,deviceclasses")),
                SnapshotSettings.DEFAULT);
    }

    private static long waiting(ClusterPods pods) {
        return pods.all().stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Pending"))
                .count();
    }

    private static void deploy(BridgedCluster bridged, SimplePod simple, int cpus, int replicas) {
        Pod pod = simple.with("c", "cpu=" + cpus, "memory=1Gi").build();
        String name = pod.getMetadata().getName();
        Map<String, String> labels = Map.of("app", name);
        bridged.cluster()
                .client()
                .resource(new DeploymentBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace("default")
                        .endMetadata()
                        .withNewSpec()
                        .withReplicas(replicas)
                        .withNewSelector()
                        .withMatchLabels(labels)
                        .endSelector()
                        .withNewTemplate()
                        .withNewMetadata()
                        .withLabels(labels)
                        .withAnnotations(pod.getMetadata().getAnnotations())
                        .endMetadata()
                        .withSpec(pod.getSpec())
                        .endTemplate()
                        .endSpec()
                        .build())
                .create();
        await("the pods of %s are there".formatted(name))
                .atMost(ClusterPods.TIMEOUT)
                .until(() -> bridged.cluster()
                                .client()
                                .pods()
                                .inNamespace("default")
                                .withLabels(labels)
                                .list()
                                .getItems()
                                .size()
                        == replicas);
    }
}

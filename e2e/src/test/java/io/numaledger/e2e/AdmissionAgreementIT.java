package io.numaledger.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.PredictedContainer;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.simulator.cluster.JournalEntry;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.node.PodRequests;
import io.numaledger.simulator.node.ReportLag;
import io.numaledger.simulator.node.SimulatedKubelet;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The simulator's own kubelet and real ones are given the same pods in the same order, and must say the same of each: verdict
 * and reason, CPU ids, memory blocks, and how many devices on which NUMA nodes.
 */
class AdmissionAgreementIT {

    private static final int STEPS = 16;

    private static final String NODES =
            """
            nodes:
            - name: single-container
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 4, threadsPerCore: 2, memory: 16Gi}, {id: 1, cores: 4, threadsPerCore: 2, memory: 16Gi}]
              devices: [{resource: nvidia.com/gpu, count: 2, numaNodes: [0]}, {resource: nvidia.com/gpu, count: 2, numaNodes: [1]}]
            - name: single-pod
              kubelet: {topologyManagerPolicy: single-numa-node, topologyManagerScope: pod}
              numaNodes: [{id: 0, cores: 8, memory: 16Gi}, {id: 1, cores: 8, memory: 16Gi}]
            - name: restricted-old
              kubeletVersion: "1.33"
              kubelet: {topologyManagerPolicy: restricted}
              numaNodes: [{id: 0, cores: 8, memory: 8Gi}, {id: 1, cores: 8, memory: 8Gi}]
            - name: restricted-pod
              kubelet: {topologyManagerPolicy: restricted, topologyManagerScope: pod}
              numaNodes: [{id: 0, cores: 4, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}, {id: 2, cores: 4, memory: 8Gi}, {id: 3, cores: 4, memory: 8Gi}]
            - name: best-effort
              kubelet: {topologyManagerPolicy: best-effort}
              numaNodes: [{id: 0, cores: 6, memory: 8Gi}, {id: 2, cores: 10, memory: 12Gi}]
            - name: whole-cores
              kubelet: {topologyManagerPolicy: single-numa-node, cpuManagerPolicyOptions: {full-pcpus-only: "true"}}
              numaNodes: [{id: 0, cores: 4, threadsPerCore: 2, memory: 16Gi}, {id: 1, cores: 4, threadsPerCore: 2, memory: 16Gi}]
            """;

    /** A real node and its double. */
    private record Pair(SimNode real, SimulatedKubelet simulated, Random random, List<String> admitted) {

        static Pair of(SimNode node) {
            return new Pair(
                    node,
                    new SimulatedKubelet(node.spec(), ReportLag.none(), InstantSource.system()),
                    new Random(node.name().hashCode()),
                    new ArrayList<>());
        }
    }

    @Test
    void theSimulatorsKubeletSaysWhatTheRealOneSays() {
        try (SimCluster cluster = RealKubernetes.cluster(NODES)) {
            ClusterPods pods = new ClusterPods(cluster);
            List<Pair> pairs = cluster.nodes().stream().map(Pair::of).toList();
            int refused = 0;
            for (int step = 0; step < STEPS; step++) {
                for (Pair pair : pairs) {
                    removeOne(pods, pair);
                    pods.create(pod(name(pair, step), pair));
                }
                pods.awaitAllDecided();
                for (Pair pair : pairs) {
                    refused += compare(pods, pair, name(pair, step)) ? 0 : 1;
                }
            }
            System.out.printf(
                    "measured: %d admissions on %d kubelets agree with the simulator, %d of them refusals%n",
                    STEPS * pairs.size(), pairs.size(), refused);
            assertThat(refused).isPositive();
        }
    }

    private static String name(Pair pair, int step) {
        return "%s-%02d".formatted(pair.real().name(), step);
    }

    /** From time to time one of those that run goes; also when so many run that the node as a whole could be full. */
    private static void removeOne(ClusterPods pods, Pair pair) {
        if (pair.admitted().size() >= 4 || pair.random().nextInt(4) == 0 && !pair.admitted().isEmpty()) {
            String name = pair.admitted().remove(pair.random().nextInt(pair.admitted().size()));
            String uid = pods.get(name).getMetadata().getUid();
            pods.delete(name);
            await().atMost(ClusterPods.PATIENCE)
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> pods.get(name) == null);
            pair.simulated().remove(uid);
        }
    }

    /** At most a quarter of the smallest node, so that only what the Topology Manager looks at decides. */
    private static TestPod pod(String name, Pair pair) {
        TestPod pod = TestPod.named(name).on(pair.real().name());
        Random random = pair.random();
        String memory = "memory=" + (256 + 256 * random.nextInt(8)) + "Mi";
        return switch (random.nextInt(7)) {
            case 0 -> pod.with("main", "cpu=1", memory);
            case 1 -> pod.with("main", "cpu=" + (2 + random.nextInt(2)), memory);
            case 2 -> pod.with("a", "cpu=1", "memory=256Mi").with("b", "cpu=2", memory);
            case 3 -> pod.initially("prepare", "cpu=2", "memory=256Mi").with("main", "cpu=1", memory);
            case 4 -> pod.sidecar("proxy", "cpu=1", "memory=128Mi").with("main", "cpu=2", "memory=512Mi");
            case 5 -> pair.real().spec().devices().isEmpty()
                    ? pod.burstable("main", "cpu=100m", "memory=64Mi")
                    : pod.with("main", "cpu=1", "memory=128Mi", "nvidia.com/gpu=" + (1 + random.nextInt(2)));
            default -> pod.with("main", "cpu=3", memory);
        };
    }

    /** True when the pod was admitted. */
    private static boolean compare(ClusterPods pods, Pair pair, String name) {
        Pod pod = pods.get(name);
        JournalEntry real = pods.entry(name);
        Admission simulated = pair.simulated().admit("default", name, PodRequests.of(pod));
        String what = "%s asks %s, holding there: %s".formatted(name, real.asked(), pair.admitted());
        if (simulated instanceof Admission.Admitted admitted) {
            assertThat(real.verdict().phase()).as(what).isEqualTo("Running");
            assertThat(admitted.open()).as(what).isEmpty();
            for (ContainerAllocation container : real.reported().orElseThrow().containers()) {
                PredictedContainer predicted = admitted.container(container.name()).orElseThrow();
                assertThat(predicted.cpus()).as(what).isEqualTo(container.cpus());
                assertThat(predicted.memory()).as(what).isEqualTo(container.memory());
                assertThat(places(predicted.devices())).as(what).isEqualTo(places(container.devices()));
            }
            pair.admitted().add(name);
            return true;
        }
        assertThat(real.verdict().phase()).as(what).isEqualTo("Failed");
        assertThat(simulated.refused().orElseThrow().reason()).as(what).hasToString(real.verdict().reason());
        return false;
    }

    private static List<String> places(List<DeviceAllocation> devices) {
        return devices.stream()
                .map(device -> device.resource() + device.numaNodes())
                .sorted()
                .collect(Collectors.toList());
    }
}

package io.numaledger.e2e.model;

import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.KubeletRestart;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.pod.PodRequest;
import io.numaledger.simulator.cluster.KubeletState;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.hardware.KubeletSpec;
import io.numaledger.simulator.node.PodRequests;
import io.numaledger.simulator.node.SpecModel;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Real kubelets that are started again over their state, with another configuration or not, end or keep pods as the model says. */
class RestartOverStateIT {

    private static SimCluster cluster;
    private static ClusterPods pods;

    @BeforeAll
    static void start() {
        RealKubernetes.binaries();
        cluster = RealKubernetes.cluster("""
                nodes:
                - name: memory
                  kubelet: {topologyManagerPolicy: restricted}
                  numaNodes:
                  - {id: 0, cores: 4, threadsPerCore: 2, memory: 16Gi}
                  - {id: 1, cores: 4, threadsPerCore: 2, memory: 16Gi}
                - name: cpus
                  kubelet: {topologyManagerPolicy: restricted, memoryManagerPolicy: None}
                  numaNodes:
                  - {id: 0, cores: 4, threadsPerCore: 2, memory: 16Gi}
                - name: init
                  kubelet: {topologyManagerPolicy: restricted}
                  numaNodes:
                  - {id: 0, cores: 4, memory: 16Gi}
                  - {id: 1, cores: 4, memory: 16Gi}
                - name: hybrid
                  kubelet: {topologyManagerPolicy: none, memoryManagerPolicy: None, reservedSystemCPUs: "1"}
                  numaNodes:
                  - {id: 0, memory: 16Gi, coreCpus: ["0,1", "2,3", "4,5", "6,7", "8", "9", "10", "11"]}
                """);
        pods = new ClusterPods(cluster);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static NodeState run(SimNode node, SimplePod pod) {
        pods.create(pod);
        String name = pod.build().getMetadata().getName();
        pods.awaitPhase(name, "Running");
        KubeletModel model = SpecModel.start(node.spec());
        PodRequest request = PodRequests.of(pods.get(name));
        NodeState state = model.started(model.admit(model.empty(), request).state(), request);
        assertThat(state.cpus().orElseThrow().shared())
                .isEqualTo(KubeletState.read(node.kubeletRoot()).sharedCpus());
        return state;
    }

    private static void awaitEnd(SimNode node, NodeState state) throws IOException {
        String error =
                KubeletRestart.objection(SpecModel.start(node.spec()), state).orElseThrow();
        await().atMost(ClusterPods.TIMEOUT).until(() -> node.kubeletPid().isEmpty());
        assertThat(Files.readString(node.kubeletLog()).replace("\\\"", "\"")).contains(error);
    }

    private static KubeletSpec with(KubeletSpec kubelet, Map<String, String> cpuOptions, long reservedGib) {
        return new KubeletSpec(
                kubelet.topologyManager(),
                new CpuManagerConfig(
                        kubelet.cpuManager().policy(),
                        new TreeMap<>(cpuOptions),
                        kubelet.reservedSystemCpus(),
                        OptionalLong.empty()),
                new MemoryManagerConfig(
                        kubelet.memoryManager().policy(),
                        new TreeMap<>(Map.of(0, new TreeMap<>(Map.of("memory", reservedGib << 30)))),
                        Optional.empty()),
                kubelet.featureGates(),
                kubelet.cgroupsPerQos());
    }

    @Test
    void endsWhenItsReservedMemoryHasChanged() throws IOException {
        SimNode node = cluster.node("memory");
        NodeState state = run(node, SimplePod.named("m").on("memory").with("main", "cpu=2", "memory=1Gi"));
        KubeletSpec before = node.spec().kubelet();

        node.restartKubelet(with(before, Map.of(), 2));

        awaitEnd(node, state);
        node.restartKubelet(before);
        await().atMost(ClusterPods.TIMEOUT).until(node::hasSettled);
        assertThat(pods.isRunning("m")).isTrue();
    }

    @Test
    void endsWhenAPodHasAReservedCpu() throws IOException {
        SimNode node = cluster.node("hybrid");
        NodeState state = run(node, SimplePod.named("h").on("hybrid").with("main", "cpu=2", "memory=1Gi"));

        node.restartKubelet(node.spec().kubelet());

        awaitEnd(node, state);
    }

    /** 3 CPUs are no whole cores. */
    @Test
    void refusesAPodThatTheNewOptionsForbid() {
        SimNode node = cluster.node("cpus");
        SimplePod pod = SimplePod.named("c").on("cpus").with("main", "cpu=3", "memory=1Gi");
        NodeState state = run(node, pod);

        node.restartKubelet(with(node.spec().kubelet(), Map.of("full-pcpus-only", "true"), 1));

        KubeletModel model = SpecModel.start(node.spec());
        Refusal expected = KubeletRestart.over(model, state, List.of(PodRequests.of(pods.get("c"))))
                .ended()
                .values()
                .iterator()
                .next()
                .refused()
                .orElseThrow();
        pods.awaitPhase("c", "Failed");
        assertThat(pods.entry("c").verdict().reason())
                .isEqualTo(expected.reason().toString());
        assertThat(pods.entry("c").verdict().message())
                .contains(expected.message().orElseThrow());
    }

    /** A restarted kubelet allocates memory to init containers that have ended long ago. */
    @Test
    void allocatesTheMemoryOfEndedInitContainersAgain() {
        SimNode node = cluster.node("init");
        SimplePod pod = SimplePod.named("i")
                .on("init")
                .initially("prepare", "cpu=1", "memory=3Gi")
                .with("main", "cpu=2", "memory=1Gi");
        NodeState state = run(node, pod);

        node.restartKubelet(node.spec().kubelet());
        await().atMost(ClusterPods.TIMEOUT).until(node::hasSettled);

        KubeletModel model = SpecModel.start(node.spec());
        KubeletRestart.Outcome outcome = KubeletRestart.over(model, state, List.of(PodRequests.of(pods.get("i"))));
        NodeState after = outcome.state();
        assertThat(outcome.ended()).isEmpty();
        KubeletState real = KubeletState.read(node.kubeletRoot());
        assertThat(pods.entry("i").held().get("prepare").memory())
                .containsExactly(new MemoryBlock("memory", 3L << 30, List.of(0)));
        assertThat(real.memory().get(0).get("memory").free())
                .isEqualTo(after.memory().orElseThrow().nodes().get(0).free().get("memory"));
        assertThat(pods.isRunning("i")).isTrue();
    }
}

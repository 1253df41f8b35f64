package io.numaledger.e2e.agent;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.numaledger.agent.doctor.DoctorCommand;
import io.numaledger.annotation.AllocationText;
import io.numaledger.annotation.Annotations;
import io.numaledger.apiservers.real.ChartAccounts;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.e2e.support.RunningAgent;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.podresources.PodResourcesClient;
import io.numaledger.podresources.PodResourcesException;
import io.numaledger.simulator.cluster.KubeletState;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.hardware.NumaNodeSpec;
import io.numaledger.simulator.oracle.PublishedComparison;
import io.numaledger.simulator.workload.SimplePod;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** NodeResourceTopologies and annotations equal the kubelets' own state files, for each shape of node, policy and scope. */
class AgentAgainstKubeletIT {

    private static final int PODS_PER_NODE = 5;

    private static SimCluster cluster;
    private static ChartAccounts accounts;
    private static ClusterPods pods;
    private static PublishedComparison published;
    private final List<RunningAgent> agents = new ArrayList<>();

    /**
     * No node mixes cores of one and of two threads: on such a node kubelet 1.36.3 gives a reserved CPU to a container, and does
     * not start again with the state that it has then.
     */
    @BeforeAll
    static void startCluster() {
        cluster = RealKubernetes.cluster("""
                nodes:
                - name: one
                  numaNodes: [{id: 0, cores: 6, memory: 16Gi}]
                - name: smt-huge-devices
                  numaNodes:
                  - {id: 0, cores: 4, threadsPerCore: 2, memory: 16Gi, hugepages: {2Mi: 512}}
                  - {id: 1, cores: 4, threadsPerCore: 2, memory: 16Gi, hugepages: {2Mi: 256, 1Gi: 1}}
                  devices:
                  - {resource: nvidia.com/gpu, count: 2, numaNodes: [0], preferredAllocation: true}
                  - {resource: nvidia.com/gpu, count: 2, numaNodes: [1]}
                  - {resource: example.com/nic, count: 2, numaNodes: [0, 1]}
                  - {resource: example.com/key, count: 2, numaNodes: []}
                - name: two-per-socket
                  kubeletVersion: "%s"
                  numaNodes:
                  - {id: 0, socket: 0, cores: 4, memory: 8Gi}
                  - {id: 1, socket: 0, cores: 4, memory: 8Gi}
                  - {id: 2, socket: 1, cores: 4, memory: 8Gi}
                  - {id: 3, socket: 1, cores: 4, memory: 8Gi}
                - name: eight-smt-huge
                  numaNodes:
                  - {id: 0, socket: 0, cores: 2, threadsPerCore: 2, memory: 4Gi, hugepages: {2Mi: 256}}
                  - {id: 1, socket: 0, cores: 2, threadsPerCore: 2, memory: 4Gi, hugepages: {2Mi: 256}}
                  - {id: 2, socket: 0, cores: 2, threadsPerCore: 2, memory: 4Gi}
                  - {id: 3, socket: 0, cores: 2, threadsPerCore: 2, memory: 4Gi}
                  - {id: 4, socket: 1, cores: 2, threadsPerCore: 2, memory: 4Gi, hugepages: {2Mi: 256}}
                  - {id: 5, socket: 1, cores: 2, threadsPerCore: 2, memory: 4Gi}
                  - {id: 6, socket: 1, cores: 2, threadsPerCore: 2, memory: 4Gi}
                  - {id: 7, socket: 1, cores: 2, threadsPerCore: 2, memory: 4Gi}
                - name: odd-memory-only
                  numaNodes:
                  - {id: 0, socket: 0, cores: 4, memory: 8Gi}
                  - {id: 3, socket: 1, cores: 6, memory: 12Gi}
                  - {id: 8, socket: 1, cores: 0, memory: 6Gi}
                - name: no-cpu-manager
                  kubelet: {cpuManagerPolicy: none}
                  numaNodes: [{id: 0, cores: 4, memory: 16Gi}, {id: 1, cores: 4, memory: 16Gi}]
                - name: no-memory-manager
                  kubelet: {memoryManagerPolicy: None}
                  numaNodes: [{id: 0, cores: 4, memory: 16Gi}, {id: 1, cores: 4, memory: 16Gi}]
                - name: no-managers
                  kubelet: {cpuManagerPolicy: none, memoryManagerPolicy: None}
                  numaNodes: [{id: 0, cores: 4, memory: 16Gi}, {id: 1, cores: 4, memory: 16Gi}]
                  devices: [{resource: nvidia.com/gpu, count: 2, numaNodes: [1]}]
                """.formatted(RealKubernetes.otherKubelet()));
        accounts = ChartRights.install(cluster);
        pods = new ClusterPods(cluster);
        published = new PublishedComparison(cluster);
    }

    @AfterAll
    static void stopCluster() {
        if (published != null) {
            published.leftOut().forEach(sentence -> System.out.println("left out of the comparison: " + sentence));
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    @BeforeEach
    void forgetUnhealthyDevices() {
        published.expectUnhealthy(Set.of());
    }

    @AfterEach
    void stopAgentsAndPods() {
        agents.parallelStream().forEach(RunningAgent::close);
        pods.deleteAll();
    }

    private void startAgents() {
        cluster.nodes().forEach(node -> agents.add(RunningAgent.start(node, accounts.agent(node.name()))));
    }

    @ParameterizedTest(name = "{0}, scope {1}")
    @CsvSource({
        "none, container",
        "none, pod",
        "best-effort, container",
        "best-effort, pod",
        "restricted, container",
        "restricted, pod",
        "single-numa-node, container",
        "single-numa-node, pod"
    })
    void publishesWhatTheStateFilesSay(String policy, String scope) {
        reconfigure(TopologyPolicyName.parse(policy), TopologyScope.parse(scope));
        startAgents();
        createPodsOnEachNode(new Random((policy + scope).hashCode()));
        pods.awaitAllDecided();

        awaitEquality();

        assertThat(pods.journal()).anyMatch(entry -> !entry.held().isEmpty());
    }

    private static void reconfigure(TopologyPolicyName policy, TopologyScope scope) {
        cluster.nodes().parallelStream()
                .forEach(node -> node.reconfigureKubelet(node.spec().kubelet().withTopologyManager(policy, scope)));
        cluster.nodes().forEach(AgentAgainstKubeletIT::awaitKubelet);
    }

    private static void awaitKubelet(SimNode node) {
        int devices = node.spec().devices().stream()
                .mapToInt(plugin -> plugin.devices().size())
                .sum();
        await("the kubelet of %s answers, has its devices and tells at once of pods that it refuses"
                        .formatted(node.name()))
                .atMost(ClusterPods.TIMEOUT)
                .until(() -> {
                    node.requireKubelet();
                    return healthyDevices(node) == devices && node.hasRunHousekeeping();
                });
    }

    private static int healthyDevices(SimNode node) {
        try (PodResourcesClient client =
                new PodResourcesClient(node.podResourcesSocket(), Duration.ofSeconds(2), warning -> {})) {
            return client.allocatable().devices().size();
        } catch (PodResourcesException notYet) {
            return -1;
        }
    }

    private static void createPodsOnEachNode(Random random) {
        List<List<SimplePod>> ofEachNode = new ArrayList<>();
        for (SimNode node : cluster.nodes()) {
            List<SimplePod> mix = mix(node);
            Collections.shuffle(mix, random);
            ofEachNode.add(mix.subList(0, PODS_PER_NODE));
        }
        ofEachNode.parallelStream().forEach(mix -> mix.forEach(pods::create));
    }

    /** One pod of each kind that the node could have, in the sizes of its first NUMA node. */
    private static List<SimplePod> mix(SimNode node) {
        NumaNodeSpec first = node.spec().numaNodes().get(0);
        String most = "cpu=" + (first.cpuCount() - 1);
        String wide = "cpu=" + (first.cpuCount() + 1);
        String wideMemory = "memory=" + (first.memoryBytes() * 5 / 4);
        String name = node.name() + "-";
        List<SimplePod> mix = new ArrayList<>(List.of(
                SimplePod.named(name + "small").with("main", "cpu=1", "memory=256Mi"),
                SimplePod.named(name + "most").with("main", most, "memory=512Mi"),
                SimplePod.named(name + "wide").with("main", wide, "memory=256Mi"),
                SimplePod.named(name + "wide-memory").with("main", "cpu=1", wideMemory),
                SimplePod.named(name + "two").with("a", "cpu=1", "memory=256Mi").with("b", "cpu=2", "memory=512Mi"),
                SimplePod.named(name + "fraction").with("main", "cpu=1500m", "memory=256Mi"),
                SimplePod.named(name + "burstable").burstable("main", "cpu=100m", "memory=64Mi"),
                SimplePod.named(name + "init")
                        .initially("prepare", "cpu=2", "memory=512Mi")
                        .with("main", "cpu=1", "memory=256Mi"),
                SimplePod.named(name + "sidecar")
                        .sidecar("proxy", "cpu=1", "memory=128Mi")
                        .with("main", "cpu=1", "memory=256Mi")));
        if (!first.hugepages().isEmpty()) {
            mix.add(SimplePod.named(name + "huge").with("main", "cpu=1", "memory=128Mi", "hugepages-2Mi=128Mi"));
        }
        node.spec()
                .devices()
                .forEach(plugin -> mix.add(
                        SimplePod.named(name + "device-" + plugin.resource().replaceAll("[./]", "-"))
                                .with("main", "cpu=1", "memory=128Mi", plugin.resource() + "=2")));
        mix.forEach(pod -> pod.on(node.name()));
        return mix;
    }

    private static void awaitEquality() {
        await("what is published equals the state files")
                .atMost(ClusterPods.TIMEOUT)
                .untilAsserted(() -> {
                    cluster.nodes().forEach(SimNode::requireKubelet);
                    assertThat(published.differences()).isEmpty();
                });
    }

    @Test
    void followsPodsThatComeAndGo() {
        startAgents();
        Random random = new Random(5);
        createPodsOnEachNode(random);
        pods.awaitAllDecided();
        awaitEquality();

        pods.all().stream()
                .filter(pod -> random.nextBoolean())
                .forEach(pod -> pods.delete(pod.getMetadata().getName()));
        cluster.nodes()
                .forEach(node -> pods.create(
                        SimplePod.named(node.name() + "-late").on(node.name()).with("main", "cpu=1", "memory=256Mi")));
        pods.awaitAllDecided();

        awaitEquality();
    }

    @Test
    void chargesWhatAFinishedInitContainerKeeps() {
        SimNode node = cluster.node("smt-huge-devices");
        agents.add(RunningAgent.start(node, accounts.agent(node.name()), "--kubelet-state-dir=" + node.kubeletRoot()));
        pods.create(SimplePod.named("keeper")
                .on(node.name())
                .initially("warm-up", "cpu=3", "memory=256Mi", "nvidia.com/gpu=2")
                .with("main", "cpu=1", "memory=256Mi", "nvidia.com/gpu=1"));
        pods.awaitPhase("keeper", "Running");
        String uid = pods.get("keeper").getMetadata().getUid();

        await().atMost(ClusterPods.TIMEOUT).untilAsserted(() -> {
            Collection<ContainerAllocation> held =
                    KubeletState.read(node.kubeletRoot()).ofPod(uid).values();
            assertThat(cpus(held).size()).isEqualTo(3);
            assertThat(gpus(held)).hasSize(2);
            assertThat(held(node, "cpu")).isEqualTo(3000);
            assertThat(held(node, "nvidia.com/gpu")).isEqualTo(2);
            Collection<ContainerAllocation> recorded = AllocationText.read(
                            "default",
                            "keeper",
                            pods.get("keeper").getMetadata().getAnnotations().get(Annotations.PLACEMENT))
                    .containers();
            assertThat(cpus(recorded)).isEqualTo(cpus(held));
            assertThat(gpus(recorded)).isEqualTo(gpus(held));
        });
    }

    private static CpuSet cpus(Collection<ContainerAllocation> containers) {
        return containers.stream().map(ContainerAllocation::cpus).reduce(CpuSet.EMPTY, CpuSet::union);
    }

    private static SortedSet<DeviceAllocation> gpus(Collection<ContainerAllocation> containers) {
        return containers.stream()
                .flatMap(container -> container.devices().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** What pods hold of it by the node's topology. */
    private static long held(SimNode node, String resource) {
        return published.published(node.name()).stream()
                .flatMap(topology -> topology.zones().stream())
                .map(zone -> zone.resources().get(resource))
                .mapToLong(amount -> amount.allocatable() - amount.available())
                .sum();
    }

    @Test
    void theDoctorFindsNothingOnARealKubeletButItsCertificate() {
        SimNode node = cluster.node("two-per-socket");
        StringWriter out = new StringWriter();
        int status = new CommandLine(new DoctorCommand())
                .setOut(new PrintWriter(out))
                .execute(
                        "--node-name=" + node.name(),
                        "--kubeconfig=" + accounts.agent(node.name()),
                        "--podresources-socket=" + node.podResourcesSocket(),
                        "--sysfs-root=" + node.hardwareRoot().resolve("sys"),
                        "--kubelet-config=" + node.kubeletConfig(),
                        "--kubelet-state-dir=" + node.kubeletRoot());
        assertThat(status).isZero();
        assertThat(out.toString().lines())
                .contains("ok    hardware        NUMA nodes: 4", "ok    right           get nodes/configz")
                .anyMatch(line -> line.startsWith("ok    podresources    the kubelet lists "));
        assertThat(out.toString().lines().filter(line -> !line.startsWith("ok ")))
                .as("this kubelet signed its certificate itself")
                .singleElement()
                .asString()
                .startsWith("warn  configz         the kubelet's certificate does not verify: url=https://");
    }

    @Test
    void followsAPodThatIsCreatedAgainUnderItsName() {
        SimNode node = cluster.node("two-per-socket");
        startAgents();
        pods.create(SimplePod.named("again").on(node.name()).with("main", "cpu=2", "memory=256Mi"));
        pods.awaitPhase("again", "Running");
        awaitEquality();
        String before = pods.get("again").getMetadata().getUid();

        pods.delete("again");
        await().atMost(ClusterPods.TIMEOUT).pollInterval(Duration.ofMillis(20)).until(() -> pods.get("again") == null);
        pods.create(SimplePod.named("again").on(node.name()).with("main", "cpu=3", "memory=512Mi"));

        pods.awaitPhase("again", "Running");
        awaitEquality();
        assertThat(pods.get("again").getMetadata().getUid()).isNotEqualTo(before);
    }

    /** Its mirror has another UID than the kubelet goes by, and comes anew when the manifest changes. */
    @Test
    void followsAStaticPod() throws IOException {
        SimNode node = cluster.node("two-per-socket");
        String mirror = "static-" + node.name();
        Path manifest = node.staticPods().resolve("static.yaml");
        startAgents();
        try {
            putManifest(manifest, SimplePod.named("static").with("main", "cpu=2", "memory=256Mi"));
            pods.awaitPhase(mirror, "Running");
            awaitEquality();
            assertThat(held(node, "cpu")).isEqualTo(2000);

            putManifest(manifest, SimplePod.named("static").with("main", "cpu=1", "memory=512Mi"));
            await().atMost(ClusterPods.TIMEOUT).until(() -> held(node, "cpu") == 1000);
            pods.awaitPhase(mirror, "Running");
            awaitEquality();
            assertThat(pods.get(mirror).getMetadata().getAnnotations()).containsKey(Annotations.OBSERVED);
        } finally {
            Files.delete(manifest);
        }
        await().atMost(ClusterPods.TIMEOUT).until(() -> pods.get(mirror) == null);
        awaitEquality();
        assertThat(held(node, "cpu")).isZero();
    }

    private static void putManifest(Path manifest, SimplePod pod) throws IOException {
        Path whole = manifest.resolveSibling(".whole");
        Files.writeString(whole, Serialization.asYaml(pod.build()));
        Files.move(whole, manifest, StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void followsADeviceThatBecomesUnhealthy() {
        SimNode node = cluster.node("smt-huge-devices");
        startAgents();
        pods.create(SimplePod.named("gpus").on(node.name()).with("main", "cpu=1", "memory=256Mi", "nvidia.com/gpu=2"));
        pods.awaitPhase("gpus", "Running");
        awaitEquality();

        List.of("gpu-0", "gpu-3").forEach(id -> node.plugin("nvidia.com/gpu").setHealthy(id, false));
        published.expectUnhealthy(Set.of("smt-huge-devices/gpu-0", "smt-huge-devices/gpu-3"));
        awaitEquality();

        List.of("gpu-0", "gpu-3").forEach(id -> node.plugin("nvidia.com/gpu").setHealthy(id, true));
        published.expectUnhealthy(Set.of());
        awaitEquality();
    }

    @Test
    void followsAKubeletThatRestarts() {
        SimNode node = cluster.node("smt-huge-devices");
        startAgents();
        pods.create(
                SimplePod.named("before").on(node.name()).with("main", "cpu=2", "memory=256Mi", "nvidia.com/gpu=1"));
        pods.awaitPhase("before", "Running");
        awaitEquality();

        node.stopKubelet();
        node.startKubelet();
        awaitKubelet(node);
        pods.create(SimplePod.named("after").on(node.name()).with("main", "cpu=3", "memory=256Mi"));

        pods.awaitPhase("after", "Running");
        awaitEquality();
    }

    @Test
    void anAgentThatWasKilledCatchesUp() {
        SimNode node = cluster.node("two-per-socket");
        startAgents();
        agents.remove(cluster.nodes().indexOf(node)).close();
        RunningAgent killed = RunningAgent.startProcess(node, accounts.agent(node.name()), cluster.directory());
        pods.create(SimplePod.named("seen").on(node.name()).with("main", "cpu=2", "memory=256Mi"));
        pods.awaitPhase("seen", "Running");
        awaitEquality();

        killed.close();
        pods.create(SimplePod.named("unseen").on(node.name()).with("main", "cpu=1", "memory=256Mi"));
        pods.delete("seen");
        pods.awaitPhase("unseen", "Running");
        assertThat(published.differences()).isNotEmpty();
        agents.add(RunningAgent.startProcess(node, accounts.agent(node.name()), cluster.directory()));

        awaitEquality();
    }
}

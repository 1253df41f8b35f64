package io.numaledger.benchmarks.trace;

import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.benchmarks.node.ModelNode;
import io.numaledger.benchmarks.node.NodeType;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.simulator.hardware.NodeSpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;

/** The node and the pods of {@link TraceRunTest}, and a scheduler that binds all pods to the only node. */
class ClusterRunTest {

    private static final long GIB = 1L << 30;
    private static final Trace.Node NODE = new Trace.Node(18, 64 * GIB, 4);
    private static final TopologyPolicyName POLICY = TopologyPolicyName.SINGLE_NUMA_NODE;
    private static final int RATE = 1000;
    private static final OptionalLong FOREVER = OptionalLong.empty();

    @TempDir
    private Path directory;

    private final ResourceIndex index = new ResourceIndex();
    private EmbeddedApiServer server;
    private KubernetesClient client;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        client = RealScheduler.client(server.writeKubeconfig(directory.resolve("kubeconfig")));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private TracePod pod(String name, int cpus, int gpus, long arrivesAt, OptionalLong runs) {
        return TracePod.of(new Trace.Pod(name, cpus, GIB, gpus, 0, 0), index, arrivesAt, runs);
    }

    private final class Scheduler implements ResourceEventHandler<Pod> {

        @Override
        public void onAdd(Pod pod) {
            String name = pod.getMetadata().getName();
            client.raw(
                    "/api/v1/namespaces/default/pods/%s/binding".formatted(name),
                    "POST",
                    new BindingBuilder()
                            .withNewMetadata()
                            .withName(name)
                            .endMetadata()
                            .withNewTarget()
                            .withKind("Node")
                            .withName("only")
                            .endTarget()
                            .build());
        }

        @Override
        public void onUpdate(Pod before, Pod pod) {}

        @Override
        public void onDelete(Pod pod, boolean finalStateUnknown) {}
    }

    private TraceReport run(TracePod... pods) throws InterruptedException {
        NodeSpec spec = NODE.spec("only", POLICY);
        ModelNode node = new ModelNode(NodeType.of(spec, index));
        PublishedNode published = new PublishedNode(client, spec, node);
        try (var scheduler = client.pods().inNamespace("default").inform(new Scheduler());
                ClusterRun run = new ClusterRun(client, Map.of("only", published), RATE, Duration.ofMillis(500))) {
            return run.run(List.of(pods));
        }
    }

    private Pod read(String name) {
        return client.pods().inNamespace("default").withName(name).get();
    }

    @Test
    void aRefusedPodIsCreatedAgainUntilItIsGivenUp() throws InterruptedException {
        TraceReport report = run(pod("x", 6, 1, 0, FOREVER), pod("y", 6, 1, 1, FOREVER), pod("z", 2, 2, 2, FOREVER));

        assertThat(report.waits()).hasSize(2);
        assertThat(report.refusedPods()).isEqualTo(1);
        assertThat(report.refusals()).isEqualTo(7);
        assertThat(report.givenUp()).isEqualTo(1);
        assertThat(read("z").getStatus().getReason()).isEqualTo("TopologyAffinityError");
        assertThat(read("z-r-r-r-r-r-r").getStatus().getPhase()).isEqualTo("Failed");
    }

    /** Of 17 CPUs, y and z have 8. */
    @Test
    void aPodRunsWhenAnotherOneHasEnded() throws InterruptedException {
        TraceReport report =
                run(pod("x", 6, 1, 0, OptionalLong.of(15)), pod("y", 6, 1, 0, FOREVER), pod("z", 2, 2, 1, FOREVER));

        assertThat(report.waits()).hasSize(3);
        assertThat(read("x").getStatus().getPhase()).isEqualTo("Succeeded");
        assertThat(available("cpu").stream().mapToInt(Integer::parseInt).sum()).isEqualTo(9);
    }

    @Test
    void publishesWhatRunningPodsHold() throws InterruptedException {
        run(pod("x", 6, 1, 0, FOREVER), pod("y", 6, 2, 0, FOREVER));

        assertThat(read("x").getStatus().getPhase()).isEqualTo("Running");
        assertThat(read("x").getMetadata().getAnnotations())
                .containsEntry(
                        "kai.scheduler/numa-placement-observed",
                        "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"6\",\"memory\":\"1073741824\",\"nvidia.com/gpu\":\"1\"}}]")
                .containsKey("numaledger.io/placement");
        assertThat(available("nvidia.com/gpu")).containsExactly("1", "0");
    }

    /** By zone. */
    private List<String> available(String resource) {
        GenericKubernetesResource topology = client.genericKubernetesResources(
                        "topology.node.k8s.io/v1alpha2", "NodeResourceTopology")
                .withName("only")
                .get();
        List<Map<String, List<Map<String, String>>>> zones = topology.get("zones");
        return zones.stream()
                .flatMap(zone -> zone.get("resources").stream())
                .filter(amounts -> amounts.get("name").equals(resource))
                .map(amounts -> amounts.get("available"))
                .toList();
    }
}

package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A cluster with agents, kube-scheduler and a bridge. It is empty before each test. The classes that name the same shared cluster use it one
 * after the other; a process has one cluster at a time. Pods of the priority class {@code high} may preempt others.
 */
final class BridgedNodes implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

    static final Duration TIMEOUT = ClusterPods.TIMEOUT;

    /** Nodes {@code a} and {@code b}, as {@link #yaml} says, and the defaults of chart and bridge. */
    static final Supplier<BridgedCluster> TWO = () -> start(yaml("a", "b"), List.of());

    private final Supplier<BridgedCluster> start;
    private final boolean shared;
    private Optional<BridgedCluster> bridged = Optional.empty();
    private long refusedBefore;

    private BridgedNodes(Supplier<BridgedCluster> start, boolean shared) {
        this.start = start;
        this.shared = shared;
    }

    /** @param start a constant: classes with the same one use the same cluster */
    static BridgedNodes shared(Supplier<BridgedCluster> start) {
        return new BridgedNodes(start, true);
    }

    /** A cluster for one class. */
    static BridgedNodes own(Supplier<BridgedCluster> start) {
        return new BridgedNodes(start, false);
    }

    /** Nodes with two zones of 8 CPUs each, one CPU reserved: two pods of 5 CPUs fit. */
    static String yaml(String... nodes) {
        return Stream.of(nodes).map("""
                - name: %s
                  kubelet: {topologyManagerPolicy: single-numa-node}
                  numaNodes: [{id: 0, cores: 8, memory: 16Gi}, {id: 1, cores: 8, memory: 16Gi}]
                """::formatted).collect(Collectors.joining("", "nodes:\n", ""));
    }

    /**
     * Starts a cluster with a bridge.
     *
     * @param flags of the bridge, beside the defaults
     * @param values {@code --set} arguments for helm
     */
    static BridgedCluster start(String nodes, List<String> flags, String... values) {
        return BridgedCluster.start(
                RealKubernetes.binaries(),
                nodes,
                cluster -> ChartRights.credentials(cluster, values),
                flags.toArray(String[]::new));
    }

    private record Running(Supplier<BridgedCluster> start, BridgedCluster cluster) implements AutoCloseable {

        @Override
        public void close() {
            cluster.close();
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        Store store = store(context);
        Running running = store.get(Running.class, Running.class);
        if (running == null || running.start() != start) {
            close(store);
            running = new Running(start, start.get());
            store.put(Running.class, running);
            new ClusterPods(running.cluster().cluster()).definePriority("high", 1000);
        }
        bridged = Optional.of(running.cluster());
    }

    private static Store store(ExtensionContext context) {
        return context.getStore(StoreScope.LAUNCHER_SESSION, Namespace.create(BridgedNodes.class));
    }

    private static void close(Store store) {
        Running running = store.remove(Running.class, Running.class);
        if (running != null) {
            running.close();
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        refusedBefore = refused();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        context.getExecutionException()
                .ifPresent(failure -> System.err.println("known at the failure of " + context.getDisplayName() + ":\n"
                        + new KnownPods(cluster()).text()));
        client().apps().deployments().inNamespace("default").delete();
        client().batch().v1().jobs().inNamespace("default").delete();
        client().policy().v1().podDisruptionBudget().inNamespace("default").delete();
        await("no pod is left").atMost(TIMEOUT).until(() -> {
            client().pods().inNamespace("default").withGracePeriod(0).delete();
            return pods().all().isEmpty();
        });
        cordon(Set.of());
        await("the bridge knows that the nodes are empty")
                .atMost(TIMEOUT)
                .until(() -> bridge().cluster().pods().count() == 0
                        && bridge().cluster().snapshots().stream()
                                .allMatch(node -> node.pods().isEmpty())
                        && !bridge().cluster().reserved().hasPlanned());
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (!shared) {
            close(store(context));
        }
    }

    BridgedCluster cluster() {
        return bridged.orElseThrow();
    }

    Bridge bridge() {
        return cluster().bridge();
    }

    KubernetesClient client() {
        return cluster().cluster().client();
    }

    ClusterPods pods() {
        return new ClusterPods(cluster().cluster());
    }

    void create(SimplePod pod, int cpus) {
        pods().create(pod.with("c", "cpu=" + cpus, "memory=1Gi"));
    }

    /** Only the other nodes take pods, until the test ends. */
    void cordon(Set<String> nodes) {
        for (SimNode node : cluster().cluster().nodes()) {
            patchNode(node.name(), "{\"spec\":{\"unschedulable\":%b}}".formatted(nodes.contains(node.name())));
        }
    }

    void patchNode(String node, String patch) {
        cluster().cluster().patchNode(node, patch);
    }

    void awaitRunning(long count) {
        awaitRunning("", count);
    }

    /** Waits until so many pods whose names begin like this run. */
    void awaitRunning(String prefix, long count) {
        await("%d pods %s* run".formatted(count, prefix)).atMost(TIMEOUT).until(() -> running(prefix) == count);
    }

    /** How many pods run, without those that terminate. */
    long running(String prefix) {
        return pods().all().stream()
                .filter(pod -> pod.getMetadata().getName().startsWith(prefix)
                        && pod.getMetadata().getDeletionTimestamp() == null
                        && pod.getStatus().getPhase().equals("Running"))
                .count();
    }

    /** The nodes of pods whose names begin like this; without those that have none. */
    Set<String> nodesOf(String prefix) {
        return pods().all().stream()
                .filter(pod -> pod.getMetadata().getName().startsWith(prefix))
                .flatMap((Pod pod) -> Stream.ofNullable(pod.getSpec().getNodeName()))
                .collect(Collectors.toSet());
    }

    /** The reasons of a pod's events. */
    List<String> reasons(String pod) {
        return client().v1().events().inNamespace("default").list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getName().equals(pod))
                .map(event -> event.getReason())
                .toList();
    }

    /** Time for what must not happen. */
    static void quiet(Duration time) {
        await().pollDelay(time).atMost(time.plus(TIMEOUT)).until(() -> true);
    }

    /** By a kubelet, in this test. */
    void assertNobodyRefused() {
        assertThat(refused() - refusedBefore).as("pods that kubelets refused").isZero();
    }

    private long refused() {
        return cluster().cluster().journal().count("TopologyAffinityError");
    }
}

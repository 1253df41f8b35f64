package io.numaledger.benchmarks.fleet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.numaledger.apiservers.real.RealApiServer;
import io.numaledger.benchmarks.cluster.ObjectHandler;
import io.numaledger.benchmarks.process.ProcessFigures;
import io.numaledger.benchmarks.trace.RealScheduler;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.simulator.fleet.EventLog;
import io.numaledger.simulator.fleet.FleetNode;
import io.numaledger.simulator.fleet.FleetPod;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

import static java.util.Objects.requireNonNull;

/**
 * A fleet behind a real kube-apiserver. Its first objects are written to etcd, which takes seconds; all others go through kube-apiserver.
 * There are no kubelets: {@value #KUBELET_MS} ms after a pod was bound, a model admits or refuses it, and the pod's annotations and status
 * are written as an agent and a kubelet do.
 */
final class RealFleet implements ServedFleet {

    private static final int WRITERS = 8;
    private static final int KUBELET_MS = 200;
    private static final String ARRIVING = "arriving";
    private static final String NAMESPACE = "load";
    private static final String PODS = "/api/v1/namespaces/load/pods";
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    private final RealApiServer server;
    private final Path kubeconfig;
    private final KubernetesClient client;
    private final SharedIndexInformer<Pod> watch;
    private final Map<String, FleetNode> nodes;
    private final Map<String, FleetPod> unbound = new ConcurrentHashMap<>();
    private final AtomicInteger bound = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger attempts = new AtomicInteger();
    private final AtomicInteger written = new AtomicInteger();
    private final ScheduledExecutorService writers = Executors.newScheduledThreadPool(WRITERS);
    private volatile Optional<RuntimeException> failure = Optional.empty();

    /** @param directory gets the files of the server */
    RealFleet(List<FleetNode> nodes, Path binaries, Path directory) throws IOException {
        this.nodes = nodes.stream().collect(Collectors.toMap(FleetNode::name, Function.identity()));
        this.server = RealApiServer.start(binaries, directory, RealScheduler.arguments(directory));
        this.kubeconfig = RealScheduler.kubeconfig(directory, server);
        this.client = RealScheduler.client(kubeconfig);
        client.resource("""
                {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "load"}}""").create();
        new EtcdObjects(server.httpClient(), server.etcdUrl()).write(nodes);
        this.watch = client.pods()
                .inNamespace(NAMESPACE)
                .withLabel("app", ARRIVING)
                .inform(new ObjectHandler<>(this::seen, pod -> {}));
    }

    @Override
    public Path kubeconfig() {
        return kubeconfig;
    }

    @Override
    public void create(List<FleetPod> pods) {
        for (FleetPod pod : pods) {
            unbound.put(pod.name(), pod);
            later(0, () -> {
                ObjectNode object = EtcdObjects.object(pod.waiting(EventLog.FIRST_VERSION));
                object.withObject("/metadata/labels").put("app", ARRIVING);
                client.raw(PODS, "POST", object.toString());
            });
        }
    }

    private void seen(Optional<Pod> before, Pod pod) {
        Optional<String> node = Optional.ofNullable(pod.getSpec().getNodeName());
        if (node.isEmpty()) {
            attempts.addAndGet(before.isPresent() ? 1 : 0);
            return;
        }
        Optional.ofNullable(unbound.remove(pod.getMetadata().getName())).ifPresent(arrived -> {
            bound.incrementAndGet();
            later(KUBELET_MS, () -> admit(arrived, node.get()));
        });
    }

    private void admit(FleetPod pod, String node) {
        PodResource object = client.pods().inNamespace(NAMESPACE).withName(pod.name());
        Optional<FleetPod> running = requireNonNull(nodes.get(node)).bind(pod);
        if (running.isEmpty()) {
            refused.incrementAndGet();
            object.subresource("status").patch(MERGE, """
                    {"status":{"phase":"Failed","reason":"TopologyAffinityError"}}""");
            return;
        }
        String annotations = EtcdObjects.object(running.get().running(EventLog.FIRST_VERSION))
                .at("/metadata/annotations")
                .toString();
        object.patch(MERGE, "{\"metadata\":{\"annotations\":%s}}".formatted(annotations));
        object.subresource("status").patch(MERGE, """
                {"status":{"phase":"Running","startTime":"2026-01-01T00:00:01Z"}}""");
    }

    /** The server sends no event of an object that stays as it is. */
    @Override
    public void topologyEvent(FleetNode node) {
        later(
                0,
                () -> client.genericKubernetesResources(NodeTopology.API_VERSION, NodeTopology.KIND)
                        .withName(node.name())
                        .patch(
                                MERGE,
                                "{\"metadata\":{\"annotations\":{\"written\":\"%d\"}}}"
                                        .formatted(written.incrementAndGet())));
    }

    @Override
    public void podEvent(FleetNode node, boolean add) {
        if (add || node.pods().isEmpty()) {
            String object = EtcdObjects.object(node.add().running(EventLog.FIRST_VERSION))
                    .toString();
            later(0, () -> client.raw(PODS, "POST", object));
        } else {
            String pod = node.remove().name();
            later(
                    0,
                    () -> client.pods()
                            .inNamespace(NAMESPACE)
                            .withName(pod)
                            .withGracePeriod(0)
                            .delete());
        }
    }

    /** That the object is gone is no failure. */
    private void later(long millis, Runnable request) {
        var unused = writers.schedule(
                () -> {
                    try {
                        request.run();
                    } catch (RuntimeException e) {
                        if (!(e instanceof KubernetesClientException answered) || answered.getCode() != 404) {
                            failure = Optional.of(e);
                        }
                    }
                },
                millis,
                TimeUnit.MILLISECONDS);
    }

    @Override
    public int bound() {
        failure.ifPresent(cause -> {
            throw new IllegalStateException("a request to kube-apiserver failed; see the cause", cause);
        });
        return bound.get();
    }

    @Override
    public int refused() {
        return refused.get();
    }

    @Override
    public int failedAttempts() {
        return attempts.get();
    }

    @Override
    public OptionalLong serverCpuMillis() {
        return OptionalLong.of(new ProcessFigures(server.pid()).cpuMillis());
    }

    @Override
    public void close() {
        writers.shutdownNow();
        watch.close();
        client.close();
        server.close();
    }
}

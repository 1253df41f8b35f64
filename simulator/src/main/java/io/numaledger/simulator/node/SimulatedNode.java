package io.numaledger.simulator.node;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.numaledger.cli.Failures;
import io.numaledger.kubelet.Admission;
import io.numaledger.podresources.server.PodResourcesServer;
import io.numaledger.simulator.hardware.NodeSpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A node of a cluster whose kubelet is simulated: it registers, takes the pods that are bound to it one after the other, runs or
 * refuses them, and serves podresources on a unix socket.
 */
public final class SimulatedNode implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SimulatedNode.class);
    private static final int HEARTBEAT_SECONDS = 10;
    private static final int RETRY_SECONDS = 1;

    private final KubernetesClient client;
    private final SimulatedKubelet kubelet;
    private final NodeSpec spec;
    private final PodResourcesServer server;
    private final SharedIndexInformer<Pod> pods;
    private final ScheduledExecutorService worker;
    private final ScheduledExecutorService heartbeat;
    private final ScheduledFuture<?> lease;
    private final Map<String, Admission> decided = new TreeMap<>();

    /**
     * Registers the node and takes up its work.
     *
     * @param socket where podresources is served
     * @throws IOException if the socket cannot be made, or the cluster does not take the node
     */
    public SimulatedNode(KubernetesClient client, NodeSpec spec, Path socket, ReportLag lag) throws IOException {
        this.client = client;
        this.spec = spec;
        this.kubelet = new SimulatedKubelet(spec, lag, InstantSource.system());
        this.server = new PodResourcesServer(socket, kubelet);
        this.worker =
                Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("kubelet-" + spec.name(), true));
        this.heartbeat =
                Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("lease-" + spec.name(), true));
        register();
        this.pods = client.pods()
                .inAnyNamespace()
                .withField("spec.nodeName", spec.name())
                .inform(new PodEvents());
        this.lease = heartbeat.scheduleAtFixedRate(this::renewLease, 0, HEARTBEAT_SECONDS, TimeUnit.SECONDS);
    }

    public SimulatedKubelet kubelet() {
        return kubelet;
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private void register() throws IOException {
        try {
            Node known = client.nodes().withName(spec.name()).get();
            if (known == null) {
                client.resource(NodeObject.of(spec)).create();
            } else if (!NodeObject.isSimulated(known)) {
                throw new IOException(
                        "the cluster has a node of this name that is not simulated: node=%s; name the simulated one otherwise"
                                .formatted(spec.name()));
            }
            patchStatus(
                    client.nodes().withName(spec.name()),
                    new NodeBuilder().withStatus(NodeObject.status(spec, now())).build());
        } catch (KubernetesClientException e) {
            throw new IOException(
                    "cannot register a node: node=%s status=%d reason='%s'; look at the cluster and at the kubeconfig's rights"
                            .formatted(spec.name(), e.getCode(), reason(e)),
                    e);
        }
        log.info(
                "event=node.registered node={} numa_nodes={}",
                spec.name(),
                spec.numaNodes().size());
    }

    private static String reason(KubernetesClientException e) {
        return e.getStatus() == null ? Failures.reason(e) : e.getStatus().getMessage();
    }

    /** The node leaves the cluster, and its objects with it. */
    private void unregister() {
        try {
            client.leases().inNamespace("kube-node-lease").withName(spec.name()).delete();
            client.nodes().withName(spec.name()).delete();
        } catch (KubernetesClientException e) {
            log.warn("event=node.left_behind node={} reason='{}'", spec.name(), reason(e));
        }
    }

    private void renewLease() {
        try {
            client.resource(new LeaseBuilder()
                            .withNewMetadata()
                            .withNamespace("kube-node-lease")
                            .withName(spec.name())
                            .endMetadata()
                            .withNewSpec()
                            .withHolderIdentity(spec.name())
                            .withLeaseDurationSeconds(40)
                            .withRenewTime(ZonedDateTime.now(ZoneOffset.UTC))
                            .endSpec()
                            .build())
                    .createOr(lease -> lease.update());
        } catch (KubernetesClientException e) {
            log.warn("event=lease.failed node={} reason='{}'", spec.name(), e.getMessage());
        }
    }

    private final class PodEvents implements ResourceEventHandler<Pod> {
        @Override
        public void onAdd(Pod pod) {
            worker.execute(() -> seen(pod));
        }

        @Override
        public void onUpdate(Pod before, Pod pod) {
            worker.execute(() -> {
                if (!before.getMetadata().getUid().equals(pod.getMetadata().getUid())) {
                    gone(before);
                }
                seen(pod);
            });
        }

        @Override
        public void onDelete(Pod pod, boolean stateUnknown) {
            worker.execute(() -> gone(pod));
        }
    }

    private void seen(Pod pod) {
        try {
            String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
            if (pod.getMetadata().getDeletionTimestamp() != null) {
                ended(pod);
                client.resource(pod).withGracePeriod(0).delete();
            } else if ("Succeeded".equals(phase) || "Failed".equals(phase)) {
                ended(pod);
            } else {
                run(pod);
            }
        } catch (KubernetesClientException e) {
            if (e.getCode() != 404 && !worker.isShutdown()) {
                log.warn("event=pod.failed node={} pod={} reason='{}'", spec.name(), key(pod), reason(e));
                var unused = worker.schedule(() -> seen(pod), RETRY_SECONDS, TimeUnit.SECONDS);
            }
        } catch (IllegalArgumentException e) {
            log.warn("event=pod.unreadable node={} pod={} reason='{}'", spec.name(), key(pod), e.getMessage());
        }
    }

    /** Decides once on each pod; says so until the API server has heard it. */
    private void run(Pod pod) {
        String uid = pod.getMetadata().getUid();
        Admission admission = decided.get(uid);
        if (admission == null) {
            admission = kubelet.admit(
                    pod.getMetadata().getNamespace(), pod.getMetadata().getName(), PodRequests.of(pod));
            decided.put(uid, admission);
            log.info("event=pod.decided node={} pod={} admitted={}", spec.name(), key(pod), admission.isAdmitted());
        } else if (PodLifecycle.isRunning(pod)) {
            return;
        }
        patchStatus(client.pods().resource(pod), PodLifecycle.withStatus(pod, admission, now()));
    }

    /** Whatever version the object has by now: controllers write to nodes and pods that have just come, too. */
    private static <T extends HasMetadata> void patchStatus(Resource<T> resource, T status) {
        resource.subresource("status").patch(PatchContext.of(PatchType.JSON_MERGE), status);
    }

    private void ended(Pod pod) {
        if (decided.containsKey(pod.getMetadata().getUid())) {
            kubelet.remove(pod.getMetadata().getUid());
        }
    }

    private void gone(Pod pod) {
        ended(pod);
        decided.remove(pod.getMetadata().getUid());
    }

    private static String key(Pod pod) {
        return pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
    }

    /** One on its way would make the lease anew after it was deleted. */
    private void awaitLastHeartbeat() {
        heartbeat.shutdown();
        try {
            if (!heartbeat.awaitTermination(HEARTBEAT_SECONDS, TimeUnit.SECONDS)) {
                log.warn("event=lease.failed node={} reason='the last renewal does not end'", spec.name());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        pods.close();
        lease.cancel(false);
        awaitLastHeartbeat();
        worker.shutdownNow();
        server.close();
        unregister();
    }
}

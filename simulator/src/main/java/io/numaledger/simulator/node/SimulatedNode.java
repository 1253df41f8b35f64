package io.numaledger.simulator.node;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.numaledger.kubelet.Admission;
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
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
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

    private final KubernetesClient client;
    private final SimulatedKubelet kubelet;
    private final NodeSpec spec;
    private final PodResourcesServer server;
    private final SharedIndexInformer<Pod> pods;
    private final ExecutorService worker;
    private final ScheduledExecutorService heartbeat;
    private final ScheduledFuture<?> lease;
    private final Set<String> decided = new TreeSet<>();

    /**
     * Registers the node and takes up its work.
     *
     * @param socket where podresources is served
     * @throws IOException if the socket cannot be made
     */
    public SimulatedNode(KubernetesClient client, NodeSpec spec, Path socket, ReportLag lag) throws IOException {
        this.client = client;
        this.spec = spec;
        this.kubelet = new SimulatedKubelet(spec, lag, InstantSource.system());
        this.server = new PodResourcesServer(socket, kubelet);
        this.worker = Executors.newSingleThreadExecutor(task -> daemon(task, "kubelet-" + spec.name()));
        this.heartbeat = Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "lease-" + spec.name()));
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

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private void register() {
        if (client.nodes().withName(spec.name()).get() == null) {
            client.resource(NodeObject.of(spec)).create();
        }
        Node node = client.nodes().withName(spec.name()).get();
        client.resource(new NodeBuilder(node)
                        .withStatus(NodeObject.status(spec, now()))
                        .build())
                .updateStatus();
        log.info(
                "event=node.registered node={} numa_nodes={}",
                spec.name(),
                spec.numaNodes().size());
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
            String uid = pod.getMetadata().getUid();
            String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
            if (pod.getMetadata().getDeletionTimestamp() != null) {
                gone(pod);
                client.resource(pod).withGracePeriod(0).delete();
            } else if ("Succeeded".equals(phase) || "Failed".equals(phase)) {
                gone(pod);
            } else if (decided.add(uid)) {
                decide(pod);
            }
        } catch (KubernetesClientException e) {
            if (e.getCode() != 404) {
                log.warn(
                        "event=pod.failed node={} pod={}/{} reason='{}'",
                        spec.name(),
                        namespace(pod),
                        name(pod),
                        e.getMessage());
            }
        } catch (IllegalArgumentException e) {
            log.warn(
                    "event=pod.unreadable node={} pod={}/{} reason='{}'",
                    spec.name(),
                    namespace(pod),
                    name(pod),
                    e.getMessage());
        }
    }

    private void decide(Pod pod) {
        Admission admission = kubelet.admit(namespace(pod), name(pod), PodRequests.of(pod));
        log.info(
                "event=pod.decided node={} pod={}/{} admitted={}",
                spec.name(),
                namespace(pod),
                name(pod),
                admission.isAdmitted());
        client.resource(pod).editStatus(latest -> PodLifecycle.withStatus(latest, admission, now()));
    }

    private void gone(Pod pod) {
        if (decided.contains(pod.getMetadata().getUid())) {
            kubelet.remove(pod.getMetadata().getUid());
        }
    }

    private static String namespace(Pod pod) {
        return pod.getMetadata().getNamespace();
    }

    private static String name(Pod pod) {
        return pod.getMetadata().getName();
    }

    @Override
    public void close() throws IOException {
        pods.close();
        lease.cancel(false);
        heartbeat.shutdownNow();
        worker.shutdownNow();
        server.close();
    }
}

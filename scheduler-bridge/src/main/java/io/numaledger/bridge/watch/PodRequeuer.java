package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.bridge.client.BrokenCalls;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.queue.Requeuer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.HttpURLConnection;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;

/**
 * Makes kube-scheduler retry a pending pod, by a condition in the pod's status. kube-scheduler retries a pod that an extender refused
 * when the pod changes (pkg/scheduler/backend/queue, Update; since Kubernetes 1.32), and otherwise after five minutes.
 */
public final class PodRequeuer implements Requeuer {

    private static final Logger log = LoggerFactory.getLogger(PodRequeuer.class);

    /** The UID in the patch is of an earlier instance of the pod. */
    private static final int INVALID = 422;

    private static final PatchContext MERGED = PatchContext.of(PatchType.STRATEGIC_MERGE);

    private final KubernetesClient client;
    private final Executor writer;
    private final Runnable lost;
    private final InstantSource clock;
    private final BiConsumer<PodFacts, Optional<String>> failed;

    /** The requests that the writer has rejected since its last write. */
    private final Queue<Rejected> rejected = new ConcurrentLinkedQueue<>();

    private record Rejected(PodFacts pod, Optional<String> node) {}

    /**
     * @param client repeats no request
     * @param writer makes the calls to the API server, or rejects them
     * @param lost is run for each request that the API server has not taken
     * @param failed gets what could not be written, unless the pod is gone; runs on the thread of the writer
     */
    public PodRequeuer(
            KubernetesClient client,
            Executor writer,
            Runnable lost,
            InstantSource clock,
            BiConsumer<PodFacts, Optional<String>> failed) {
        this.client = client;
        this.writer = writer;
        this.lost = lost;
        this.clock = clock;
        this.failed = failed;
    }

    @Override
    public void requeue(PodFacts pod, Optional<String> node) {
        try {
            writer.execute(() -> {
                write(pod, node);
                tellRejected();
            });
        } catch (RejectedExecutionException full) {
            rejected.add(new Rejected(pod, node));
        }
    }

    /** Tells of rejected requests on this thread: the caller of such a request may hold locks. */
    private void tellRejected() {
        for (Rejected next = rejected.poll(); next != null; next = rejected.poll()) {
            failed.accept(next.pod(), next.node());
        }
    }

    private void write(PodFacts pod, Optional<String> node) {
        String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        Pod patch = new PodBuilder()
                .withNewMetadata()
                .withUid(pod.uid().orElseThrow())
                .endMetadata()
                .withNewStatus()
                .withNominatedNodeName(node.orElse(null))
                .withConditions(new PodConditionBuilder()
                        .withType("numaledger.io/SchedulingRetryRequested")
                        .withStatus("True")
                        .withReason("ZonesAvailable")
                        .withMessage("NUMA zones became available or known after the last scheduling attempt")
                        .withLastProbeTime(now)
                        .withLastTransitionTime(now)
                        .build())
                .endStatus()
                .build();
        try {
            var unused = BrokenCalls.repeat(() -> client.pods()
                    .inNamespace(pod.namespace())
                    .withName(pod.name())
                    .subresource("status")
                    .patch(MERGED, client.getKubernetesSerialization().asJson(patch)));
        } catch (KubernetesClientException e) {
            log.info("event=requeue.failed pod={} error=\"{}\"", pod.key(), e.getMessage());
            boolean gone = e.getCode() == HttpURLConnection.HTTP_NOT_FOUND || e.getCode() == INVALID;
            if (!gone) {
                lost.run();
                failed.accept(pod, node);
            }
        }
    }
}

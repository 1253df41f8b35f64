package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.bridge.cluster.PodFacts;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Executor;

/**
 * Makes kube-scheduler ask about a waiting pod again, by a condition in its status: a pod that an extender refused is tried again when
 * anything happens to it (pkg/scheduler/backend/queue, Update; since Kubernetes 1.32), and else after five minutes.
 */
public final class PodReminder {

    private static final Logger log = LoggerFactory.getLogger(PodReminder.class);
    private static final PatchContext MERGED = PatchContext.of(PatchType.STRATEGIC_MERGE);

    private final KubernetesClient client;
    private final Executor writer;
    private final InstantSource clock;

    /** @param writer the calls to the API server are made there */
    public PodReminder(KubernetesClient client, Executor writer, InstantSource clock) {
        this.client = client;
        this.writer = writer;
        this.clock = clock;
    }

    public void askAgain(PodFacts pod) {
        writer.execute(() -> write(pod));
    }

    private void write(PodFacts pod) {
        String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        Pod patch = new PodBuilder()
                .withNewMetadata()
                .withUid(pod.uid())
                .endMetadata()
                .withNewStatus()
                .withConditions(new PodConditionBuilder()
                        .withType("numaledger.io/AskedAgain")
                        .withStatus("True")
                        .withReason("ZonesAreFree")
                        .withMessage("zones came free after the scheduler had asked")
                        .withLastProbeTime(now)
                        .withLastTransitionTime(now)
                        .build())
                .endStatus()
                .build();
        try {
            client.pods()
                    .inNamespace(pod.namespace())
                    .withName(pod.name())
                    .subresource("status")
                    .patch(MERGED, client.getKubernetesSerialization().asJson(patch));
        } catch (KubernetesClientException e) {
            log.info("event=reminder.lost pod={} why=\"{}\"", pod.key(), e.getMessage());
        }
    }
}

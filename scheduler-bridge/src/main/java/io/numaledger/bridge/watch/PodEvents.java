package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.bridge.objects.PodFacts;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** Writes events on pods, each at most once until its message changes. A thread of its own writes them; no decision waits for it. */
public final class PodEvents {

    private static final Logger log = LoggerFactory.getLogger(PodEvents.class);
    private static final String COMPONENT = "numaledger-bridge";

    private final KubernetesClient client;
    private final Executor writer;
    private final InstantSource clock;
    private final Map<String, String> last = new ConcurrentHashMap<>();

    public PodEvents(KubernetesClient client, Executor writer, InstantSource clock) {
        this.client = client;
        this.writer = writer;
        this.clock = clock;
    }

    /**
     * Writes a warning, unless it is the same as the last one of the pod. Returns whether it is new.
     *
     * @param reason in CamelCase
     */
    public boolean warn(PodFacts pod, String reason, String sentence) {
        boolean isNew = pod.uid()
                .filter(uid -> !sentence.equals(last.put(uid, sentence)))
                .isPresent();
        if (isNew) {
            writer.execute(() -> write(pod, reason, sentence));
        }
        return isNew;
    }

    /** Forgets the last warning of a pod. */
    public void forget(PodFacts pod) {
        pod.uid().ifPresent(last::remove);
    }

    private void write(PodFacts pod, String reason, String sentence) {
        String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        try {
            client.v1()
                    .events()
                    .inNamespace(pod.namespace())
                    .resource(new EventBuilder()
                            .withNewMetadata()
                            .withGenerateName(pod.name() + ".numaledger-")
                            .withNamespace(pod.namespace())
                            .endMetadata()
                            .withNewInvolvedObject()
                            .withApiVersion("v1")
                            .withKind("Pod")
                            .withNamespace(pod.namespace())
                            .withName(pod.name())
                            .withUid(pod.uid().orElseThrow())
                            .endInvolvedObject()
                            .withReason(reason)
                            .withMessage(sentence)
                            .withType("Warning")
                            .withNewSource()
                            .withComponent(COMPONENT)
                            .endSource()
                            .withReportingComponent(COMPONENT)
                            .withFirstTimestamp(now)
                            .withLastTimestamp(now)
                            .withCount(1)
                            .build())
                    .create();
        } catch (KubernetesClientException e) {
            log.warn("event=event.failed pod={} reason={} error=\"{}\"", pod.key(), reason, e.getMessage());
        }
    }
}

package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.bridge.cluster.PodFacts;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;

/** Events on pods, each at most once until its sentence changes. Written by the side, so that no decision waits for them. */
public final class PodEvents {

    private static final Logger log = LoggerFactory.getLogger(PodEvents.class);
    private static final String COMPONENT = "numaledger-bridge";

    private final KubernetesClient client;
    private final ExecutorService writer;
    private final InstantSource clock;
    private final Map<String, String> said = new ConcurrentHashMap<>();

    public PodEvents(KubernetesClient client, ExecutorService writer, InstantSource clock) {
        this.client = client;
        this.writer = writer;
        this.clock = clock;
    }

    /**
     * True if this was not said of the pod just before.
     *
     * @param reason in CamelCase
     */
    public boolean warn(PodFacts pod, String reason, String sentence) {
        boolean anew = !pod.uid().isEmpty() && !sentence.equals(said.put(pod.uid(), sentence));
        if (anew) {
            writer.execute(() -> write(pod, reason, sentence));
        }
        return anew;
    }

    /** Forgets what was said of a pod. */
    public void forget(PodFacts pod) {
        said.remove(pod.uid());
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
                            .withUid(pod.uid())
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
            log.warn("event=event.lost pod={} reason={} why=\"{}\"", pod.key(), reason, e.getMessage());
        }
    }
}

package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.objects.PodGroup;
import io.numaledger.text.ControlCharacters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.HttpURLConnection;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/** Writes events on pods, each at most once until its cause changes. A thread of its own writes them; no decision waits for it. */
public final class PodEvents {

    private static final Logger log = LoggerFactory.getLogger(PodEvents.class);
    /** More than are written in ten seconds; the API server is slow then, and events are the least that it should do. */
    private static final int MOST_WAITING = 1_000;

    private static final String COMPONENT = "numaledger-bridge";

    private final KubernetesClient client;
    private final Executor writer;
    private final InstantSource clock;
    private final Map<String, String> last = new ConcurrentHashMap<>();
    private final Semaphore waiting = new Semaphore(MOST_WAITING);

    public PodEvents(KubernetesClient client, Executor writer, InstantSource clock) {
        this.client = client;
        this.writer = writer;
        this.clock = clock;
    }

    /** Writes a warning whose sentence has nothing that changes while its cause does not. */
    public boolean warn(PodFacts pod, String reason, String sentence) {
        return warn(pod, reason, sentence, () -> sentence);
    }

    /**
     * Writes a warning, unless the last one of the pod had the same cause, or too many are waiting. Returns whether it is written.
     *
     * @param reason in CamelCase
     * @param cause what makes this warning another one than the last one
     * @param sentence asked for only if it is written
     */
    public boolean warn(PodFacts pod, String reason, String cause, Supplier<String> sentence) {
        return pod.uid().isPresent() && warn(Subject.of(pod), reason, cause, sentence);
    }

    /** What an event is about. */
    private record Subject(String apiVersion, String kind, String namespace, String name, String uid) {

        static Subject of(PodFacts pod) {
            return new Subject(
                    "v1", "Pod", pod.namespace(), pod.name(), pod.uid().orElseThrow());
        }

        static Subject of(PodGroup group) {
            return new Subject(
                    group.apiVersion(),
                    "PodGroup",
                    group.name().namespace(),
                    group.name().name(),
                    group.uid());
        }
    }

    private boolean warn(Subject subject, String reason, String cause, Supplier<String> sentence) {
        if (cause.equals(last.get(subject.uid())) || !waiting.tryAcquire()) {
            return false;
        }
        last.put(subject.uid(), cause);
        String text = ControlCharacters.escaped(sentence.get());
        writer.execute(() -> {
            waiting.release();
            write(subject, reason, text, Optional.empty());
        });
        return true;
    }

    /**
     * Writes a warning whatever was written before.
     *
     * @param id a part of the event's name, of which there is one only; absent: it has a name of its own
     */
    public void warnAgain(PodFacts pod, String reason, String sentence, Optional<String> id) {
        if (pod.uid().isPresent()) {
            warnAgain(Subject.of(pod), reason, sentence, id);
        }
    }

    /** The same for the object of a group. */
    public void warnAgain(PodGroup group, String reason, String sentence, Optional<String> id) {
        warnAgain(Subject.of(group), reason, sentence, id);
    }

    private void warnAgain(Subject subject, String reason, String sentence, Optional<String> id) {
        if (waiting.tryAcquire()) {
            String text = ControlCharacters.escaped(sentence);
            writer.execute(() -> {
                waiting.release();
                write(subject, reason, text, id);
            });
        }
    }

    /** Forgets the last warning of a pod. */
    public void forget(PodFacts pod) {
        pod.uid().ifPresent(last::remove);
    }

    /** The same for the object of a group. */
    public boolean warn(PodGroup group, String reason, String cause, Supplier<String> sentence) {
        return warn(Subject.of(group), reason, cause, sentence);
    }

    /** Forgets the last warning of a group. */
    public void forget(PodGroup group) {
        last.remove(group.uid());
    }

    private void write(Subject subject, String reason, String sentence, Optional<String> id) {
        String prefix = subject.name() + ".numaledger-";
        String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        try {
            client.v1()
                    .events()
                    .inNamespace(subject.namespace())
                    .resource(new EventBuilder()
                            .withNewMetadata()
                            .withName(id.map(prefix::concat).orElse(null))
                            .withGenerateName(id.isPresent() ? null : prefix)
                            .withNamespace(subject.namespace())
                            .endMetadata()
                            .withNewInvolvedObject()
                            .withApiVersion(subject.apiVersion())
                            .withKind(subject.kind())
                            .withNamespace(subject.namespace())
                            .withName(subject.name())
                            .withUid(subject.uid())
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
            if (id.isPresent() && e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
                return; // a process before this one has written it
            }
            log.warn(
                    "event=event.failed kind={} object={}/{} reason={} error=\"{}\"",
                    subject.kind(),
                    subject.namespace(),
                    subject.name(),
                    reason,
                    e.getMessage());
        }
    }
}

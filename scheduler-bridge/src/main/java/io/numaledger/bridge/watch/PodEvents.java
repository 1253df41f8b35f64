package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.bridge.client.BrokenCalls;
import io.numaledger.cli.Failures;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroup;
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
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * Writes events on pods, each at most once until its cause changes. No decision waits for them. An event that the API server does not take is
 * dropped, as by client-go (tools/record): it is written with its next occasion, if there is one.
 */
public final class PodEvents {

    private static final Logger log = LoggerFactory.getLogger(PodEvents.class);

    /** The most events that wait to be written, as in client-go. Further ones are dropped. */
    public static final int MOST_WAITING = 1_000;

    private static final int TOO_MANY_REQUESTS = 429;
    private static final String COMPONENT = "numaledger-bridge";

    private final KubernetesClient client;
    private final Executor writer;
    private final Runnable lost;
    private final InstantSource clock;
    private final Map<String, String> last = new ConcurrentHashMap<>();
    private volatile boolean failing;

    /**
     * @param client repeats no request
     * @param writer makes the calls to the API server, or rejects them
     * @param lost is run for each event that the API server has not taken
     */
    public PodEvents(KubernetesClient client, Executor writer, Runnable lost, InstantSource clock) {
        this.client = client;
        this.writer = writer;
        this.lost = lost;
        this.clock = clock;
    }

    /** Writes a warning whose sentence has nothing that changes while its cause does not. */
    public boolean warn(PodFacts pod, String reason, String sentence) {
        return warn(pod, reason, sentence, () -> sentence);
    }

    /**
     * Writes a warning, unless the last one of the pod had the same cause, or too many are waiting. Returns whether it is to be written.
     *
     * @param reason in CamelCase
     * @param cause what makes this warning another one than the last one
     * @param sentence asked for only if the cause is another one
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
        if (cause.equals(last.put(subject.uid(), cause))) {
            return false;
        }
        Runnable notWritten = () -> last.remove(subject.uid(), cause);
        boolean taken = write(subject, reason, sentence.get(), Optional.empty(), notWritten);
        if (!taken) {
            notWritten.run();
        }
        return taken;
    }

    /** Returns whether it is to be written. */
    private boolean write(Subject subject, String reason, String sentence, Optional<String> id, Runnable notWritten) {
        String text = ControlCharacters.escaped(sentence);
        try {
            writer.execute(() -> {
                if (!isWritten(subject, reason, text, id)) {
                    notWritten.run();
                }
            });
            return true;
        } catch (RejectedExecutionException full) {
            return false;
        }
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

    /** Writes a warning about a group's object, whatever was written before. */
    public void warnAgain(PodGroup group, String reason, String sentence, Optional<String> id) {
        warnAgain(Subject.of(group), reason, sentence, id);
    }

    private void warnAgain(Subject subject, String reason, String sentence, Optional<String> id) {
        var unused = write(subject, reason, sentence, id, () -> {});
    }

    /** Forgets the last warning of a pod. */
    public void forget(PodFacts pod) {
        pod.uid().ifPresent(last::remove);
    }

    /** Writes a warning about a group's object, unless its last one had the same cause or too many wait. Returns whether it is to be written. */
    public boolean warn(PodGroup group, String reason, String cause, Supplier<String> sentence) {
        return warn(Subject.of(group), reason, cause, sentence);
    }

    /** Forgets the last warning of a group. */
    public void forget(PodGroup group) {
        last.remove(group.uid());
    }

    /** Returns whether no other attempt is worth it: the event is written, or the API server will not take it later either. */
    private boolean isWritten(Subject subject, String reason, String sentence, Optional<String> id) {
        try {
            var unused = BrokenCalls.repeat(() -> create(subject, reason, sentence, id));
            if (failing) {
                failing = false;
                log.info("event=events.written_again");
            }
            return true;
        } catch (KubernetesClientException e) {
            if (id.isPresent() && e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
                return true; // a process before this one has written it
            }
            lost.run();
            if (isPassing(e)) {
                if (!failing) {
                    failing = true;
                    log.warn("event=events.lost error=\"{}\"", Failures.reason(e));
                }
                return false;
            }
            log.warn(
                    "event=event.failed kind={} object={}/{} reason={} error=\"{}\"",
                    subject.kind(),
                    subject.namespace(),
                    subject.name(),
                    reason,
                    e.getMessage());
            return true;
        }
    }

    /** Whether the API server gives no answer, or has no time. */
    private static boolean isPassing(KubernetesClientException e) {
        return e.getCode() <= 0
                || e.getCode() == TOO_MANY_REQUESTS
                || e.getCode() >= HttpURLConnection.HTTP_INTERNAL_ERROR;
    }

    private Event create(Subject subject, String reason, String sentence, Optional<String> id) {
        String prefix = subject.name() + ".numaledger-";
        String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        return client.v1()
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
    }
}

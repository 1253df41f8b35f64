package io.numaledger.bridge.extender;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.state.ClusterState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Binds that the API server did not answer: it may have written them, or may still do so. Their reservations stay until it says that the
 * pod is not bound to the node, some time later. Thread-safe.
 */
final class DoubtfulBinds {

    private static final Logger log = LoggerFactory.getLogger(DoubtfulBinds.class);

    /** The API server gives a request up by then (its longest request timeout without a watch is a minute). */
    static final Duration SETTLED_AFTER = Duration.ofSeconds(60);

    private final ClusterState cluster;
    private final Binder binder;
    private final LongSupplier nanos;

    /** The doubts, by pod and node: a pod that is bound again and again is looked up once. Guarded by itself. */
    private final Map<Bind, Doubt> doubts = new LinkedHashMap<>();

    private record Bind(String uid, String node) {}

    private record Doubt(PodFacts pod, String node, long since) {

        Bind bind() {
            return new Bind(pod.uid().orElseThrow(), node);
        }
    }

    /** @param nanos a clock that does not jump */
    DoubtfulBinds(ClusterState cluster, Binder binder, LongSupplier nanos) {
        this.cluster = cluster;
        this.binder = binder;
        this.nanos = nanos;
    }

    /**
     * Whether a pod is bound to the node although its bind failed. Otherwise its reservation ends: at once, or after it has been looked up
     * again.
     *
     * @param refused the API server has answered that it did not bind it
     */
    boolean isBound(PodFacts pod, String node, boolean refused) {
        Doubt doubt = new Doubt(pod, node, nanos.getAsLong());
        try {
            if (isBound(doubt)) {
                return true;
            }
            if (refused) {
                cluster.binds().cancel(node, pod);
                return false;
            }
        } catch (IOException e) {
            log.debug("event=bind.doubtful pod={} node={} error=\"{}\"", pod.key(), node, e.getMessage());
        }
        putLast(doubt);
        return false;
    }

    private void putLast(Doubt doubt) {
        synchronized (doubts) {
            doubts.remove(doubt.bind());
            doubts.put(doubt.bind(), doubt);
        }
    }

    private boolean isBound(Doubt doubt) throws IOException {
        PodFacts pod = doubt.pod();
        return binder.read(pod.namespace(), pod.name(), pod.uid().orElseThrow())
                .flatMap(PodFacts::node)
                .equals(Optional.of(doubt.node()));
    }

    /** Ends the reservations of pods that were not bound. Without an answer, the others are looked up with the next call. */
    void lookUp() {
        for (Doubt doubt : due()) {
            boolean settled = isSettled(doubt);
            synchronized (doubts) {
                boolean same = doubts.remove(doubt.bind(), doubt);
                if (same && !settled) {
                    doubts.put(doubt.bind(), doubt);
                }
            }
            if (!settled) {
                return;
            }
        }
    }

    private List<Doubt> due() {
        long now = nanos.getAsLong();
        synchronized (doubts) {
            return doubts.values().stream()
                    .filter(doubt -> now - doubt.since() >= SETTLED_AFTER.toNanos())
                    .toList();
        }
    }

    private boolean isSettled(Doubt doubt) {
        try {
            if (!isBound(doubt)) {
                cluster.binds().cancel(doubt.node(), doubt.pod());
            }
            return true;
        } catch (IOException e) {
            log.debug(
                    "event=bind.doubtful pod={} node={} error=\"{}\"",
                    doubt.pod().key(),
                    doubt.node(),
                    e.getMessage());
            return false;
        }
    }
}

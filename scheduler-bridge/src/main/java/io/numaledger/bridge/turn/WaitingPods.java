package io.numaledger.bridge.turn;

import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.cluster.SchedulingTerms;
import io.numaledger.bridge.ledger.Ledger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Pods that wait for zones: each has its turn, and none is forgotten.
 *
 * <p>kube-scheduler tries a pod the later the more often it was refused, so zones that come free go to whoever is new and small, and large
 * pods starve. Here they are held for a pod that has waited for some time, from younger ones of equal terms, until the scheduler has
 * asked about the older one again. Nothing is held where the older pod fits beside the younger.
 *
 * <p>kube-scheduler tries a refused pod again when it sees something change. It may see a change before the ledger does, and
 * what only the ledger sees it never sees: zones published anew, a hold that ends. So it is told of a pod that could run and is not asked
 * about.
 */
public final class WaitingPods {

    /** kube-scheduler tries a pod again after 10 seconds at the latest (its default {@code podMaxBackoffSeconds}), if it is going to. */
    static final Duration LONGEST_HOLD = Duration.ofSeconds(10);

    /** For so long a pod could run before the scheduler is told: it mostly asks by itself. */
    static final Duration GRACE = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(WaitingPods.class);
    private static final int REMEMBERED = 1_000;
    private static final int LOOKS_IN_A_CALL = 2_000;
    private static final int LOOKED_AT_IN_TURN = 20;

    private final Ledger ledger;
    private final Duration patience;
    private final LongSupplier nanos;
    private final Consumer<PodFacts> askAgain;
    private final Map<String, Waiting> byUid = new HashMap<>();
    private final NavigableSet<Waiting> byAge = new TreeSet<>(Waiting.OLDEST_FIRST);
    private long lookedAt;
    private int turn;

    /**
     * @param patience how long a pod waits before anything is held for it; zero: nothing ever is
     * @param nanos a clock that does not jump
     * @param askAgain makes kube-scheduler ask about a pod
     */
    public WaitingPods(Ledger ledger, Duration patience, LongSupplier nanos, Consumer<PodFacts> askAgain) {
        this.ledger = ledger;
        this.patience = patience;
        this.nanos = nanos;
        this.askAgain = askAgain;
    }

    /** Those of the nodes that a pod fits which are held for older ones. */
    public synchronized Set<String> held(PodFacts pod, SchedulingTerms terms, List<String> fitting) {
        Optional.ofNullable(byUid.get(pod.uid())).ifPresent(Waiting::asked);
        Map<String, Waiting> held = heldForOlder(pod, terms, fitting);
        held.forEach((node, older) -> {
            older.holdingSince = older.holdingSince.or(() -> Optional.of(nanos.getAsLong()));
            log.debug("event=zones.held node={} pod={} from={}", node, older.pod.key(), pod.key());
        });
        return held.keySet();
    }

    private Map<String, Waiting> heldForOlder(PodFacts pod, SchedulingTerms terms, List<String> fitting) {
        Map<String, Waiting> held = new HashMap<>();
        List<Waiting> older = older(pod, terms);
        int looks = 0;
        for (String node : older.isEmpty() ? List.<String>of() : fitting) {
            long changed = ledger.changed(node);
            for (Waiting each : older) {
                if (each.refusedAt < changed && looks++ < LOOKS_IN_A_CALL && ledger.crowdsOut(node, pod, each.pod)) {
                    held.put(node, each);
                    break;
                }
            }
        }
        return held;
    }

    private List<Waiting> older(PodFacts pod, SchedulingTerms terms) {
        if (patience.isZero()) {
            return List.of();
        }
        long now = nanos.getAsLong();
        return byAge.stream()
                .takeWhile(each -> PodFacts.BY_AGE.compare(each.pod, pod) < 0)
                .filter(each -> now - each.since >= patience.toNanos()
                        && !Waiting.isOver(each.holdingSince, LONGEST_HOLD, now)
                        && each.terms.goBefore(terms))
                .toList();
    }

    /**
     * No node is left for a pod: it waits from now on. One of which the watch has not told yet, or not any more, is not remembered, since
     * nobody would say that it is gone.
     *
     * @param nodes all those that it was asked for
     * @param held those of them that it fits
     * @param judgedAt the ledger's count of changes before it was judged
     */
    public synchronized void refused(
            PodFacts pod, SchedulingTerms terms, List<String> nodes, Set<String> held, long judgedAt) {
        Waiting waiting = byUid.get(pod.uid());
        if (waiting == null) {
            if (byUid.size() >= REMEMBERED) {
                return;
            }
            waiting = new Waiting(pod, terms, nanos.getAsLong(), judgedAt);
            byUid.put(pod.uid(), waiting);
            byAge.add(waiting);
        }
        waiting.asked();
        waiting.refusedOn = ledger.slots(nodes);
        waiting.holdingSince = Optional.empty();
        if (held.isEmpty()) {
            waiting.refusedAt = judgedAt;
        }
        waiting.maybeFree.or(ledger.slots(held));
        BitSet changed = ledger.changedSince(judgedAt);
        changed.and(waiting.refusedOn);
        waiting.maybeFree.or(changed);
        if (ledger.pod(pod.key()).filter(known -> known.uid().equals(pod.uid())).isEmpty()) {
            gone(pod);
        }
    }

    /** Tells the scheduler of pods that could run now and that it does not ask about. To be called every second or so. */
    public synchronized void look() {
        ledger.settle();
        long changes = ledger.changes();
        BitSet changed = byUid.isEmpty() ? new BitSet() : ledger.changedSince(lookedAt);
        lookedAt = changes;
        List<Waiting> candidates = new ArrayList<>();
        for (Waiting each : byAge) {
            BitSet news = (BitSet) changed.clone();
            news.and(each.refusedOn);
            each.maybeFree.or(news);
            if (!each.reminded && !each.maybeFree.isEmpty()) {
                candidates.add(each);
            }
        }
        for (int i = 0; i < Math.min(candidates.size(), LOOKED_AT_IN_TURN); i++) {
            lookAt(candidates.get(Math.floorMod(turn++, candidates.size())), nanos.getAsLong());
        }
    }

    private void lookAt(Waiting waiting, long now) {
        List<String> free = ledger.fitting(ledger.names(waiting.maybeFree), waiting.pod);
        waiting.maybeFree.and(ledger.slots(free));
        if (heldForOlder(waiting.pod, waiting.terms, free).size() == free.size()) {
            waiting.freeSince = Optional.empty();
        } else if (waiting.freeSince.isEmpty()) {
            waiting.freeSince = Optional.of(now);
        } else if (Waiting.isOver(waiting.freeSince, GRACE, now)) {
            waiting.reminded = true;
            log.debug("event=pod.reminded pod={} nodes={}", waiting.pod.key(), free);
            askAgain.accept(waiting.pod);
        }
    }

    /** It is bound, or gone. */
    public synchronized void gone(PodFacts pod) {
        Optional.ofNullable(byUid.remove(pod.uid())).ifPresent(byAge::remove);
    }

    /** How many wait. */
    public synchronized int count() {
        return byUid.size();
    }
}

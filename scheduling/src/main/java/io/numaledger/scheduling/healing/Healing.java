package io.numaledger.scheduling.healing;

import io.numaledger.evaluation.alignment.ClaimLookup;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.dra.ClaimsAfterEviction;
import io.numaledger.scheduling.healing.Controllers.Controller;
import io.numaledger.scheduling.preemption.Evictor;
import io.numaledger.scheduling.preemption.LeftOutNamespaces;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.Feasibility;
import io.numaledger.scheduling.state.NodeUse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Evicts pods that missed what they demanded of their placement, one at a time: round robin among namespaces, and within a namespace the
 * youngest first, as they lose the least work. The first one is evicted an interval after this replica has begun to lead, so that also several
 * leaders together keep to the rate. Not thread-safe.
 */
public final class Healing {

    private static final Logger log = LoggerFactory.getLogger(Healing.class);

    /** A pod that was not evicted is tried again after this, and then after twice as long each time. */
    static final Duration FIRST_RETRY = Duration.ofMinutes(1);

    static final Duration MAX_RETRY = Duration.ofHours(1);

    /** So many pods of one controller are evicted within the period: its next pods may miss their demand again. */
    static final int MOST_OF_CONTROLLER = 3;

    static final Duration PERIOD = Duration.ofHours(24);

    /** A check tries one pod of so many namespaces, until one is evicted: each costs calls of the API server. */
    static final int MOST_TRIED = 10;

    private final ClusterState cluster;
    private final Settings settings;
    private final Evictor evictor;
    private final Controllers controllers;
    private final Consumer<Misplaced> evicted;
    private final InstantSource clock;

    private Instant next;

    /** When to retry, by UID of the pod: also for pods that demand nothing for the moment. */
    private final Map<String, Retry> retries = new HashMap<>();

    /** When pods were evicted, by UID of their controller. */
    private final Map<String, List<Instant>> evictions = new HashMap<>();

    private final LeftOutNamespaces namespaces = new LeftOutNamespaces();

    private record Retry(Instant at, Duration pause) {}

    /**
     * Whom to evict.
     *
     * @param schedulers those that place pods by the bridge's verdicts; pods of others would be placed no better
     * @param interval from one eviction to the next at least
     */
    public record Settings(Set<String> schedulers, Duration interval) {

        public Settings {
            schedulers = Set.copyOf(schedulers);
        }
    }

    /** @param evicted is told of each pod after its eviction */
    public Healing(
            ClusterState cluster,
            Settings settings,
            Evictor evictor,
            Controllers controllers,
            Consumer<Misplaced> evicted,
            InstantSource clock) {
        this.cluster = cluster;
        this.settings = settings;
        this.evictor = evictor;
        this.controllers = controllers;
        this.evicted = evicted;
        this.clock = clock;
        this.next = clock.instant().plus(settings.interval());
    }

    /**
     * Evicts one pod at most. Call it every ten seconds or so.
     *
     * @param leads whether this replica may
     */
    public void check(boolean leads) {
        Instant now = clock.instant();
        if (!leads) {
            next = now.plus(settings.interval());
        } else if (!now.isBefore(next)) {
            retries.values().removeIf(retry -> !retry.at().plus(MAX_RETRY).isAfter(now));
            evictions
                    .values()
                    .forEach(times -> times.removeIf(time -> !time.plus(PERIOD).isAfter(now)));
            evictions.values().removeIf(List::isEmpty);
            healOne(now);
        }
    }

    private void healOne(Instant now) {
        Map<String, Misplaced> youngest = new LinkedHashMap<>();
        found().stream()
                .filter(each -> Optional.ofNullable(retries.get(uid(each)))
                        .map(retry -> !now.isBefore(retry.at()))
                        .orElse(true))
                .forEach(each -> youngest.putIfAbsent(each.pod().namespace(), each));
        List<Misplaced> inTurn = youngest.values().stream()
                .sorted(Comparator.comparing(
                        each -> -namespaces.leftOut(each.pod().namespace())))
                .limit(MOST_TRIED)
                .toList();
        Set<String> tried = new HashSet<>();
        for (Misplaced each : inTurn) {
            tried.add(each.pod().namespace());
            if (heal(each, now)) {
                break;
            }
        }
        namespaces.ended(youngest.keySet(), tried);
    }

    /** The youngest first. A group's pods are left alone: the others of it wait for each. */
    private List<Misplaced> found() {
        return cluster.pods().all().stream()
                .filter(pod -> settings.schedulers().contains(pod.scheduler())
                        && !pod.isStatic()
                        && pod.uid().isPresent()
                        && pod.group().group().isEmpty())
                .map(pod -> Misplaced.of(pod, cluster))
                .flatMap(Optional::stream)
                .sorted((a, b) -> PodFacts.BY_AGE.compare(b.pod(), a.pod()))
                .toList();
    }

    private static String uid(Misplaced found) {
        return found.pod().uid().orElseThrow();
    }

    /** Returns whether the pod was evicted. */
    private boolean heal(Misplaced found, Instant now) {
        try {
            Optional<Controller> controller = controllers.of(found.pod());
            Optional<String> obstacle = obstacle(found.pod(), controller);
            if (obstacle.isPresent()) {
                leaveAlone(found, now, obstacle.get());
            } else {
                evict(found, controller.orElseThrow().uid(), now);
                return true;
            }
        } catch (IOException e) {
            Duration before = Optional.ofNullable(retries.get(uid(found)))
                    .map(Retry::pause)
                    .orElse(Duration.ZERO);
            Duration pause =
                    Collections.min(List.of(MAX_RETRY, before.isZero() ? FIRST_RETRY : before.multipliedBy(2)));
            retries.put(uid(found), new Retry(now.plus(pause), pause));
            log.warn(
                    "event=healing.failed pod={} retry_s={} error=\"{}\"",
                    found.pod().key(),
                    pause.toSeconds(),
                    e.getMessage());
        }
        return false;
    }

    private Optional<String> obstacle(PodFacts pod, Optional<Controller> controller) {
        if (controller.isEmpty()) {
            return Optional.of("no controller makes another pod");
        }
        if (evictions.getOrDefault(controller.get().uid(), List.of()).size() >= MOST_OF_CONTROLLER) {
            return Optional.of("%d pods of its controller were evicted already".formatted(MOST_OF_CONTROLLER));
        }
        Optional<PodFacts> next = controller.get().next();
        if (next.isEmpty()) {
            return Optional.of("the template of its controller names the node");
        }
        return isTaken(next.get(), pod)
                ? Optional.empty()
                : Optional.of("no node would take the next one as it demands");
    }

    /** Whether a node would take a pod, with what it demands, after another has ended. */
    private boolean isTaken(PodFacts next, PodFacts ended) {
        List<NodeUse> uses = cluster.uses(EvaluationBudget.NONE);
        EvaluationBudget budget = cluster.budget(next, uses.size());
        ClaimLookup claims =
                new ClaimsAfterEviction(cluster.claims(), uid -> ended.uid().equals(Optional.of(uid)));
        return uses.stream()
                .filter(use -> use.mayTake(next))
                .map(use -> use.within(budget).withClaims(claims))
                .anyMatch(use -> {
                    List<PodFacts> here = use.pods().stream()
                            .filter(pod -> pod.isSameAs(ended))
                            .toList();
                    return Feasibility.of(use).without(here).takes(next);
                });
    }

    private void leaveAlone(Misplaced found, Instant now, String why) {
        retries.put(uid(found), new Retry(now.plus(MAX_RETRY), MAX_RETRY));
        log.debug("event=healing.left_alone pod={} reason=\"{}\"", found.pod().key(), why);
    }

    private void evict(Misplaced found, String controller, Instant now) throws IOException {
        PodFacts pod = found.pod();
        evictor.evict(pod);
        next = now.plus(settings.interval());
        retries.put(uid(found), new Retry(now.plus(MAX_RETRY), MAX_RETRY)); // it may run for some time yet
        evictions.computeIfAbsent(controller, any -> new ArrayList<>()).add(now);
        log.info(
                "event=healing.evicted pod={} node={} reason=\"{}\"",
                pod.key(),
                pod.node().orElse(""),
                found.sentence());
        evicted.accept(found);
    }
}

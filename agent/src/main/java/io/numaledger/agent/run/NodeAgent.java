package io.numaledger.agent.run;

import io.numaledger.agent.api.NodeOwner;
import io.numaledger.agent.api.Pods;
import io.numaledger.agent.api.Topologies;
import io.numaledger.agent.exclude.ExclusionSource;
import io.numaledger.agent.exclude.Exclusions;
import io.numaledger.agent.metrics.ReconciliationEvents;
import io.numaledger.agent.run.Observation.Unlisted;
import io.numaledger.agent.statefiles.KubeletStateFiles;
import io.numaledger.agent.sysfs.NodeProbe;
import io.numaledger.annotation.PodAnnotator;
import io.numaledger.annotation.PodRecords;
import io.numaledger.annotation.PodView;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.nrt.fingerprint.PodName;
import io.numaledger.nrt.profile.TopologyProfile;
import io.numaledger.placement.Placement;
import io.numaledger.podresources.PodResources;
import io.numaledger.podresources.PodResourcesException;
import io.numaledger.podresources.PodResourcesException.Kind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reconciles the node: observes it, then writes the objects that differ. A failure is logged once and retried by the next reconciliation. It does not prevent other writes.
 */
public final class NodeAgent {

    private static final Logger log = LoggerFactory.getLogger(NodeAgent.class);

    /** How long a pod that the API server shows running and a restarted kubelet does not list keeps its last known placement. */
    public static final Duration KEEP_MISSING_FOR = Duration.ofSeconds(60);

    /**
     * What the agent works with.
     *
     * @param stateFiles the kubelet's own records; absent: they are not to be read
     */
    public record Parts(
            NodeProbe probe,
            PodResources kubelet,
            Optional<KubeletStateFiles> stateFiles,
            Pods pods,
            Topologies topologies,
            NodeOwner owner,
            ReconciliationEvents events,
            InstantSource clock) {}

    /**
     * The configuration.
     *
     * @param profile the format of the NodeResourceTopology; empty: none is published
     * @param exclusions what is not published
     */
    public record Settings(
            String node,
            Supplier<KubeletSettings> kubelet,
            boolean kaiStrict,
            Optional<TopologyProfile> profile,
            ExclusionSource exclusions) {}

    private final Parts parts;
    private final ExclusionSource exclusions;
    private final NodeObserver observer;
    private final PodAnnotator annotator;
    private Runnable onPublished = () -> {};
    private final Optional<TopologyPublication> topology;
    private final KnownPlacements known = new KnownPlacements();
    private final Drift drift = new Drift();
    private final KubeletRestart restart = new KubeletRestart();
    private final ReachableTime reachable = new ReachableTime();
    private final ProblemLog recordProblems = ProblemLog.ofInputs("annotations");
    private final ProblemLog errors = ProblemLog.ofReconciliations();

    public NodeAgent(Parts parts, Settings settings) {
        this.parts = parts;
        this.exclusions = settings.exclusions();
        this.observer = new NodeObserver(parts, settings, KEEP_MISSING_FOR);
        this.annotator = new PodAnnotator(parts.pods(), KEEP_MISSING_FOR);
        this.topology = settings.profile().map(profile -> new TopologyPublication(parts, settings, profile));
    }

    /**
     * The result of a reconciliation.
     *
     * @param errors one sentence per failure; empty: everything is published
     * @param settled false: kubelet and API server do not agree yet on what runs here; to be looked at again soon
     * @param notBefore when to reconcile again at the latest, if before the next resync
     * @param kubeletBusy the kubelet is there and gave no answer, as under its rate limit: another call would make it worse
     */
    public record Reconciliation(
            List<String> errors, boolean settled, Optional<Instant> notBefore, boolean kubeletBusy) {}

    /** Whether the kubelet is there and gave no answer. */
    static boolean isBusy(PodResourcesException e) {
        return e.kind() != Kind.UNAVAILABLE;
    }

    /** Forgets what is re-read only now and then: what the kubelet may give out. */
    public void refresh() {
        observer.refresh();
    }

    /** True if the allocatable resources or the exclusions have changed since the last reconciliation. */
    boolean allocatableChanged() throws PodResourcesException {
        return exclusions.changed() || observer.allocatableChanged();
    }

    /** True if the kubelet's list of pods has changed since the last reconciliation, or the kubelet does not answer. */
    boolean kubeletChanged() {
        try {
            return exclusions.changed() || observer.listChanged();
        } catch (PodResourcesException | RuntimeException | Error e) {
            return true;
        }
    }

    /** @param task runs after each reconciliation that has published everything */
    public void onPublished(Runnable task) {
        onPublished = task;
    }

    /** The kubelet's connection ended; may be called from any thread. A kubelet registers its node when it starts. */
    public void kubeletGone() {
        parts.owner().forget();
        observer.kubeletGone();
        restart.begins();
    }

    /**
     * Observes the node and writes what differs. The pods of the API server must have been read before. Nothing is thrown: an
     * unexpected exception or error is a failure like the others, because this loop must not end.
     */
    public Reconciliation reconcile() {
        Instant begin = parts.clock().instant();
        List<String> failed = new ArrayList<>();
        Reconciliation result;
        boolean answered = true;
        try {
            result = publish(failed);
        } catch (PodResourcesException e) {
            answered = false;
            failed.add(e.getMessage());
            if (!isBusy(e)) {
                kubeletGone();
                topology.ifPresent(
                        published -> published.kubeletGone(parts.clock().instant(), failed));
            }
            result = new Reconciliation(failed, false, Optional.empty(), isBusy(e));
        } catch (RuntimeException | Error e) {
            log.debug("event=reconciliation.failed", e);
            failed.add("internal error, please report it: %s at %s"
                    .formatted(
                            e,
                            Stream.of(e.getStackTrace())
                                    .findFirst()
                                    .map(String::valueOf)
                                    .orElse("an unknown line")));
            result = new Reconciliation(failed, false, Optional.empty(), false);
        }
        errors.report(failed);
        if (failed.isEmpty()) {
            onPublished.run();
        }
        parts.events().ended(Duration.between(begin, parts.clock().instant()), answered, failed.isEmpty());
        return result;
    }

    private Reconciliation publish(List<String> failed) throws PodResourcesException {
        List<PodView> all = parts.pods().all();
        parts.events().pods(all);
        Exclusions excluded = exclusions.current();
        List<PodView> pods = all.stream()
                .filter(pod -> !excluded.excludesPod(pod.namespace(), pod.name()))
                .toList();
        SortedMap<String, Placement> earlier = known.of(pods);
        recordProblems.report(known.warnings());
        Observation seen = observer.observe(pods, excluded, earlier);
        known.remember(pods, seen);
        SortedMap<String, List<PodRecords>> listed = seen.byPod();
        Instant now = parts.clock().instant();
        Instant known = reachable.at(now, parts.pods().outOfTouch());

        SortedMap<String, PodRecords> decisions = annotator.decide(pods, listed, known);
        all.stream()
                .filter(pod -> !pod.terminal() && excluded.excludesPod(pod.namespace(), pod.name()))
                .forEach(pod -> decisions.put(pod.uid(), PodRecords.NONE));
        writeRecords(all, decisions, failed);
        boolean missing = annotator.waiting(known);
        boolean settled = settled(pods, listed) && !missing && !observer.unheldChanged();
        if (topology.isEmpty()) {
            return new Reconciliation(failed, settled, Optional.empty(), false);
        }
        if (topology.get().restartUnfinished(now)) {
            restart.begins();
        }
        boolean restarting = restart.lasts(missing, listsOneOf(pods, listed), known);
        List<Unlisted> unlisted = unlisted(pods, listed, earlier, decisions);
        Optional<Instant> again = topology.get().publish(seen, unlisted, restarting, now, failed);
        return new Reconciliation(
                failed,
                settled && !restarting,
                again.or(() -> restart.left(known).map(now::plus)),
                false);
    }

    /** True if the kubelet lists a pod of which it knows from the API server. */
    private static boolean listsOneOf(List<PodView> pods, SortedMap<String, List<PodRecords>> listed) {
        return pods.stream()
                .anyMatch(pod -> pod.started() && pod.staticUid().isEmpty() && listed.containsKey(pod.key()));
    }

    private void writeRecords(List<PodView> pods, SortedMap<String, PodRecords> decisions, List<String> failed) {
        PodAnnotator.Result written = annotator.write(pods, decisions);
        parts.events().placements(written, annotated(pods, decisions));
        parts.events().repaired(ReconciliationEvents.Repaired.POD, drift.repaired(pods, decisions, failed(written)));
        if (written.written() + written.removed() > 0) {
            log.info("event=placement.written pods={} removed={}", written.written(), written.removed());
        }
        written.failures()
                .forEach(failure -> failed.add("cannot write the placement of pod %s: %s"
                        .formatted(failure.pod().key(), failure.cause().getMessage())));
    }

    private static Set<String> failed(PodAnnotator.Result written) {
        return written.failures().stream().map(failure -> failure.pod().uid()).collect(Collectors.toSet());
    }

    private static int annotated(List<PodView> pods, SortedMap<String, PodRecords> decisions) {
        return (int) pods.stream()
                .filter(pod -> !pod.terminal())
                .filter(pod -> !decisions.getOrDefault(pod.uid(), pod.records()).isEmpty())
                .count();
    }

    /** Pods that the kubelet does not list for the moment, and whose record is left to them. */
    private static List<Unlisted> unlisted(
            List<PodView> pods,
            SortedMap<String, List<PodRecords>> listed,
            SortedMap<String, Placement> earlier,
            SortedMap<String, PodRecords> decisions) {
        List<Unlisted> unlisted = new ArrayList<>();
        for (PodView pod : pods) {
            if (!pod.terminal() && !listed.containsKey(pod.key()) && !decisions.containsKey(pod.uid())) {
                unlisted.add(new Unlisted(
                        new PodName(pod.namespace(), pod.name()), earlier.getOrDefault(pod.key(), Placement.EMPTY)));
            }
        }
        return unlisted;
    }

    /** False while the kubelet lists something for a pod that the API server does not show as started yet. */
    private static boolean settled(List<PodView> pods, SortedMap<String, List<PodRecords>> listed) {
        Map<String, PodView> byKey = new TreeMap<>();
        pods.forEach(pod -> byKey.put(pod.key(), pod));
        return listed.entrySet().stream()
                .filter(pod -> pod.getValue().stream().anyMatch(records -> !records.isEmpty()))
                .allMatch(pod -> byKey.containsKey(pod.getKey())
                        && byKey.get(pod.getKey()).started());
    }
}

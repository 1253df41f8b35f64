package io.numaledger.agent.run;

import io.numaledger.agent.api.ApiException;
import io.numaledger.agent.api.Pods;
import io.numaledger.agent.api.Topologies;
import io.numaledger.agent.metrics.PassEvents;
import io.numaledger.agent.run.Observation.Unlisted;
import io.numaledger.annotation.PodAnnotator;
import io.numaledger.annotation.PodRecords;
import io.numaledger.annotation.PodView;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.TopologyPublisher;
import io.numaledger.nrt.TopologyPublisher.Outcome;
import io.numaledger.nrt.fingerprint.PodName;
import io.numaledger.nrt.profile.TopologyProfile;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.podresources.PodResources;
import io.numaledger.podresources.PodResourcesException;
import io.numaledger.podresources.PodResourcesException.Kind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * One pass: look at the node, then make the API server say what was seen. Whatever fails is said once and tried again by the next
 * pass; nothing that fails keeps the rest from being written.
 */
public final class NodeAgent {

    private static final Logger log = LoggerFactory.getLogger(NodeAgent.class);

    /** How long a pod that the API server shows running and a restarted kubelet does not list keeps its last known placement. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration ASK_FOR_RIGHTS_AGAIN = Duration.ofMinutes(10);

    /** What the agent works with. */
    public record Parts(
            NodeProbe probe,
            PodResources kubelet,
            Pods pods,
            Topologies topologies,
            NodeOwner owner,
            PassEvents events,
            InstantSource clock) {}

    /**
     * What it is told.
     *
     * @param profile how the NodeResourceTopology looks; empty: none is published
     */
    public record Settings(
            String node, Supplier<KubeletSettings> kubelet, boolean kaiStrict, Optional<TopologyProfile> profile) {}

    private final Parts parts;
    private final Settings settings;
    private final PodAnnotator annotator;
    private final TopologyPublisher publisher;
    private final Pacing pacing = new Pacing();
    private final RemarkLog machineRemarks = new RemarkLog("machine");
    private final RemarkLog kubeletRemarks = new RemarkLog("kubelet");
    private final RemarkLog recordRemarks = new RemarkLog("annotations");
    private final RemarkLog troubles = new RemarkLog("pass");
    private final Drift drift = new Drift();
    private Instant forbiddenUntil = Instant.EPOCH;
    private Optional<NodeProbe.Reading> machine = Optional.empty();
    private final KnownPlacements known = new KnownPlacements();
    private final KnownAllocatable knownAllocatable = new KnownAllocatable(PATIENCE);
    private Optional<AllocatableResources> allocatable = Optional.empty();
    private Optional<String> contender = Optional.empty();
    private PodResourcesSnapshot lastListed = new PodResourcesSnapshot(List.of());

    public NodeAgent(Parts parts, Settings settings) {
        this.parts = parts;
        this.settings = settings;
        this.annotator = new PodAnnotator(parts.pods(), PATIENCE);
        this.publisher = new TopologyPublisher(parts.topologies(), Topologies.FIELD_MANAGER);
    }

    /**
     * What a pass came to.
     *
     * @param troubles a sentence for each thing that failed; empty: all is published
     * @param settled false: kubelet and API server do not agree yet on what runs here; to be looked at again soon
     * @param notBefore when to look again at the latest, if before the next resync
     */
    public record Pass(List<String> troubles, boolean settled, Optional<Instant> notBefore) {}

    /** Forgets what is re-read only now and then: the machine, and what the kubelet may give out. */
    public void refresh() {
        machine = Optional.empty();
        allocatable = Optional.empty();
    }

    /** True if the kubelet may give out something else than at the last pass. */
    boolean allocatableChanged() throws PodResourcesException {
        return !readAllocatable().equals(allocatable);
    }

    /** True if the kubelet lists something else than at the last pass, or cannot be asked. */
    boolean kubeletChanged() {
        try {
            boolean changed = !parts.kubelet().list().equals(lastListed);
            parts.events().polled();
            return changed;
        } catch (PodResourcesException e) {
            return true;
        }
    }

    /** The kubelet's connection ended; may be called from any thread. */
    public void kubeletGone() {
        knownAllocatable.kubeletGone(parts.clock().instant());
    }

    /** Looks and writes. The pods of the API server must have been read before. */
    public Pass pass() {
        Instant begin = parts.clock().instant();
        List<String> failed = new ArrayList<>();
        Pass result = new Pass(failed, false, Optional.empty());
        boolean answered = true;
        try {
            result = publish(failed);
        } catch (PodResourcesException e) {
            answered = false;
            if (e.kind() == Kind.UNAVAILABLE) {
                kubeletGone();
            }
            failed.add(e.getMessage());
        }
        troubles.say(failed);
        parts.events().ended(Duration.between(begin, parts.clock().instant()), answered, failed.isEmpty());
        return result;
    }

    private Pass publish(List<String> failed) throws PodResourcesException {
        List<PodView> pods = parts.pods().all();
        parts.events().pods(pods);
        SortedMap<String, Placement> earlier = known.of(pods);
        recordRemarks.say(known.remarks());
        Observation seen = look(pods, earlier);
        known.remember(pods, seen);
        SortedMap<String, List<PodRecords>> listed = seen.byPod();
        Instant now = parts.clock().instant();

        SortedMap<String, PodRecords> decisions = annotator.decide(pods, listed, now);
        PodAnnotator.Pass written = annotator.write(pods, decisions);
        parts.events().placements(written, annotated(pods, decisions));
        parts.events().repaired(PassEvents.Repaired.POD, drift.repaired(pods, decisions));
        if (written.written() + written.removed() > 0) {
            log.info("event=placement.written pods={} removed={}", written.written(), written.removed());
        }
        written.failures()
                .forEach(failure -> failed.add("cannot write the placement of pod %s: %s"
                        .formatted(failure.pod().key(), failure.cause().getMessage())));

        Optional<Instant> again = Optional.empty();
        if (settings.profile().isPresent()) {
            again = publishTopology(seen, unlisted(pods, listed, earlier, decisions), now, failed);
        }
        return new Pass(failed, settled(pods, seen) && !annotator.waiting(now), again);
    }

    private Observation look(List<PodView> pods, SortedMap<String, Placement> earlier) throws PodResourcesException {
        if (machine.isEmpty()) {
            machine = Optional.of(parts.probe().probe());
            machineRemarks.say(machine.get().remarks());
        }
        lastListed = parts.kubelet().list();
        PodResourcesSnapshot snapshot = withoutEnded(lastListed, pods);
        if (allocatable.isEmpty()) {
            allocatable = readAllocatable();
        }
        Observation seen = Observation.of(machine.get(), allocatable, snapshot, earlier, settings.kaiStrict());
        kubeletRemarks.say(seen.remarks());
        parts.events().saw(machine.get().remarks().size() + seen.remarks().size(), seen.devicesWithoutZone());
        return seen;
    }

    private static int annotated(List<PodView> pods, SortedMap<String, PodRecords> decisions) {
        return (int) pods.stream()
                .filter(pod -> !pod.terminal())
                .filter(pod -> !decisions.getOrDefault(pod.uid(), pod.records()).isEmpty())
                .count();
    }

    private Optional<AllocatableResources> readAllocatable() throws PodResourcesException {
        try {
            AllocatableResources told = parts.kubelet().allocatable();
            return Optional.of(knownAllocatable.settle(told, parts.clock().instant()));
        } catch (PodResourcesException e) {
            if (e.kind() == Kind.NOT_SUPPORTED) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Kubelets before 1.34 list pods that have ended, with what they held. */
    private static PodResourcesSnapshot withoutEnded(PodResourcesSnapshot snapshot, List<PodView> pods) {
        Map<String, Boolean> ended = new TreeMap<>();
        pods.forEach(pod -> ended.put(pod.key(), pod.terminal()));
        return new PodResourcesSnapshot(snapshot.pods().stream()
                .filter(pod -> !ended.getOrDefault(pod.key(), false))
                .toList());
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

    private Optional<Instant> publishTopology(
            Observation seen, List<Unlisted> unlisted, Instant now, List<String> failed) {
        if (now.isBefore(forbiddenUntil)) {
            return Optional.empty();
        }
        if (now.isBefore(pacing.earliest())) {
            return Optional.of(pacing.earliest());
        }
        try {
            if (publisher.deleted(settings.node())) {
                parts.owner().forget();
            }
            Optional<NodeTopology.Owner> owner = parts.owner().find();
            NodeTopology topology = seen.topology(
                    settings.node(),
                    owner,
                    settings.kubelet().get(),
                    settings.profile().orElseThrow(),
                    unlisted);
            tell(publisher.publish(topology, now), topology, now);
        } catch (ApiException e) {
            if (e.status() == 403) {
                annotationsOnly(e, now);
            } else {
                failed.add(cannotPublish(e));
            }
        } catch (IOException e) {
            failed.add(cannotPublish(e));
        }
        return Optional.empty();
    }

    private void tell(TopologyPublisher.Outcome outcome, NodeTopology topology, Instant now) {
        parts.events().topology(outcome);
        if (outcome == Outcome.REPAIRED) {
            parts.events().repaired(PassEvents.Repaired.NRT, 1);
        }
        boolean wrote = outcome == Outcome.WRITTEN || outcome == Outcome.REPAIRED;
        if (wrote) {
            pacing.published(now);
            log.info(
                    "event=nrt.published node={} zones={} repaired={}",
                    settings.node(),
                    topology.zones().size(),
                    outcome == Outcome.REPAIRED);
        }
        Optional<String> other = publisher.contender();
        if (other.isPresent() && contender.isEmpty()) {
            log.warn(
                    "event=nrt.contested node={} manager={} effect='the NodeResourceTopology is left to it' advice='run one publisher on each node, or set --nrt-profile=off'",
                    settings.node(),
                    other.get());
        } else if (other.isEmpty() && contender.isPresent()) {
            log.info("event=nrt.uncontested node={} manager={}", settings.node(), contender.get());
        }
        contender = other;
    }

    private String cannotPublish(IOException e) {
        return "cannot publish the NodeResourceTopology of node %s: %s".formatted(settings.node(), e.getMessage());
    }

    /** Under KAI's operator there is a right to pods only; somebody may grant more later. */
    private void annotationsOnly(ApiException e, Instant now) {
        if (forbiddenUntil.equals(Instant.EPOCH)) {
            log.warn(
                    "event=nrt.forbidden node={} reason='{}' effect='placements are written on pods only'",
                    settings.node(),
                    e.getMessage());
        }
        forbiddenUntil = now.plus(ASK_FOR_RIGHTS_AGAIN);
    }

    /** False while the kubelet lists something for a pod that the API server does not show as started yet. */
    private static boolean settled(List<PodView> pods, Observation seen) {
        Map<String, PodView> byKey = new TreeMap<>();
        pods.forEach(pod -> byKey.put(pod.key(), pod));
        return seen.byPod().entrySet().stream()
                .filter(pod -> pod.getValue().stream().anyMatch(records -> !records.isEmpty()))
                .allMatch(pod -> byKey.containsKey(pod.getKey())
                        && byKey.get(pod.getKey()).started());
    }
}

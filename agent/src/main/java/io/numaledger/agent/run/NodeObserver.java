package io.numaledger.agent.run;

import io.numaledger.agent.exclude.Exclusions;
import io.numaledger.agent.metrics.ReconciliationEvents;
import io.numaledger.agent.sysfs.NodeProbe;
import io.numaledger.annotation.PodView;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.podresources.PodResources;
import io.numaledger.podresources.PodResourcesException;
import io.numaledger.podresources.PodResourcesException.Kind;
import io.numaledger.topology.CpuSet;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;

/** Observes machine and kubelet. Values that rarely change are cached until they are invalidated. */
final class NodeObserver {

    private final NodeProbe probe;
    /** As often as the kubelet itself (cadvisor's update-machine-info-interval): it costs more than all else of a quiet minute. */
    private static final Duration MACHINE_STANDS_FOR = Duration.ofMinutes(5);

    private final PodResources kubelet;
    private final ReconciliationEvents events;
    private final InstantSource clock;
    private final Observations observations;
    private final InitContainers initContainers;
    private final KnownAllocatable known;
    private final ProblemLog machineProblems = ProblemLog.ofInputs("machine");
    private final ProblemLog kubeletProblems = ProblemLog.ofInputs("kubelet");
    private final AtomicBoolean kubeletEnded = new AtomicBoolean();
    private Optional<NodeProbe.Reading> machine = Optional.empty();
    private Instant machineUntil = Instant.EPOCH;
    private Optional<AllocatableResources> allocatable = Optional.empty();
    private PodResourcesSnapshot lastListed = new PodResourcesSnapshot(List.of());
    private Set<DeviceAllocation> unhealthy = new TreeSet<>();
    private Optional<Seen> last = Optional.empty();
    private CpuSet unheld = CpuSet.EMPTY;
    private boolean unheldChanged;

    /** All that an observation follows from. */
    private record Facts(
            NodeProbe.Reading machine,
            Optional<AllocatableResources> allocatable,
            PodResourcesSnapshot listed,
            Optional<InitContainers.Added> all,
            Exclusions exclusions,
            SortedMap<String, Placement> earlier) {

        Observation observation(Observations observations) {
            return observations.observe(machine, KubeletAnswer.of(allocatable, listed, all, exclusions), earlier);
        }
    }

    private record Seen(Facts facts, Observation observation) {}

    /** @param keepMissingFor how long a restarted kubelet's devices are taken to be as they were */
    NodeObserver(NodeAgent.Parts parts, NodeAgent.Settings settings, Duration keepMissingFor) {
        this.probe = parts.probe();
        this.kubelet = parts.kubelet();
        this.events = parts.events();
        this.clock = parts.clock();
        this.observations = new Observations(settings.kaiStrict());
        this.initContainers = new InitContainers(parts.stateFiles());
        this.known = new KnownAllocatable(keepMissingFor);
    }

    /** Forgets what the kubelet may give out, and a machine of which something was missing or unreadable. */
    void refresh() {
        allocatable = Optional.empty();
        machine = machine.filter(reading ->
                reading.warnings().isEmpty() && !reading.machine().numaNodes().isEmpty());
    }

    /** The kubelet's connection ended; may be called from any thread. The next one may see another machine. */
    void kubeletGone() {
        kubeletEnded.set(true);
        known.kubeletGone(clock.instant());
    }

    /** True if the allocatable resources have changed since the last observation. */
    boolean allocatableChanged() throws PodResourcesException {
        return !readAllocatable().equals(allocatable);
    }

    /** True if the kubelet's list of pods has changed since the last observation. */
    boolean listChanged() throws PodResourcesException {
        boolean changed = !kubelet.list().equals(lastListed);
        events.polled();
        return changed;
    }

    /**
     * Looks. While all facts are the same, so is the object that is returned.
     *
     * @param pods the node's pods on the API server
     * @param exclusions what does not count
     * @param earlier pod key → its placement at the last observation
     */
    Observation observe(List<PodView> pods, Exclusions exclusions, SortedMap<String, Placement> earlier)
            throws PodResourcesException {
        lastListed = kubelet.list();
        readMachine();
        if (allocatable.isEmpty() || holdsUnknownDevices()) {
            allocatable = readAllocatable();
        }
        PodResourcesSnapshot listed = exclusions.withoutPods(withoutEnded(lastListed, pods));
        Facts facts = new Facts(
                machine.get(),
                allocatable,
                listed,
                initContainers.added(listed, pods).map(this::confirmed),
                exclusions,
                earlier);
        Observation seen = last.filter(before -> before.facts().equals(facts))
                .map(Seen::observation)
                .orElseGet(() -> facts.observation(observations));
        last = Optional.of(new Seen(facts, seen));
        kubeletProblems.report(seen.warnings());
        events.saw(machine.get().warnings().size() + seen.warnings().size(), seen.devicesWithoutZone());
        return seen;
    }

    /**
     * CPUs that nobody has count once they were seen twice: the kubelet writes its file when it has taken CPUs from those that are shared, and
     * again when it has given them to a container.
     */
    private InitContainers.Added confirmed(InitContainers.Added seen) {
        CpuSet now = seen.cpus().isEmpty()
                ? CpuSet.EMPTY
                : allocatable.map(all -> all.cpus().minus(seen.cpus())).orElse(CpuSet.EMPTY);
        CpuSet seenOnce = now.minus(unheld);
        unheld = now;
        unheldChanged = !seenOnce.isEmpty();
        return new InitContainers.Added(seen.pods(), seen.cpus().union(seenOnce));
    }

    /** Whether some CPUs were seen for the first time that nobody has: the next observation tells. */
    boolean unheldChanged() {
        return unheldChanged;
    }

    /**
     * True if a pod holds a device that was not among the healthy ones, and was not held either: its plugin has come since. One that became
     * unhealthy is asked about once.
     */
    private boolean holdsUnknownDevices() {
        Set<DeviceAllocation> unknown = new TreeSet<>();
        for (PodAllocation pod : lastListed.pods()) {
            pod.containers().forEach(container -> unknown.addAll(container.devices()));
        }
        allocatable.ifPresent(known -> known.devices().forEach(unknown::remove));
        boolean more = !unhealthy.containsAll(unknown);
        unhealthy = unknown;
        return more;
    }

    private void readMachine() {
        Instant now = clock.instant();
        if (kubeletEnded.getAndSet(false) || machine.isEmpty() || !now.isBefore(machineUntil)) {
            machine = Optional.of(probe.probe());
            machineUntil = now.plus(MACHINE_STANDS_FOR);
            machineProblems.report(machine.get().warnings());
        }
    }

    private Optional<AllocatableResources> readAllocatable() throws PodResourcesException {
        try {
            return Optional.of(known.settle(kubelet.allocatable(), clock.instant()));
        } catch (PodResourcesException e) {
            if (e.kind() == Kind.NOT_SUPPORTED) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Kubelets before 1.34 list pods that have ended, with what they held. */
    private static PodResourcesSnapshot withoutEnded(PodResourcesSnapshot snapshot, List<PodView> pods) {
        if (pods.stream().noneMatch(PodView::terminal)) {
            return snapshot;
        }
        Map<String, Boolean> ended = new TreeMap<>();
        pods.forEach(pod -> ended.put(pod.key(), pod.terminal()));
        return new PodResourcesSnapshot(snapshot.pods().stream()
                .filter(pod -> !ended.getOrDefault(pod.key(), false))
                .toList());
    }
}

package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.snapshot.Assumption;
import io.numaledger.evaluation.snapshot.Assumption.Kind;
import io.numaledger.evaluation.snapshot.NodeModel;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.evaluation.snapshot.UnknownNodeAction;
import io.numaledger.evaluation.snapshot.UnknownPart;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.TopologyAttributes;
import io.numaledger.resource.ResourceKind;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What the kubelet model of one node cannot tell for now, and until when: devices whose amounts have just changed, resources that the model
 * leaves out, and a kubelet that restarts. Pods are held meanwhile, whatever the policy for unknown zones is; what stays unknown is left to
 * that policy. Guarded by the caller.
 */
final class NodeChanges {

    private final SnapshotSettings settings;
    private final SortedMap<String, DeviceChange> devices = new TreeMap<>();
    private final SortedMap<String, Instant> leftOut = new TreeMap<>();
    private final SortedSet<String> givenByKubelet = new TreeSet<>();
    private Optional<Instant> restarting = Optional.empty();
    private boolean ready;

    NodeChanges(SnapshotSettings settings) {
        this.settings = settings;
    }

    /** There is no kubelet model. */
    void clear() {
        devices.clear();
        leftOut.clear();
        restarting = Optional.empty();
    }

    /** @param kubelet of the model */
    void update(NodeFacts node, NodeTopology zones, NodeModel model, KubeletModel kubelet, Instant now) {
        updateDevices(node, zones, kubelet, now);
        SortedSet<String> unknown = new TreeSet<>(model.leftOut());
        unknown.removeIf(resource -> isUnaligned(resource, zones));
        leftOut.keySet().retainAll(unknown);
        unknown.forEach(resource -> leftOut.putIfAbsent(resource, now));
        givenByKubelet.clear();
        givenByKubelet.addAll(kubelet.machine().devices().keySet());
        givenByKubelet.addAll(aligned(kubelet));
        updateRestart(node, zones, now);
    }

    private void updateDevices(NodeFacts node, NodeTopology zones, KubeletModel kubelet, Instant now) {
        devices.keySet().retainAll(node.capacity().keySet());
        for (String resource : node.capacity().keySet()) {
            if (!settings.ignoreList().contains(resource)) {
                DeviceChange.Amounts amounts = new DeviceChange.Amounts(
                        node.allocatable().getOrDefault(resource, 0L),
                        Optional.ofNullable(kubelet.machine().devices().get(resource)),
                        zones.isFromAgent());
                devices.compute(
                        resource,
                        (any, known) -> known == null ? DeviceChange.first(amounts, now) : known.next(amounts, now));
            }
        }
    }

    /** The Memory Manager is known to be off. */
    private static boolean isUnaligned(String resource, NodeTopology zones) {
        return ResourceKind.of(resource) == ResourceKind.MEMORY
                && TopologyAttributes.read(zones.attributes())
                        .memoryManagerPolicy()
                        .filter(policy -> policy != MemoryPolicy.STATIC)
                        .isPresent();
    }

    private static Set<String> aligned(KubeletModel kubelet) {
        SortedSet<String> aligned = new TreeSet<>();
        kubelet.cpus().ifPresent(any -> aligned.add("cpu"));
        kubelet.empty()
                .memory()
                .ifPresent(memory -> memory.nodes()
                        .values()
                        .forEach(numaNode -> aligned.addAll(numaNode.free().keySet())));
        return aligned;
    }

    /** A kubelet that is not ready does not run yet, however long that lasts. */
    private void updateRestart(NodeFacts node, NodeTopology zones, Instant now) {
        boolean marked = TopologyAttributes.RESTARTING.equals(zones.attributes().get(TopologyAttributes.KUBELET));
        boolean readyNow = node.constraints().ready().orElse(true);
        restarting = !marked
                ? Optional.empty()
                : restarting.filter(any -> ready && readyNow).or(() -> Optional.of(now));
        ready = readyNow;
    }

    /** What pods depend on, for now. */
    List<UnknownPart> parts(Instant now) {
        List<UnknownPart> parts = new ArrayList<>();
        Optional<Instant> restartUntil = restartUntil();
        restarting
                .filter(any -> restartUntil.filter(end -> !end.isAfter(now)).isEmpty())
                .ifPresent(any -> parts.add(new UnknownPart(
                        Assumption.of(Kind.KUBELET_RESTARTING), givenByKubelet, UnknownNodeAction.HOLD, restartUntil)));
        leftOut.forEach((resource, since) -> add(parts, Kind.RESOURCE_LEFT_OUT, resource, since, now));
        devices.forEach((resource, change) -> {
            if (change.isHeld(now)) {
                parts.add(part(Kind.DEVICES_CHANGED, resource, UnknownNodeAction.HOLD, change.looked()));
            } else if (change.contradicts(now) && !leftOut.containsKey(resource)) {
                add(parts, Kind.DEVICES_CONTRADICTED, resource, change.looked().orElseThrow(), now);
            }
        });
        return parts;
    }

    /** @param since then it has been unknown */
    private void add(List<UnknownPart> parts, Kind kind, String resource, Instant since, Instant now) {
        UnknownNodeAction action = settings.unknownNodes().action(true, Duration.between(since, now));
        if (action != UnknownNodeAction.ADMIT) {
            parts.add(part(
                    kind,
                    resource,
                    action,
                    Optional.of(since.plus(settings.unknownNodes().holdLimit()))
                            .filter(any -> action == UnknownNodeAction.HOLD)));
        }
    }

    private static UnknownPart part(Kind kind, String resource, UnknownNodeAction action, Optional<Instant> until) {
        return new UnknownPart(
                Assumption.of(kind, "resource=" + resource), new TreeSet<>(Set.of(resource)), action, until);
    }

    /** The agent may have died, and cannot tell that the kubelet has started. */
    private Optional<Instant> restartUntil() {
        return restarting
                .filter(any -> ready)
                .map(since -> since.plus(settings.unknownNodes().holdLimit()));
    }

    /** When the parts change although nothing is published. */
    Optional<Instant> nextChange(Instant now) {
        Duration limit = settings.unknownNodes().holdLimit();
        return Stream.of(
                        restartUntil().stream(),
                        leftOut.values().stream().map(since -> since.plus(limit)),
                        devices.values().stream().flatMap(each -> each.looked().stream()),
                        devices.values().stream()
                                .flatMap(each -> each.looked().stream())
                                .map(looked -> looked.plus(limit)))
                .flatMap(each -> each)
                .filter(at -> at.isAfter(now))
                .min(Instant::compareTo);
    }
}

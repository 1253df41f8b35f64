package io.numaledger.kubelet.device;

import io.numaledger.topology.Sorted;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the Device Manager remembers (cm/devicemanager/pod_devices.go).
 *
 * @param byPod pod → container → resource → ids of its devices
 * @param reusable resource → ids of devices of plain init containers that later containers of the pod in admission may
 *     have; empty otherwise
 * @param undeterminedChoices choices behind {@code byPod} that the kubelet may have made otherwise
 */
public record DeviceState(
        SortedMap<String, SortedMap<String, SortedMap<String, SortedSet<String>>>> byPod,
        SortedMap<String, SortedSet<String>> reusable,
        List<UndeterminedChoice> undeterminedChoices) {

    public static final DeviceState EMPTY =
            new DeviceState(Collections.emptySortedMap(), Collections.emptySortedMap(), List.of());

    public DeviceState {
        byPod = Sorted.sorted(byPod, containers -> Sorted.sorted(containers, DeviceState::sets));
        reusable = sets(reusable);
        undeterminedChoices = List.copyOf(undeterminedChoices);
    }

    private static SortedMap<String, SortedSet<String>> sets(SortedMap<String, SortedSet<String>> resources) {
        return Sorted.sorted(resources, Sorted::sortedSet);
    }

    /** Resource → ids; empty: none. */
    public SortedMap<String, SortedSet<String>> heldBy(String pod, String container) {
        var containers = byPod.get(pod);
        return containers == null
                ? Collections.emptySortedMap()
                : containers.getOrDefault(container, Collections.emptySortedMap());
    }

    SortedSet<String> heldBy(String pod, String container, String resource) {
        return heldBy(pod, container).getOrDefault(resource, Collections.emptySortedSet());
    }

    /** All devices of a resource that a pod's containers hold. */
    SortedSet<String> heldByPod(String pod, String resource) {
        SortedSet<String> ids = new TreeSet<>();
        byPod.getOrDefault(pod, Collections.emptySortedMap())
                .values()
                .forEach(held -> ids.addAll(held.getOrDefault(resource, Collections.emptySortedSet())));
        return ids;
    }

    public SortedSet<String> held(String resource) {
        SortedSet<String> ids = new TreeSet<>();
        byPod.values()
                .forEach(containers -> containers
                        .values()
                        .forEach(held -> ids.addAll(held.getOrDefault(resource, Collections.emptySortedSet()))));
        return ids;
    }

    /** Says no more who holds what: all is held by one without a name; see {@link io.numaledger.kubelet.NodeState#anonymous}. */
    public DeviceState anonymous() {
        SortedMap<String, SortedSet<String>> all = new TreeMap<>();
        byPod.values()
                .forEach(containers -> containers
                        .values()
                        .forEach(resources -> resources.forEach(
                                (resource, ids) -> all.computeIfAbsent(resource, any -> new TreeSet<>())
                                        .addAll(ids))));
        SortedMap<String, SortedMap<String, SortedSet<String>>> nobody = new TreeMap<>(Map.of("", all));
        return new DeviceState(new TreeMap<>(Map.of("", nobody)), Collections.emptySortedMap(), List.of());
    }

    SortedSet<String> reusable(String resource) {
        return reusable.getOrDefault(resource, Collections.emptySortedSet());
    }

    DeviceState with(String pod, String container, String resource, SortedSet<String> ids) {
        if (ids.isEmpty()) {
            return this;
        }
        SortedMap<String, SortedMap<String, SortedSet<String>>> containers =
                byPod.getOrDefault(pod, Collections.emptySortedMap());
        SortedMap<String, SortedSet<String>> resources = Sorted.with(heldBy(pod, container), resource, ids);
        return new DeviceState(
                Sorted.with(byPod, pod, Sorted.with(containers, container, resources)), reusable, undeterminedChoices);
    }

    DeviceState withReusable(SortedMap<String, SortedSet<String>> changed) {
        return changed.equals(reusable) ? this : new DeviceState(byPod, changed, undeterminedChoices);
    }

    DeviceState with(UndeterminedChoice draw) {
        List<UndeterminedChoice> draws = new ArrayList<>(undeterminedChoices);
        draws.add(draw);
        return new DeviceState(byPod, reusable, draws);
    }

    DeviceState without(String pod) {
        return new DeviceState(
                Sorted.without(byPod, pod),
                reusable,
                undeterminedChoices.stream()
                        .filter(draw -> !draw.pod().equals(pod))
                        .toList());
    }
}

package io.numaledger.apiobjects.recording;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.PodHolding;
import io.numaledger.kubelet.NodeState;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** What each pod holds in a state of a node, container by container. */
final class HeldByPods {

    private HeldByPods() {}

    /**
     * The pods of a state with what they hold, and how that is known.
     *
     * @param except the key of a pod that is left out
     * @param names how a pod is called, by its key
     */
    static ArrayNode of(NodeSnapshot node, String except, UnaryOperator<String> names) {
        Map<String, PodHolding> known =
                node.pods().stream().collect(Collectors.toMap(PodHolding::key, pod -> pod, (first, second) -> first));
        ArrayNode pods = JsonNodeFactory.instance.arrayNode();
        containers(node.now().orElseThrow()).forEach((key, containers) -> {
            if (!key.equals(except)) {
                ObjectNode pod = pods.addObject().put("name", names.apply(key));
                Optional.ofNullable(known.get(key)).ifPresent(holding -> {
                    pod.put("source", holding.source().toString());
                    pod.put("terminating", holding.terminating());
                });
                boolean named = names.apply(key).equals(key);
                ObjectNode byName = pod.putObject("containers");
                containers.forEach(each ->
                        byName.set(named ? each.name() : "container-" + (byName.size() + 1), HeldByContainer.of(each)));
            }
        });
        return pods;
    }

    private static SortedMap<String, List<ContainerAllocation>> containers(NodeState state) {
        SortedMap<String, SortedSet<String>> names = new TreeMap<>();
        state.cpus().ifPresent(cpus -> add(cpus.byPod(), names));
        state.memory().ifPresent(memory -> add(memory.byPod(), names));
        add(state.devices().byPod(), names);
        SortedMap<String, List<ContainerAllocation>> byPod = new TreeMap<>();
        names.forEach((pod, containers) -> {
            List<ContainerAllocation> all = new ArrayList<>();
            containers.forEach(container -> all.add(container(state, pod, container)));
            byPod.put(pod, all);
        });
        return byPod;
    }

    private static <T> void add(
            SortedMap<String, SortedMap<String, T>> byPod, SortedMap<String, SortedSet<String>> names) {
        byPod.forEach((pod, containers) ->
                names.computeIfAbsent(pod, any -> new TreeSet<>()).addAll(containers.keySet()));
    }

    private static ContainerAllocation container(NodeState state, String pod, String container) {
        List<DeviceAllocation> devices = new ArrayList<>();
        state.devices()
                .heldBy(pod, container)
                .forEach((resource, ids) ->
                        ids.forEach(id -> devices.add(new DeviceAllocation(resource, id, Collections.emptyList()))));
        return new ContainerAllocation(
                container,
                state.cpus().map(cpus -> cpus.heldBy(pod, container)).orElse(CpuSet.EMPTY),
                state.memory().map(memory -> memory.heldBy(pod, container)).orElse(List.of()),
                devices);
    }
}

package io.numaledger.simulator.cluster;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.PodAllocation;

import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

import static io.numaledger.topology.Sorted.sorted;
import static java.util.Objects.requireNonNullElse;

/**
 * One pod instance: what it requests, what became of it, and what it holds.
 *
 * @param node the node that it is bound to
 * @param requests container (init containers too) → resource → quantity; the limit where there is no request
 * @param held container → what it holds according to the kubelet's state files when last read; empty: nothing exclusive
 * @param reported what the kubelet's podresources API reports for it now; absent if it is not listed
 * @param deleted whether it is gone from the API server
 */
public record JournalEntry(
        String namespace,
        String name,
        String uid,
        Optional<String> node,
        SortedMap<String, SortedMap<String, String>> requests,
        Verdict verdict,
        SortedMap<String, ContainerAllocation> held,
        Optional<PodAllocation> reported,
        boolean deleted) {

    public JournalEntry {
        requests = sorted(requests);
        held = sorted(held);
    }

    /**
     * The pod's status as Kubernetes has it; reason and message are empty where there is none.
     *
     * @param phase Pending, Running, Succeeded or Failed
     * @param reason such as {@code TopologyAffinityError}
     */
    public record Verdict(String phase, String reason, String message) {}

    /** {@code namespace/name}. */
    public String key() {
        return namespace + "/" + name;
    }

    /** The entry of a pod as the API server has it, before anything is known of what it holds. */
    static JournalEntry of(Pod pod) {
        var status = pod.getStatus();
        return new JournalEntry(
                pod.getMetadata().getNamespace(),
                pod.getMetadata().getName(),
                pod.getMetadata().getUid(),
                Optional.ofNullable(pod.getSpec().getNodeName()),
                requests(pod.getSpec()),
                new Verdict(
                        requireNonNullElse(status.getPhase(), "Pending"),
                        requireNonNullElse(status.getReason(), ""),
                        requireNonNullElse(status.getMessage(), "")),
                new TreeMap<>(),
                Optional.empty(),
                false);
    }

    private static SortedMap<String, SortedMap<String, String>> requests(PodSpec spec) {
        SortedMap<String, SortedMap<String, String>> requests = new TreeMap<>();
        Stream.concat(spec.getInitContainers().stream(), spec.getContainers().stream())
                .forEach(container -> requests.put(container.getName(), requests(container)));
        return requests;
    }

    private static SortedMap<String, String> requests(Container container) {
        SortedMap<String, String> requests = new TreeMap<>();
        ResourceRequirements resources = requireNonNullElse(container.getResources(), new ResourceRequirements());
        requireNonNullElse(resources.getLimits(), Map.<String, Quantity>of())
                .forEach((name, quantity) -> requests.put(name, quantity.toString()));
        requireNonNullElse(resources.getRequests(), Map.<String, Quantity>of())
                .forEach((name, quantity) -> requests.put(name, quantity.toString()));
        return requests;
    }

    JournalEntry withHeld(SortedMap<String, ContainerAllocation> now) {
        return new JournalEntry(namespace, name, uid, node, requests, verdict, now, reported, deleted);
    }

    JournalEntry withReported(Optional<PodAllocation> now) {
        return new JournalEntry(namespace, name, uid, node, requests, verdict, held, now, deleted);
    }

    JournalEntry asDeleted() {
        return new JournalEntry(namespace, name, uid, node, requests, verdict, held, Optional.empty(), true);
    }
}

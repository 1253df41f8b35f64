package io.numaledger.simulator.cluster;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;

import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static java.util.Objects.requireNonNullElse;

/** From a pod as the API server has it to the journal's words. */
final class PodAsk {

    private PodAsk() {}

    static JournalEntry entry(Pod pod) {
        var status = pod.getStatus();
        return new JournalEntry(
                pod.getMetadata().getNamespace(),
                pod.getMetadata().getName(),
                pod.getMetadata().getUid(),
                Optional.ofNullable(pod.getSpec().getNodeName()),
                asked(pod),
                new JournalEntry.Verdict(
                        requireNonNullElse(status.getPhase(), "Pending"),
                        requireNonNullElse(status.getReason(), ""),
                        requireNonNullElse(status.getMessage(), "")),
                new TreeMap<>(),
                Optional.empty(),
                false);
    }

    private static SortedMap<String, SortedMap<String, String>> asked(Pod pod) {
        SortedMap<String, SortedMap<String, String>> asked = new TreeMap<>();
        pod.getSpec().getInitContainers().forEach(container -> asked.put(container.getName(), resources(container)));
        pod.getSpec().getContainers().forEach(container -> asked.put(container.getName(), resources(container)));
        return asked;
    }

    private static SortedMap<String, String> resources(Container container) {
        SortedMap<String, String> all = new TreeMap<>();
        ResourceRequirements resources = requireNonNullElse(container.getResources(), new ResourceRequirements());
        requireNonNullElse(resources.getLimits(), Map.<String, Quantity>of())
                .forEach((name, quantity) -> all.put(name, quantity.toString()));
        requireNonNullElse(resources.getRequests(), Map.<String, Quantity>of())
                .forEach((name, quantity) -> all.put(name, quantity.toString()));
        return all;
    }
}

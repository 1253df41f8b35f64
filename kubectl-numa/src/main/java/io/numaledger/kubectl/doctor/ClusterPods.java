package io.numaledger.kubectl.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.kubectl.client.Kubectl;
import io.numaledger.objects.ClusterDump;
import io.numaledger.objects.ObjectReader;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The pods of a cluster, as far as {@code doctor} judges them.
 *
 * @param facts of all pods
 * @param examined those of components, those that failed, and those whose resize is pending, as they are
 */
record ClusterPods(List<PodFacts> facts, List<JsonNode> examined) {

    /** Pods are large, and there are many: they are read in parts. */
    private static final String PODS = "/api/v1/pods?limit=500&continue=";

    static ClusterPods read(Kubectl kubectl) throws IOException {
        ClusterPods read = new ClusterPods(new ArrayList<>(), new ArrayList<>());
        ObjectReader reader = ObjectReader.keepingConstraints();
        String next = "";
        do {
            JsonNode part = kubectl.get(PODS + next);
            for (JsonNode pod : part.path("items")) {
                read.add(pod, reader);
            }
            next = part.at("/metadata/continue").asText();
        } while (!next.isEmpty());
        return read;
    }

    static ClusterPods of(List<JsonNode> pods) throws IOException {
        ClusterPods read = new ClusterPods(new ArrayList<>(), new ArrayList<>());
        ObjectReader reader = ObjectReader.keepingConstraints();
        for (JsonNode pod : pods) {
            read.add(pod, reader);
        }
        return read;
    }

    private void add(JsonNode pod, ObjectReader reader) throws IOException {
        facts.add(ClusterDump.pod(pod, reader));
        if (!PodChecks.component(pod).isEmpty()
                || pod.at("/status/phase").asText().equals("Failed")
                || PodChecks.pendingResize(pod).isPresent()) {
            examined.add(pod);
        }
    }

    /** The pods of the chart's bridge. */
    List<JsonNode> bridges() {
        return examined.stream()
                .filter(pod -> PodChecks.component(pod).equals("bridge"))
                .toList();
    }
}

package io.numaledger.bridge.watch;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.PodGroupName.Kind;
import io.numaledger.objects.CustomObjectReader;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.topology.Topologies;
import io.numaledger.scheduling.topology.TopologyLevels;
import io.numaledger.scheduling.topology.TopologyLevels.Level;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Watches the PodGroups of Kubernetes, KAI-Scheduler and the coscheduling plugin, and the Topologies of KAI-Scheduler and Kueue, where they are
 * defined.
 */
final class PodGroupWatch implements AutoCloseable {

    private final List<OptionalWatch> watches;

    PodGroupWatch(KubernetesClient client, PodGroups groups) {
        this.watches = List.of(
                watch(client, groups, Kind.NATIVE, "scheduling.k8s.io", "v1beta1", "v1alpha3", "v1alpha2"),
                watch(client, groups, Kind.KAI, "scheduling.run.ai", "v2alpha2"),
                watch(client, groups, Kind.COSCHEDULING, "scheduling.x-k8s.io", "v1alpha1"),
                topologies(client, groups.topologies(), Topologies.Kind.KAI, "kai.scheduler", "v1alpha1"),
                topologies(
                        client,
                        groups.topologies(),
                        Topologies.Kind.KUEUE,
                        "kueue.x-k8s.io",
                        "v1beta2",
                        "v1beta1",
                        "v1alpha1"));
    }

    private static OptionalWatch topologies(
            KubernetesClient client, Topologies topologies, Topologies.Kind kind, String apiGroup, String... versions) {
        List<ResourceDefinitionContext> definitions = List.of(versions).stream()
                .map(version -> OptionalWatch.ofCluster(apiGroup, version, "Topology", "topologies"))
                .toList();
        return new OptionalWatch(client, definitions, new OptionalWatch.Listener() {
            @Override
            public void seen(JsonNode object) {
                topologies.put(kind, object.at("/metadata/name").asText(), levels(object));
            }

            @Override
            public void gone(String namespace, String name) {
                topologies.remove(kind, name);
            }
        });
    }

    /** The levels of a Topology of KAI-Scheduler or Kueue. */
    private static TopologyLevels levels(JsonNode topology) {
        List<Level> levels = new ArrayList<>();
        topology.at("/spec/levels")
                .forEach(level -> levels.add(new Level(
                        level.path("nodeLabel").asText(),
                        Optional.of(level.path("alias").asText()).filter(text -> !text.isEmpty()))));
        return new TopologyLevels(levels);
    }

    private static OptionalWatch watch(
            KubernetesClient client, PodGroups groups, Kind kind, String apiGroup, String... versions) {
        List<ResourceDefinitionContext> definitions = List.of(versions).stream()
                .map(version -> OptionalWatch.namespaced(apiGroup, version, "PodGroup", "podgroups"))
                .toList();
        return new OptionalWatch(client, definitions, new OptionalWatch.Listener() {
            @Override
            public void listed() {
                groups.watched(kind);
            }

            @Override
            public void seen(JsonNode object) {
                groups.put(CustomObjectReader.podGroup(kind, object));
            }

            @Override
            public void gone(String namespace, String name) {
                groups.remove(new PodGroupName(kind, namespace, name));
            }
        });
    }

    /** Starts to watch the kinds that are defined and not watched yet. */
    CompletableFuture<Void> start() {
        return CompletableFuture.allOf(
                watches.stream().map(OptionalWatch::start).toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public void close() {
        watches.forEach(OptionalWatch::close);
    }
}

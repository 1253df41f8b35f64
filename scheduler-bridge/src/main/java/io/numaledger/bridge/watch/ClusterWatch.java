package io.numaledger.bridge.watch;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.numaledger.bridge.client.Pages;
import io.numaledger.cli.Failures;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.CustomObjectReader;
import io.numaledger.objects.DisruptionBudgetReader;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;
import io.numaledger.objects.TopologyInterner;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.state.ClusterState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Watches Nodes, NodeResourceTopologies, Pods and, where they are defined, KAI-Scheduler's BindRequests and the claims of Dynamic Resource
 * Allocation, and applies their events to the cluster state.
 */
public final class ClusterWatch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ClusterWatch.class);
    static final ResourceDefinitionContext BIND_REQUESTS =
            OptionalWatch.namespaced("scheduling.run.ai", "v1alpha2", "BindRequest", "bindrequests");

    private final ClusterState cluster;
    private final InstantSource clock;
    private final ObjectReader reader;
    private final TopologyInterner interner = new TopologyInterner();
    private final Consumer<PodFacts> podChanged;
    private final Consumer<PodFacts> podDeleted;
    private final SharedIndexInformer<Node> nodes;
    private final SharedIndexInformer<TopologyObject> topologies;
    private final SharedIndexInformer<PodObject> pods;
    /** Only preemption needs the budgets: the bridge serves without them. */
    private final SharedIndexInformer<PodDisruptionBudget> budgets;

    private final OptionalWatch bindRequests;
    private final ClaimWatch claims;
    private final Optional<PodGroupWatch> podGroups;
    private final List<CompletableFuture<Void>> lists = new ArrayList<>();
    private final Backlog readNodes = new Backlog();
    private final Backlog readTopologies = new Backlog();
    private final Backlog readPods = new Backlog();

    /**
     * @param client its namespace is the one of the agents
     * @param clock of the cluster state
     * @param groups gets the PodGroups; absent: they are not watched
     * @param podChanged called after the cluster state has changed
     * @param podDeleted the same
     */
    public ClusterWatch(
            KubernetesClient client,
            ClusterState cluster,
            InstantSource clock,
            Optional<PodGroups> groups,
            Consumer<PodFacts> podChanged,
            Consumer<PodFacts> podDeleted) {
        this.cluster = cluster;
        this.clock = clock;
        this.bindRequests = new OptionalWatch(client, List.of(BIND_REQUESTS), new BindRequests(cluster));
        this.claims = new ClaimWatch(client, cluster.claims());
        this.podGroups = groups.map(known -> new PodGroupWatch(client, known));
        this.podChanged = podChanged;
        this.podDeleted = podDeleted;
        this.reader = Optional.ofNullable(client.getNamespace())
                .map(ObjectReader::new)
                .orElseGet(ObjectReader::new);
        this.nodes = client.nodes()
                .withLimit(Pages.LIMIT)
                .runnableInformer(0)
                .itemStore(new KeyOnlyStore<>(Node::new, readNodes::read));
        this.topologies = client.resources(TopologyObject.class)
                .withLimit(Pages.LIMIT)
                .runnableInformer(0)
                .itemStore(new KeyOnlyStore<>(TopologyObject::new, readTopologies::read));
        this.pods = client.resources(PodObject.class)
                .inAnyNamespace()
                .withLimit(Pages.LIMIT)
                .runnableInformer(0)
                .itemStore(new KeyOnlyStore<>(PodObject::known, PodObject::key, readPods::read));
        this.budgets = client.policy()
                .v1()
                .podDisruptionBudget()
                .inAnyNamespace()
                .withLimit(Pages.LIMIT)
                .runnableInformer(0);
        nodes.addEventHandler(handler(
                readNodes,
                (node, before) -> cluster.nodeChanged(reader.node(node)),
                node -> cluster.nodeDeleted(node.getMetadata().getName())));
        topologies.addEventHandler(handler(
                readTopologies,
                this::topologyChanged,
                topology -> cluster.topologyDeleted(topology.getMetadata().getName())));
        pods.addEventHandler(handler(readPods, (pod, before) -> podChanged(pod), this::podDeleted));
    }

    /** Pods which KAI-Scheduler's binder has not bound yet are charged on their nodes, and hold the devices of their claims. */
    private record BindRequests(ClusterState cluster) implements OptionalWatch.Listener {

        @Override
        public void seen(JsonNode object) {
            cluster.bindRequestChanged(
                    CustomObjectReader.bindRequest(object), CustomObjectReader.requestedDevices(object));
        }

        /** KAI-Scheduler names a request after its pod. */
        @Override
        public void gone(String namespace, String name) {
            cluster.bindRequestDeleted(namespace + "/" + name);
        }
    }

    /** Starts to watch. Completes when the cluster state has all objects; fails if they cannot be read. */
    public CompletableFuture<Void> start() {
        lists.add(bindRequests.start());
        lists.add(claims.start());
        podGroups.ifPresent(watch -> lists.add(watch.start()));
        CompletableFuture<Void> handled = CompletableFuture.allOf(lists.toArray(new CompletableFuture<?>[0]));
        for (SharedIndexInformer<?> informer : List.of(nodes, topologies, pods)) {
            informer.exceptionHandler((hasListed, failure) -> {
                log.warn(
                        "event=watch.failed kind={} error=\"{}\"",
                        HasMetadata.getKind(informer.getApiTypeClass()),
                        Failures.reason(failure));
                return true;
            });
            var unused = informer.start().whenComplete((started, failure) -> {
                if (failure != null) {
                    handled.completeExceptionally(failure);
                }
            });
        }
        budgets.exceptionHandler((hasListed, failure) -> {
            log.warn("event=watch.failed kind=PodDisruptionBudget error=\"{}\"", Failures.reason(failure));
            return true;
        });
        var unused = budgets.start();
        return handled;
    }

    /** The disruption budgets of all namespaces. */
    public DisruptionBudgets disruptionBudgets() {
        return new DisruptionBudgets(budgets.getStore().list().stream()
                .map(DisruptionBudgetReader::of)
                .toList());
    }

    /** Looks for kinds that were not defined before. Call it about once a minute. */
    public void refresh() {
        var unused = bindRequests.start();
        unused = claims.start();
        unused = podGroups.map(PodGroupWatch::start).orElse(unused);
    }

    /** @param before as it was known; absent for a new one */
    private void topologyChanged(TopologyObject object, Optional<TopologyObject> before) {
        try {
            cluster.topologyChanged(
                    interner.interned(object.topology()), before.isPresent() ? clock.instant() : updatedAt(object));
        } catch (IOException e) {
            log.warn(
                    "event=topology.unreadable node={} error=\"{}\"",
                    object.getMetadata().getName(),
                    e.getMessage());
            cluster.topologyUnreadable(
                    object.getMetadata().getName(),
                    "the NodeResourceTopology cannot be read: %s; check the exporter".formatted(e.getMessage()));
        }
    }

    /** The API server's clock may be ahead. */
    private Instant updatedAt(TopologyObject object) {
        Instant now = clock.instant();
        return object.writtenAt().filter(now::isAfter).orElse(now);
    }

    private void podChanged(PodObject pod) {
        try {
            PodFacts facts = reader.pod(pod);
            cluster.podChanged(facts);
            podChanged.accept(facts);
        } catch (IllegalArgumentException e) {
            log.warn(
                    "event=pod.unreadable pod={}/{} error=\"{}\"",
                    pod.getMetadata().getNamespace(),
                    pod.getMetadata().getName(),
                    e.getMessage());
        }
    }

    /** The deleted object may consist of its name only. */
    private void podDeleted(PodObject pod) {
        Optional<PodFacts> known = cluster.pods()
                .get(pod.key())
                .filter(facts ->
                        facts.uid().equals(Optional.ofNullable(pod.getMetadata().getUid())));
        known.ifPresent(facts -> {
            cluster.podDeleted(facts);
            podDeleted.accept(facts);
        });
    }

    /** Handlers get objects some time after the informer has listed them; each completes a future when it had the whole list. */
    private <T extends HasMetadata> ResourceEventHandler<T> handler(
            Backlog backlog, BiConsumer<T, Optional<T>> seen, Consumer<T> gone) {
        CompletableFuture<Void> handled = new CompletableFuture<>();
        lists.add(handled);
        return new ResourceEventHandler<>() {
            @Override
            public void onList(String resourceVersion, boolean remainedEmpty) {
                handled.complete(null);
            }

            @Override
            public void onAdd(T object) {
                try {
                    seen.accept(object, Optional.empty());
                } finally {
                    backlog.handled();
                }
            }

            @Override
            public void onUpdate(T before, T object) {
                seen.accept(object, Optional.of(before));
            }

            @Override
            public void onDelete(T object, boolean unknownFinalState) {
                gone.accept(object);
            }
        };
    }

    @Override
    public void close() {
        bindRequests.close();
        claims.close();
        podGroups.ifPresent(PodGroupWatch::close);
        List.of(readNodes, readTopologies, readPods).forEach(Backlog::close);
        budgets.stop();
        pods.stop();
        topologies.stop();
        nodes.stop();
    }
}

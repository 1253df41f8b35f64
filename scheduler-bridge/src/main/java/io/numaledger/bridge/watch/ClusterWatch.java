package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.numaledger.bridge.cluster.ObjectReader;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.cluster.PodObject;
import io.numaledger.bridge.ledger.Ledger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Keeps the ledger up to date with Nodes, NodeResourceTopologies and Pods. */
public final class ClusterWatch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ClusterWatch.class);
    private static final long PAGE = 500L;

    private final Ledger ledger;
    private final Consumer<PodFacts> podChanged;
    private final Consumer<PodFacts> podGone;
    private final SharedIndexInformer<Node> nodes;
    private final SharedIndexInformer<GenericKubernetesResource> topologies;
    private final SharedIndexInformer<PodObject> pods;
    private final List<CompletableFuture<Void>> lists = new ArrayList<>();

    /**
     * @param podChanged called after the ledger knows of it
     * @param podGone the same
     */
    public ClusterWatch(
            KubernetesClient client, Ledger ledger, Consumer<PodFacts> podChanged, Consumer<PodFacts> podGone) {
        this.ledger = ledger;
        this.podChanged = podChanged;
        this.podGone = podGone;
        this.nodes = client.nodes().withLimit(PAGE).runnableInformer(0).itemStore(new KeysOnly<>(Node::new));
        this.topologies = client.genericKubernetesResources(ClusterReader.TOPOLOGIES)
                .withLimit(PAGE)
                .runnableInformer(0)
                .itemStore(new KeysOnly<>(GenericKubernetesResource::new));
        this.pods = client.resources(PodObject.class)
                .inAnyNamespace()
                .withLimit(PAGE)
                .runnableInformer(0)
                .itemStore(new KeysOnly<>(PodObject::new));
        nodes.addEventHandler(handler(
                node -> ledger.nodeSeen(ObjectReader.node(node)),
                node -> ledger.nodeGone(node.getMetadata().getName())));
        topologies.addEventHandler(handler(
                this::topologySeen,
                topology -> ledger.topologyGone(topology.getMetadata().getName())));
        pods.addEventHandler(handler(this::podSeen, this::podGone));
    }

    /** Completes when the ledger has everything that there is; fails if it cannot be read. */
    public CompletableFuture<Void> start() {
        CompletableFuture<Void> handled = CompletableFuture.allOf(lists.toArray(new CompletableFuture<?>[0]));
        for (SharedIndexInformer<?> informer : List.of(nodes, topologies, pods)) {
            var unused = informer.start().whenComplete((started, failure) -> {
                if (failure != null) {
                    handled.completeExceptionally(failure);
                }
            });
        }
        return handled;
    }

    private void topologySeen(GenericKubernetesResource object) {
        try {
            ledger.topologySeen(ClusterReader.topology(object));
        } catch (IOException e) {
            log.warn(
                    "event=topology.unreadable node={} why=\"{}\"",
                    object.getMetadata().getName(),
                    e.getMessage());
            ledger.topologyGone(object.getMetadata().getName());
        }
    }

    private void podSeen(PodObject pod) {
        try {
            PodFacts facts = ObjectReader.pod(pod);
            ledger.podSeen(facts);
            podChanged.accept(facts);
        } catch (IllegalArgumentException e) {
            log.warn(
                    "event=pod.unreadable pod={}/{} why=\"{}\"",
                    pod.getMetadata().getNamespace(),
                    pod.getMetadata().getName(),
                    e.getMessage());
        }
    }

    /** The deleted object may be no more than its name. */
    private void podGone(PodObject pod) {
        String key = pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
        Optional<PodFacts> known = ledger.pod(key)
                .filter(facts -> facts.uid().equals(pod.getMetadata().getUid()));
        known.ifPresent(facts -> {
            ledger.podGone(facts);
            podGone.accept(facts);
        });
    }

    /** Objects reach the ledger some time after the informer has listed them, so each handler tells when it had the whole list. */
    private <T extends HasMetadata> ResourceEventHandler<T> handler(Consumer<T> seen, Consumer<T> gone) {
        CompletableFuture<Void> handled = new CompletableFuture<>();
        lists.add(handled);
        return new ResourceEventHandler<>() {
            @Override
            public void onList(String resourceVersion, boolean remainedEmpty) {
                handled.complete(null);
            }

            @Override
            public void onAdd(T object) {
                seen.accept(object);
            }

            @Override
            public void onUpdate(T before, T object) {
                seen.accept(object);
            }

            @Override
            public void onDelete(T object, boolean unknownFinalState) {
                gone.accept(object);
            }
        };
    }

    @Override
    public void close() {
        pods.stop();
        topologies.stop();
        nodes.stop();
    }
}

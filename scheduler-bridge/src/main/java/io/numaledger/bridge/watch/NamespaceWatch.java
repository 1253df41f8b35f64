package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.numaledger.bridge.client.Pages;
import io.numaledger.cli.Failures;
import io.numaledger.evaluation.facts.NamespaceDefaults;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Watches the defaults that Namespaces set for their pods. */
public final class NamespaceWatch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(NamespaceWatch.class);

    private final SharedIndexInformer<Namespace> namespaces;
    private final CompletableFuture<Void> listed = new CompletableFuture<>();

    public NamespaceWatch(KubernetesClient client, NamespaceDefaults defaults) {
        this.namespaces = client.namespaces()
                .withLimit(Pages.LIMIT)
                .runnableInformer(0)
                .itemStore(new KeyOnlyStore<>(Namespace::new));
        namespaces.addEventHandler(new Handler(defaults, listed));
    }

    /** Starts to watch. Completes when all Namespaces are known; fails if they cannot be read. */
    public CompletableFuture<Void> start() {
        namespaces.exceptionHandler((hasListed, failure) -> {
            log.warn("event=watch.failed kind=Namespace error=\"{}\"", Failures.reason(failure));
            return true;
        });
        var unused = namespaces.start().whenComplete((started, failure) -> {
            if (failure != null) {
                listed.completeExceptionally(failure);
            }
        });
        return listed;
    }

    private record Handler(NamespaceDefaults defaults, CompletableFuture<Void> listed)
            implements ResourceEventHandler<Namespace> {

        @Override
        public void onList(String resourceVersion, boolean remainedEmpty) {
            listed.complete(null);
        }

        @Override
        public void onAdd(Namespace namespace) {
            defaults.put(
                    namespace.getMetadata().getName(),
                    Optional.ofNullable(namespace.getMetadata().getAnnotations())
                            .orElse(Map.of()));
        }

        @Override
        public void onUpdate(Namespace before, Namespace namespace) {
            onAdd(namespace);
        }

        @Override
        public void onDelete(Namespace namespace, boolean unknownFinalState) {
            defaults.remove(namespace.getMetadata().getName());
        }
    }

    @Override
    public void close() {
        namespaces.stop();
    }
}

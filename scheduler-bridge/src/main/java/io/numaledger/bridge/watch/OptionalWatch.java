package io.numaledger.bridge.watch;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.bridge.client.Pages;
import io.numaledger.cli.Failures;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.HttpURLConnection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Watches objects of a kind that a cluster may not have: of the cluster, or in all namespaces. */
final class OptionalWatch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(OptionalWatch.class);
    private static final KubernetesSerialization TYPED = new KubernetesSerialization();

    /** What becomes of the objects. */
    interface Listener {

        /** The kind is defined, and all objects were reported. */
        default void listed() {}

        /** @throws IllegalArgumentException for an object that cannot be read */
        void seen(JsonNode object);

        /** @param namespace empty for objects of the cluster */
        void gone(String namespace, String name);
    }

    private final KubernetesClient client;
    private final List<ResourceDefinitionContext> versions;
    private final Listener listener;
    private Optional<SharedIndexInformer<GenericKubernetesResource>> informer = Optional.empty();

    /** @param versions of one kind; the first one that the cluster has is used */
    OptionalWatch(KubernetesClient client, List<ResourceDefinitionContext> versions, Listener listener) {
        this.client = client;
        this.versions = List.copyOf(versions);
        this.listener = listener;
    }

    static ResourceDefinitionContext namespaced(String group, String version, String kind, String plural) {
        return definition(group, version, kind, plural, true);
    }

    static ResourceDefinitionContext ofCluster(String group, String version, String kind, String plural) {
        return definition(group, version, kind, plural, false);
    }

    private static ResourceDefinitionContext definition(
            String group, String version, String kind, String plural, boolean namespaced) {
        return new ResourceDefinitionContext.Builder()
                .withGroup(group)
                .withVersion(version)
                .withKind(kind)
                .withPlural(plural)
                .withNamespaced(namespaced)
                .build();
    }

    /**
     * Starts to watch, unless the definition is missing or the watch runs already. Completes when all objects were reported, or there is
     * nothing to watch. Call it again from time to time: the kind may be defined later.
     */
    synchronized CompletableFuture<Void> start() {
        Optional<ResourceDefinitionContext> version = informer.isPresent()
                ? Optional.empty()
                : versions.stream().filter(this::isDefined).findFirst();
        if (version.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> listed = new CompletableFuture<>();
        SharedIndexInformer<GenericKubernetesResource> started = client.genericKubernetesResources(version.get())
                .inAnyNamespace()
                .withLimit(Pages.LIMIT)
                .runnableInformer(0)
                .itemStore(new KeyOnlyStore<>(GenericKubernetesResource::new))
                .addEventHandler(new Handler(listed))
                .exceptionHandler((hasListed, failure) -> {
                    log.warn("event=watch.failed kind={} error=\"{}\"", kind(), Failures.reason(failure));
                    return !has(failure, HttpURLConnection.HTTP_NOT_FOUND)
                            && (hasListed || !has(failure, HttpURLConnection.HTTP_FORBIDDEN));
                });
        informer = Optional.of(started);
        var unused = started.stopped().whenComplete((done, failure) -> {
            stopped();
            listed.complete(null);
        });
        unused = started.start().toCompletableFuture().exceptionally(failure -> null);
        return listed;
    }

    private String kind() {
        return versions.get(0).getKind();
    }

    private static boolean has(Throwable failure, int code) {
        return failure instanceof KubernetesClientException refused && refused.getCode() == code;
    }

    private synchronized void stopped() {
        informer = Optional.empty();
    }

    private boolean isDefined(ResourceDefinitionContext version) {
        try {
            return Optional.ofNullable(client.getApiResources(version.getGroup() + "/" + version.getVersion())).stream()
                    .flatMap(list -> list.getResources().stream())
                    .anyMatch(resource -> resource.getName().equals(version.getPlural()));
        } catch (KubernetesClientException e) {
            log.debug("event=watch.failed kind={} error=\"{}\"", kind(), Failures.reason(e));
            return false;
        }
    }

    private final class Handler implements ResourceEventHandler<GenericKubernetesResource> {

        private final CompletableFuture<Void> listed;

        Handler(CompletableFuture<Void> listed) {
            this.listed = listed;
        }

        @Override
        public void onList(String resourceVersion, boolean remainedEmpty) {
            listener.listed();
            listed.complete(null);
        }

        @Override
        public void onAdd(GenericKubernetesResource object) {
            try {
                listener.seen(TYPED.convertValue(object, JsonNode.class));
            } catch (IllegalArgumentException e) {
                log.warn(
                        "event=object.unreadable kind={} object={}/{} error=\"{}\"",
                        kind(),
                        object.getMetadata().getNamespace(),
                        object.getMetadata().getName(),
                        e.getMessage());
            }
        }

        @Override
        public void onUpdate(GenericKubernetesResource before, GenericKubernetesResource object) {
            onAdd(object);
        }

        @Override
        public void onDelete(GenericKubernetesResource object, boolean unknownFinalState) {
            listener.gone(
                    Optional.ofNullable(object.getMetadata().getNamespace()).orElse(""),
                    object.getMetadata().getName());
        }
    }

    @Override
    public void close() {
        Optional<SharedIndexInformer<GenericKubernetesResource>> running;
        synchronized (this) {
            running = informer;
        }
        running.ifPresent(SharedIndexInformer::stop);
    }
}

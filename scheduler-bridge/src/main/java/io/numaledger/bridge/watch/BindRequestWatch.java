package io.numaledger.bridge.watch;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.bridge.objects.BindRequest;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.cli.Failures;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.HttpURLConnection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Watches the BindRequests of KAI-Scheduler, where their definition is installed, so that pods which its binder has not bound yet are
 * charged on their nodes.
 */
final class BindRequestWatch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(BindRequestWatch.class);
    private static final KubernetesSerialization TYPED = new KubernetesSerialization();
    static final ResourceDefinitionContext BIND_REQUESTS = new ResourceDefinitionContext.Builder()
            .withGroup("scheduling.run.ai")
            .withVersion("v1alpha2")
            .withKind("BindRequest")
            .withPlural("bindrequests")
            .withNamespaced(true)
            .build();

    private final KubernetesClient client;
    private final ClusterState cluster;
    private Optional<SharedIndexInformer<GenericKubernetesResource>> informer = Optional.empty();

    BindRequestWatch(KubernetesClient client, ClusterState cluster) {
        this.client = client;
        this.cluster = cluster;
    }

    /**
     * Starts to watch, unless the definition is missing or the watch runs already. Completes when the cluster state has all requests, or
     * there is nothing to watch. Call it again from time to time: KAI-Scheduler may be installed later.
     */
    synchronized CompletableFuture<Void> start() {
        if (informer.isPresent() || !isDefined()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> listed = new CompletableFuture<>();
        SharedIndexInformer<GenericKubernetesResource> started = client.genericKubernetesResources(BIND_REQUESTS)
                .inAnyNamespace()
                .runnableInformer(0)
                .addEventHandler(new Handler(listed))
                .exceptionHandler((hasListed, failure) -> {
                    log.warn("event=watch.failed kind=BindRequest error=\"{}\"", Failures.reason(failure));
                    return hasListed && !isGone(failure);
                });
        informer = Optional.of(started);
        var unused = started.stopped().whenComplete((done, failure) -> {
            stopped();
            listed.complete(null);
        });
        unused = started.start().toCompletableFuture().exceptionally(failure -> null);
        return listed;
    }

    private static boolean isGone(Throwable failure) {
        return failure instanceof KubernetesClientException refused
                && refused.getCode() == HttpURLConnection.HTTP_NOT_FOUND;
    }

    private synchronized void stopped() {
        informer = Optional.empty();
    }

    private boolean isDefined() {
        try {
            return Optional.ofNullable(client.getApiResources("scheduling.run.ai/v1alpha2")).stream()
                    .flatMap(list -> list.getResources().stream())
                    .anyMatch(resource -> resource.getName().equals(BIND_REQUESTS.getPlural()));
        } catch (KubernetesClientException e) {
            log.debug("event=watch.failed kind=BindRequest error=\"{}\"", Failures.reason(e));
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
            listed.complete(null);
        }

        @Override
        public void onAdd(GenericKubernetesResource object) {
            try {
                cluster.bindRequestChanged(read(object));
            } catch (IllegalArgumentException e) {
                log.warn(
                        "event=bindrequest.unreadable pod={}/{} error=\"{}\"",
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
            // KAI-Scheduler names a request after its pod.
            cluster.bindRequestDeleted(object.getMetadata().getNamespace() + "/"
                    + object.getMetadata().getName());
        }
    }

    private static BindRequest read(GenericKubernetesResource object) {
        return BindRequest.read(TYPED.convertValue(object, JsonNode.class));
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

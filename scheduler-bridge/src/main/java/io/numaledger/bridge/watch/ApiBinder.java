package io.numaledger.bridge.watch;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.annotation.Annotations;
import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.bridge.extender.Binder;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.objects.ClaimReader;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.Optional;

/** Writes bindings to the API server. */
public final class ApiBinder implements Binder {

    private static final ObjectMapper JSON = new ObjectMapper();
    private final KubernetesClient client;

    public ApiBinder(KubernetesClient client) {
        this.client = client;
    }

    /** The API server copies a Binding's annotations to the pod (pkg/registry/core/pod/storage, assignPod). */
    @Override
    public void bind(PodFacts pod, String node, Optional<PredictedPlacement> predicted) throws IOException {
        ObjectNode binding = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Binding");
        ObjectNode metadata = binding.putObject("metadata")
                .put("name", pod.name())
                .put("namespace", pod.namespace())
                .put("uid", pod.uid().orElseThrow());
        ObjectNode annotations = metadata.putObject("annotations");
        predicted
                .filter(any -> !any.placement().isEmpty())
                .ifPresent(any -> annotations.put(Annotations.PREDICTED, ObservedPlacementText.write(any.placement())));
        predicted
                .flatMap(any -> any.allocation().text())
                .ifPresent(text -> annotations.put(Annotations.PLACEMENT_PREDICTED, text));
        binding.putObject("target").put("apiVersion", "v1").put("kind", "Node").put("name", node);
        try {
            client.raw("/api/v1/namespaces/%s/pods/%s/binding".formatted(pod.namespace(), pod.name()), "POST", binding);
        } catch (KubernetesClientException e) {
            String message = "cannot bind: pod=%s node=%s: %s; the scheduler will retry the pod"
                    .formatted(pod.key(), node, e.getMessage());
            boolean refused = e.getCode() >= HttpURLConnection.HTTP_BAD_REQUEST
                    && e.getCode() < HttpURLConnection.HTTP_INTERNAL_ERROR
                    && e.getCode() != HttpURLConnection.HTTP_CLIENT_TIMEOUT;
            throw refused ? new RefusedException(message, e) : new IOException(message, e);
        }
    }

    @Override
    public Optional<PodFacts> read(String namespace, String name, String uid) throws IOException {
        PodObject pod;
        try {
            pod = client.resources(PodObject.class)
                    .inNamespace(namespace)
                    .withName(name)
                    .get();
        } catch (KubernetesClientException e) {
            throw new IOException(
                    "cannot read the pod: pod=%s/%s: %s; the scheduler will retry the pod"
                            .formatted(namespace, name, e.getMessage()),
                    e);
        }
        return Optional.ofNullable(pod)
                .filter(current -> uid.equals(current.getMetadata().getUid()))
                .map(current -> new ObjectReader().pod(current));
    }

    @Override
    public Optional<ResourceClaim> readClaim(String namespace, String name) throws IOException {
        try {
            return claim(client, namespace, name).map(ApiBinder::claim);
        } catch (KubernetesClientException | IllegalArgumentException e) {
            throw new IOException(
                    "cannot read a claim of the pod: claim=%s/%s: %s; the scheduler will retry the pod"
                            .formatted(namespace, name, e.getMessage()),
                    e);
        }
    }

    /** Reads a claim as a list of one: the bridge may list claims, for its watch. */
    static Optional<GenericKubernetesResource> claim(KubernetesClient client, String namespace, String name) {
        return client
                .genericKubernetesResources(ClaimWatch.CLAIMS)
                .inNamespace(namespace)
                .withField("metadata.name", name)
                .list()
                .getItems()
                .stream()
                .findFirst();
    }

    /** @throws IllegalArgumentException if it cannot be read */
    static ResourceClaim claim(GenericKubernetesResource object) {
        return ClaimReader.claim(JSON.valueToTree(object));
    }
}

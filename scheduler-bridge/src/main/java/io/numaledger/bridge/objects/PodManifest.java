package io.numaledger.bridge.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;
import io.numaledger.resource.Quantity;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A pod that a manifest describes: a Pod, or the template of a workload such as a Deployment, under the workload's name.
 *
 * @param json the Pod
 */
public record PodManifest(PodFacts pod, String json) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final KubernetesSerialization TYPED = new KubernetesSerialization();
    private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final List<String> TEMPLATES =
            List.of("/spec/template", "/spec/jobTemplate/spec/template", "/template");

    /** The same for pods that are in the namespace {@code default} if they name none. */
    private static List<PodManifest> readAll(String text) throws IOException {
        return readAll(text, "default");
    }

    /**
     * The pods of all documents. Objects without pods, such as Services, are skipped.
     *
     * @param text YAML or JSON
     * @param namespace of pods that name none
     * @throws IOException if a pod is unusable, or there is none; the message says which object
     */
    public static List<PodManifest> readAll(String text, String namespace) throws IOException {
        List<PodManifest> manifests = new ArrayList<>();
        TreeSet<String> others = new TreeSet<>();
        for (JsonNode document : Documents.read(text)) {
            Optional<ObjectNode> pod = pod(document);
            if (pod.isPresent()) {
                ObjectNode metadata = pod.get().withObject("/metadata");
                if (!metadata.has("namespace")) {
                    metadata.put("namespace", namespace);
                }
                manifests.add(of(document, pod.get()));
            } else {
                others.add(document.path("kind").asText("an object without kind"));
            }
        }
        if (manifests.isEmpty()) {
            throw new IOException(
                    "no Pod in the manifest%s; use a Pod, or an object with a pod template such as a Deployment"
                            .formatted(others.isEmpty() ? ": it is empty" : ": found " + String.join(", ", others)));
        }
        return manifests;
    }

    /** The same for a text with one pod. */
    public static PodManifest read(String text) throws IOException {
        List<PodManifest> manifests = readAll(text);
        if (manifests.size() > 1) {
            throw new IOException("%d pods in the manifest; send one at a time".formatted(manifests.size()));
        }
        return manifests.get(0);
    }

    private static Optional<ObjectNode> pod(JsonNode document) {
        if (document.path("kind").asText().equals("Pod")) {
            return Optional.of((ObjectNode) document);
        }
        return TEMPLATES.stream()
                .map(document::at)
                .filter(template -> template.path("spec").isObject())
                .findFirst()
                .map(template -> ofTemplate(document, template));
    }

    private static ObjectNode ofTemplate(JsonNode workload, JsonNode template) {
        ObjectNode pod = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Pod");
        ObjectNode metadata =
                template.path("metadata").isObject() ? template.path("metadata").deepCopy() : JSON.createObjectNode();
        metadata.set("name", workload.path("metadata").path("name"));
        if (workload.path("metadata").has("namespace")) {
            metadata.set("namespace", workload.path("metadata").path("namespace"));
        }
        pod.set("metadata", metadata);
        pod.set("spec", template.path("spec"));
        return pod;
    }

    private static PodManifest of(JsonNode document, ObjectNode pod) throws IOException {
        try {
            PodFacts facts = new ObjectReader().pod(TYPED.convertValue(pod, PodObject.class));
            check(facts);
            return new PodManifest(facts, pod.toString());
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "not a usable %s: name=%s: %s"
                            .formatted(
                                    document.path("kind").asText(),
                                    document.path("metadata").path("name").asText(),
                                    firstLine(e)),
                    e);
        }
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    /** What the API server would refuse, and what would make an explanation false. */
    private static void check(PodFacts pod) {
        if (pod.request().containers().isEmpty()) {
            throw new IllegalArgumentException("it has no containers; add spec.containers");
        }
        for (ContainerRequest container : pod.request().inAllocationOrder()) {
            check("container " + container.name(), container.resources());
        }
        pod.request().overhead().forEach((resource, amount) -> check("spec.overhead", resource, amount));
        pod.request().podLevel().ifPresent(resources -> check("spec.resources", resources));
    }

    private static void check(String where, Resources resources) {
        resources.requests().forEach((resource, amount) -> check(where, resource, amount));
        resources.limits().forEach((resource, amount) -> check(where, resource, amount));
        resources.requests().forEach((resource, request) -> {
            RequestedAmount limit = resources.limits().getOrDefault(resource, request);
            if (request.compareTo(limit) > 0) {
                throw new IllegalArgumentException("%s: the request of %s is %s, and its limit %s; lower the request"
                        .formatted(where, resource, request, limit));
            }
        });
    }

    private static void check(String where, String resource, RequestedAmount amount) {
        BigDecimal value = Quantity.parse(amount.toString());
        if (value.signum() < 0 || value.compareTo(LARGEST) > 0) {
            throw new IllegalArgumentException(
                    "%s: %s is %s; expected 0 or more, below 2^63".formatted(where, resource, amount));
        }
    }
}

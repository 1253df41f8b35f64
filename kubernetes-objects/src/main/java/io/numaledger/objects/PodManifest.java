package io.numaledger.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;
import io.numaledger.resource.Quantity;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A pod that a manifest describes: a Pod, or the template of a workload such as a Deployment, under the workload's name.
 *
 * @param json the Pod
 * @param templates of the claims that would be made for it
 * @param claims those, as if they were made
 */
public record PodManifest(PodFacts pod, String json, List<JsonNode> templates, List<ResourceClaim> claims) {

    private static final KubernetesSerialization TYPED = new KubernetesSerialization();
    private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final List<String> TEMPLATES =
            List.of("/spec/template", "/spec/jobTemplate/spec/template", "/template");

    /** What a pod takes from its workload's metadata. */
    private static final List<String> IDENTITY = List.of("name", "generateName", "namespace");

    /**
     * One pod that an API server has read: it may have fields that are not known here.
     *
     * @throws IOException if it is unusable; the message says why
     */
    public static PodManifest read(String text) throws IOException {
        List<JsonNode> documents = Documents.read(text);
        if (documents.size() > 1) {
            throw new IOException("%d objects in the manifest; send one at a time".formatted(documents.size()));
        }
        TreeSet<String> others = new TreeSet<>();
        for (JsonNode document : documents) {
            Optional<ObjectNode> pod = template(document).map(template -> pod(document, template));
            if (pod.isPresent()) {
                return of(document, pod.get());
            }
            others.add(document.path("kind").asText("an object without kind"));
        }
        throw none(others);
    }

    /** @param others kinds of objects without pods */
    public static IOException none(TreeSet<String> others) {
        return new IOException(
                "no Pod in the manifest%s; use a Pod, or an object with a pod template such as a Deployment"
                        .formatted(others.isEmpty() ? ": it is empty" : ": found " + String.join(", ", others)));
    }

    /** Where an object has its pod, a JSON pointer, empty for a Pod; absent: it has none. */
    public static Optional<String> template(JsonNode object) {
        return object.path("kind").asText().equals("Pod")
                ? Optional.of("")
                : TEMPLATES.stream()
                        .filter(template -> object.at(template).path("spec").isObject())
                        .findFirst();
    }

    /** The pod there, under the object's name. */
    public static ObjectNode pod(JsonNode object, String template) {
        if (template.isEmpty()) {
            return object.deepCopy();
        }
        ObjectNode pod = object.at(template).deepCopy();
        pod.put("apiVersion", "v1").put("kind", "Pod");
        ObjectNode metadata = pod.path("metadata").isObject() ? pod.withObject("/metadata") : pod.putObject("metadata");
        IDENTITY.forEach(field -> {
            metadata.remove(field);
            Optional.ofNullable(object.path("metadata").get(field)).ifPresent(value -> metadata.set(field, value));
        });
        return pod;
    }

    /** @param object for messages: the one that has the pod */
    public static PodManifest of(JsonNode object, ObjectNode pod) throws IOException {
        try {
            removeNulls(pod);
            PodFacts facts = new ObjectReader().pod(TYPED.convertValue(pod, PodObject.class));
            if (facts.request().containers().isEmpty()) {
                throw new IllegalArgumentException("it has no containers; add spec.containers");
            }
            List<String> broken = ResourceRules.broken(pod.path("spec"));
            if (!broken.isEmpty()) {
                throw new IllegalArgumentException(String.join(", ", broken));
            }
            check(facts);
            return new PodManifest(facts, pod.toString(), List.of(), List.of());
        } catch (IllegalArgumentException e) {
            throw unusable(object, JsonFault.of(e));
        }
    }

    /**
     * The pod with the claims that would be made for it.
     *
     * @param templates ResourceClaimTemplates of its namespace; those that it does not name are skipped
     */
    public PodManifest withTemplates(List<JsonNode> templates) throws IOException {
        Map<String, JsonNode> byName = new HashMap<>();
        templates.forEach(template -> byName.put(template.at("/metadata/name").asText(), template));
        byName.remove("");
        if (byName.isEmpty()) {
            return this;
        }
        ObjectNode described = (ObjectNode) Documents.read(json).get(0);
        ObjectNode status = described.get("status") instanceof ObjectNode known ? known : described.putObject("status");
        ArrayNode made = status.putArray("resourceClaimStatuses");
        Map<String, ResourceClaim> read = new HashMap<>();
        List<ResourceClaim> all = new ArrayList<>();
        for (JsonNode claim : described.at("/spec/resourceClaims")) {
            String template = claim.path("resourceClaimTemplateName").asText();
            if (byName.containsKey(template)) {
                String name = pod.name() + "-" + claim.path("name").asText();
                made.addObject().put("name", claim.path("name").asText()).put("resourceClaimName", name);
                all.add(read.computeIfAbsent(
                                template, any -> ClaimReader.ofTemplate(byName.get(template), pod.namespace(), name))
                        .named(name));
            }
        }
        return new PodManifest(of(described, described).pod(), json, List.copyOf(byName.values()), all);
    }

    public static IOException unusable(JsonNode object, String why) {
        return new IOException("not a usable %s: name=%s: %s"
                .formatted(
                        object.path("kind").asText("object"),
                        object.path("metadata").path("name").asText(),
                        why));
    }

    /** A null field is as good as none. */
    private static void removeNulls(JsonNode tree) {
        if (tree instanceof ObjectNode object) {
            object.properties().removeIf(each -> each.getValue().isNull());
        }
        tree.forEach(PodManifest::removeNulls);
    }

    /** Amounts that no node has make an explanation false. */
    private static void check(PodFacts pod) {
        for (ContainerRequest container : pod.request().inAllocationOrder()) {
            check("container " + container.name(), container.resources());
        }
        pod.request().overhead().forEach((resource, amount) -> check("spec.overhead", resource, amount));
        pod.request().podLevel().ifPresent(resources -> check("spec.resources", resources));
    }

    private static void check(String where, Resources resources) {
        resources.requests().forEach((resource, amount) -> check(where, resource, amount));
        resources.limits().forEach((resource, amount) -> check(where, resource, amount));
    }

    private static void check(String where, String resource, RequestedAmount amount) {
        if (Quantity.parse(amount.toString()).compareTo(LARGEST) > 0) {
            throw new IllegalArgumentException(
                    "%s: %s is %s; expected less than 2^63".formatted(where, resource, amount));
        }
    }
}

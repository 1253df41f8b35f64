package io.numaledger.kubectl.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.objects.PodManifest;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The pod of a manifest that nobody has checked yet.
 *
 * @param object the one that has the pod, such as a Deployment
 * @param template where, a JSON pointer; empty for a Pod
 * @param pod the Pod, under the object's name, with a namespace
 * @param claimTemplates the ResourceClaimTemplates of its namespace that are described beside it
 */
public record DescribedPod(JsonNode object, String template, ObjectNode pod, List<JsonNode> claimTemplates) {

    private static final List<String> METADATA = List.of("labels", "annotations");

    DescribedPod beside(List<JsonNode> templates) {
        return new DescribedPod(object, template, pod, templates);
    }

    /** The ResourceClaimTemplates that the pod names and that are not described beside it. */
    Set<String> otherClaimTemplates() {
        Set<String> named = new TreeSet<>();
        pod.at("/spec/resourceClaims")
                .forEach(claim ->
                        named.add(claim.path("resourceClaimTemplateName").asText("")));
        named.remove("");
        claimTemplates.forEach(each -> named.remove(each.at("/metadata/name").asText()));
        return named;
    }

    public String namespace() {
        return pod.at("/metadata/namespace").asText();
    }

    public String name() {
        return pod.at("/metadata/name").asText(pod.at("/metadata/generateName").asText());
    }

    /**
     * The pod as it was written.
     *
     * @throws IOException if the API server would refuse it, as far as that can be told without one
     */
    public PodManifest checked() throws IOException {
        require(new ManifestFields().ofPod(object, template));
        require(PodRules.broken(pod));
        return PodManifest.of(object, pod).withTemplates(claimTemplates);
    }

    private void require(List<String> faults) throws IOException {
        if (!faults.isEmpty()) {
            throw refused(String.join(", ", faults));
        }
    }

    /** A request to create the pod. Its name is not taken yet. */
    public ObjectNode request() {
        ObjectNode request = pod.deepCopy();
        ObjectNode metadata = request.withObject("/metadata");
        metadata.put("generateName", name() + "-").remove(List.of("name", "uid", "resourceVersion"));
        request.remove("status");
        return request;
    }

    /** The pod as the API server would store it: with defaults, and what admission added. */
    public PodManifest admitted(JsonNode answer) throws IOException {
        ObjectNode admitted = pod.deepCopy();
        admitted.remove("status");
        admitted.set("spec", answer.path("spec"));
        for (String field : METADATA) {
            Optional.ofNullable(answer.path("metadata").get(field))
                    .ifPresent(value -> admitted.withObject("/metadata").set(field, value));
        }
        return PodManifest.of(object, admitted).withTemplates(claimTemplates);
    }

    /** @param why in the words of an API server */
    public IOException refused(String why) {
        return PodManifest.unusable(object, why);
    }
}

package io.numaledger.kubectl.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.objects.Documents;
import io.numaledger.objects.PodManifest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Reads manifests as kubectl does. */
public final class Manifests {

    private Manifests() {}

    /**
     * The pods of all objects, with the ResourceClaimTemplates beside them. Other objects without pods, such as Services, are skipped.
     *
     * @param text YAML or JSON
     * @param namespace of pods that name none
     * @throws IOException if an object is none that an API server reads, or there is no pod; the message says which object and why
     */
    public static List<DescribedPod> read(String text, String namespace) throws IOException {
        ManifestFields fields = new ManifestFields();
        List<DescribedPod> pods = new ArrayList<>();
        List<JsonNode> claimTemplates = new ArrayList<>();
        TreeSet<String> others = new TreeSet<>();
        for (JsonNode object : Documents.read(text)) {
            Optional<String> template = PodManifest.template(object);
            List<String> faults = fields.ofObject(object, template);
            if (!faults.isEmpty()) {
                throw PodManifest.unusable(object, String.join(", ", faults));
            }
            if (template.isPresent()) {
                pods.add(new DescribedPod(object, template.get(), pod(object, template.get(), namespace), List.of()));
            } else {
                if (isClaimTemplate(object)) {
                    claimTemplates.add(object);
                }
                others.add(object.path("kind").asText());
            }
        }
        if (pods.isEmpty()) {
            throw PodManifest.none(others);
        }
        return pods.stream()
                .map(pod -> pod.beside(claimTemplates.stream()
                        .filter(each ->
                                each.at("/metadata/namespace").asText(namespace).equals(pod.namespace()))
                        .toList()))
                .toList();
    }

    private static boolean isClaimTemplate(JsonNode object) {
        return object.path("kind").asText().equals("ResourceClaimTemplate")
                && object.path("apiVersion").asText().startsWith("resource.k8s.io/");
    }

    private static ObjectNode pod(JsonNode object, String template, String namespace) throws IOException {
        if (!object.path("metadata").isObject()) {
            throw PodManifest.unusable(object, "metadata.name: Required value: name or generateName is required");
        }
        ObjectNode pod = PodManifest.pod(object, template);
        if (!pod.path("metadata").hasNonNull("namespace")) {
            pod.withObject("/metadata").put("namespace", namespace);
        }
        return pod;
    }
}

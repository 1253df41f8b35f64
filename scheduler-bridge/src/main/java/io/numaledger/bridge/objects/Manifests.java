package io.numaledger.bridge.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Reads manifests as {@code kubectl create --validate=strict} does, as far as it matters for where a pod fits. */
public final class Manifests {

    private Manifests() {}

    /**
     * The pods of all objects. Objects without pods, such as Services, are skipped.
     *
     * @param text YAML or JSON
     * @param namespace of pods that name none
     * @throws IOException if the API server would refuse an object, or there is no pod; the message says which object and why
     */
    public static List<PodManifest> read(String text, String namespace) throws IOException {
        ManifestFields fields = new ManifestFields();
        List<PodManifest> manifests = new ArrayList<>();
        TreeSet<String> others = new TreeSet<>();
        for (JsonNode object : Documents.read(text)) {
            Optional<String> template = PodManifest.template(object);
            require(object, fields.faults(object, template.orElse("")));
            if (template.isPresent()) {
                manifests.add(read(object, template.get(), namespace));
            } else {
                others.add(object.path("kind").asText());
            }
        }
        if (manifests.isEmpty()) {
            throw PodManifest.none(others);
        }
        return manifests;
    }

    private static PodManifest read(JsonNode object, String template, String namespace) throws IOException {
        ObjectNode pod = PodManifest.pod(object, template);
        if (!pod.path("metadata").hasNonNull("namespace")) {
            pod.withObject("/metadata").put("namespace", namespace);
        }
        require(object, PodRules.broken(pod));
        return PodManifest.of(object, pod);
    }

    private static void require(JsonNode object, List<String> faults) throws IOException {
        if (!faults.isEmpty()) {
            throw PodManifest.unusable(object, String.join(", ", faults));
        }
    }
}

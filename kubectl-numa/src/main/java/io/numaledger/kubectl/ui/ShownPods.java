package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.kubectl.client.Kubectl;
import io.numaledger.kubectl.client.KubectlException;
import io.numaledger.kubectl.zones.ClusterSource;
import io.numaledger.objects.Documents;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Pods and Events as the API server has them, as far as the user may list them: of all namespaces, or else of one. */
final class ShownPods {

    private static final String WAITING = "pods?fieldSelector=spec.nodeName%3D%2Cstatus.phase%3DPending";
    private static final String FAILED = "pods?fieldSelector=status.phase%3DFailed";

    /** The Events that the bridge writes. */
    private static final String EVENTS = "events?fieldSelector=source%3Dnumaledger-bridge";

    private final ClusterSource cluster;

    ShownPods(ClusterSource cluster) {
        this.cluster = cluster;
    }

    /**
     * What could be read.
     *
     * @param left what could not, and why
     */
    record Listed(List<JsonNode> objects, Optional<String> left) {}

    /** The pods that no scheduler has bound. */
    Listed waiting() throws IOException {
        return listed(
                WAITING, pod -> phase(pod).equals("Pending") && !pod.at("/spec").has("nodeName"));
    }

    Listed failed() throws IOException {
        return listed(FAILED, pod -> phase(pod).equals("Failed"));
    }

    /** The bridge's Events; a dump has none. */
    Listed events() throws IOException {
        return cluster.dump().isPresent()
                ? new Listed(List.of(), Optional.of("a dump has no Events"))
                : listed(EVENTS, any -> true);
    }

    private static String phase(JsonNode pod) {
        return pod.at("/status/phase").asText("Pending");
    }

    private Listed listed(String query, Predicate<JsonNode> which) throws IOException {
        if (cluster.dump().isPresent()) {
            return new Listed(
                    Documents.read(Files.readString(cluster.dump().get())).stream()
                            .filter(each -> each.path("kind").asText().equals("Pod"))
                            .filter(which)
                            .toList(),
                    Optional.empty());
        }
        Kubectl kubectl = cluster.kubectl();
        try {
            return new Listed(all(kubectl, "/api/v1/" + query), Optional.empty());
        } catch (KubectlException e) {
            if (e.reason() != KubectlException.Reason.FORBIDDEN) {
                throw e;
            }
            return ofNamespace(kubectl, query, e);
        }
    }

    private Listed ofNamespace(Kubectl kubectl, String query, KubectlException forbidden) throws IOException {
        String namespace = cluster.namespace();
        String kind = query.substring(0, query.indexOf('?'));
        try {
            return new Listed(
                    all(kubectl, "/api/v1/namespaces/%s/%s".formatted(namespace, query)),
                    Optional.of("only %s of namespace %s are shown: %s".formatted(kind, namespace, forbidden.text())));
        } catch (KubectlException e) {
            return new Listed(List.of(), Optional.of("%s are not shown: %s".formatted(kind, e.text())));
        }
    }

    private static List<JsonNode> all(Kubectl kubectl, String path) throws IOException {
        List<JsonNode> objects = new ArrayList<>();
        String next = "";
        do {
            JsonNode part = kubectl.get(path + "&limit=500&continue=" + next);
            part.path("items").forEach(objects::add);
            next = part.at("/metadata/continue").asText();
        } while (!next.isEmpty());
        return objects;
    }
}

package io.numaledger.agent.cleanup;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.numaledger.agent.api.ApiException;
import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.api.Topologies;
import io.numaledger.annotation.Annotations;
import io.numaledger.nrt.gpu.NodeAnnotations;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Removes what agents wrote: annotations of pods and nodes, and NodeResourceTopology objects. */
final class Cleanup {

    private static final String TOPOLOGIES = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies";
    /** The labels that the chart gives to the agents' pods. */
    private static final String AGENTS = "app.kubernetes.io/name=numaledger,app.kubernetes.io/component=agent";

    private static final JsonFactory JSON = new JsonFactory();

    private final ApiServer api;
    private final boolean dryRun;
    private final Consumer<String> reported;

    /** @param reported receives one line per object */
    Cleanup(ApiServer api, boolean dryRun, Consumer<String> reported) {
        this.api = api;
        this.dryRun = dryRun;
        this.reported = reported;
    }

    /**
     * Looks for the pods of the chart's DaemonSet.
     *
     * @param node absent: on all of them
     * @throws IOException naming the agents that run
     */
    void requireNoAgents(Optional<String> node) throws IOException {
        String query = "?labelSelector=" + encoded(AGENTS)
                + node.map(name -> "&fieldSelector=" + encoded("spec.nodeName=" + name))
                        .orElse("");
        List<String> running = api.get("/api/v1/pods" + query, ObjectHead::list).stream()
                .map(pod -> pod.namespace() + "/" + pod.name())
                .toList();
        if (!running.isEmpty()) {
            throw new IOException(
                    "agents still run, and would write everything again: pods=%s; uninstall them first, or give --force"
                            .formatted(String.join(",", running)));
        }
    }

    /** @param node absent: all of them */
    void run(Optional<String> node) throws IOException {
        String ofNode = node.map(name -> "?fieldSelector=" + encoded("spec.nodeName=" + name))
                .orElse("");
        for (ObjectHead pod : api.get("/api/v1/pods" + ofNode, ObjectHead::list)) {
            SortedSet<String> ours = new TreeSet<>(List.of(Annotations.OBSERVED, Annotations.PLACEMENT));
            ours.retainAll(pod.annotations());
            remove("pod %s/%s".formatted(pod.namespace(), pod.name()), path(pod), pod, ours);
        }
        String named = node.map(name -> "?fieldSelector=" + encoded("metadata.name=" + name))
                .orElse("");
        for (ObjectHead each : api.get("/api/v1/nodes" + named, ObjectHead::list)) {
            SortedSet<String> ours = new TreeSet<>(each.annotations());
            ours.removeIf(key -> !key.startsWith(NodeAnnotations.PREFIX));
            remove("node " + each.name(), "/api/v1/nodes/" + each.name(), each, ours);
        }
        topologies(named);
    }

    private static String path(ObjectHead pod) {
        return "/api/v1/namespaces/%s/pods/%s".formatted(pod.namespace(), pod.name());
    }

    private void remove(String what, String path, ObjectHead head, SortedSet<String> keys) throws IOException {
        if (keys.isEmpty()) {
            return;
        }
        reported.accept(
                "%s: %s annotations %s".formatted(what, dryRun ? "would remove" : "removed", String.join(", ", keys)));
        if (!dryRun) {
            ignoringGone(() ->
                    api.patch(path, ApiServer.MERGE_PATCH, withoutAnnotations(head, keys), ApiServer::ignoreBody));
        }
    }

    /** Removes only objects whose zones an agent of ours has written last: another exporter may be at work. */
    private void topologies(String named) throws IOException {
        List<ObjectHead> found;
        try {
            found = api.get(TOPOLOGIES + named, ObjectHead::list);
        } catch (ApiException e) {
            if (e.status() == 404) {
                return;
            }
            throw e;
        }
        for (ObjectHead topology : found) {
            if (!topology.zoneManagers().contains(Topologies.FIELD_MANAGER)) {
                reported.accept("noderesourcetopology %s: kept, another program wrote it".formatted(topology.name()));
                continue;
            }
            reported.accept(
                    "noderesourcetopology %s: %s".formatted(topology.name(), dryRun ? "would delete" : "deleted"));
            if (!dryRun) {
                ignoringGone(() -> {
                    api.delete(TOPOLOGIES + "/" + topology.name());
                    return true;
                });
            }
        }
    }

    private interface Write {
        Object run() throws IOException;
    }

    private static void ignoringGone(Write write) throws IOException {
        try {
            write.run();
        } catch (ApiException e) {
            // Gone, or another instance of that name: ours went with it.
            if (e.status() != 404 && e.status() != 409 && e.status() != 422) {
                throw e;
            }
        }
    }

    private static String withoutAnnotations(ObjectHead head, SortedSet<String> keys) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeObjectFieldStart("metadata");
            json.writeStringField("uid", head.uid());
            json.writeObjectFieldStart("annotations");
            for (String key : keys) {
                json.writeNullField(key);
            }
            json.writeEndObject();
            json.writeEndObject();
            json.writeEndObject();
        }
        return text.toString();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}

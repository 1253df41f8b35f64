package io.numaledger.benchmarks.fleet;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.simulator.fleet.EventLog;
import io.numaledger.simulator.fleet.FleetNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/** Writes the objects of a fleet to etcd, where kube-apiserver finds them: a request for many objects, through etcd's JSON gateway. */
public record EtcdObjects(HttpClient http, URI url) {

    /** etcd takes 128 in a transaction, and 1.5 MiB (--max-txn-ops, --max-request-bytes). */
    private static final int OBJECTS_OF_A_REQUEST = 80;

    private static final ObjectMapper JSON = new ObjectMapper();

    /** No node has more pods than the first one. */
    public void write(List<FleetNode> nodes) {
        int step = Math.max(1, OBJECTS_OF_A_REQUEST / (2 + nodes.get(0).pods().size()));
        IntStream.rangeClosed(0, (nodes.size() - 1) / step)
                .parallel()
                .map(part -> part * step)
                .forEach(from -> send(nodes.subList(from, Math.min(nodes.size(), from + step)).stream()
                        .flatMap(node -> puts(node).stream())
                        .toList()));
    }

    private static List<String> puts(FleetNode node) {
        List<String> puts = new ArrayList<>(List.of(
                put("minions/" + node.name(), node.node()),
                put("topology.node.k8s.io/noderesourcetopologies/" + node.name(), node.topology())));
        node.pods().forEach(pod -> puts.add(put("pods/load/" + pod.name(), pod.running(EventLog.FIRST_VERSION))));
        return puts;
    }

    private static String put(String key, String object) {
        return "{\"requestPut\":{\"key\":\"%s\",\"value\":\"%s\"}}"
                .formatted(base64("/registry/" + key), base64(object(object).toString()));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A generated object with another UID, and without what else the server sets. */
    static ObjectNode object(String json) {
        try {
            ObjectNode object = (ObjectNode) JSON.readTree(json);
            ObjectNode metadata = object.withObject("/metadata");
            metadata.remove(List.of("managedFields", "resourceVersion"));
            metadata.put("uid", UUID.randomUUID().toString());
            return object;
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("a generated object is no JSON", e);
        }
    }

    private void send(List<String> puts) {
        HttpRequest request = HttpRequest.newBuilder(url.resolve("/v3/kv/txn"))
                .POST(BodyPublishers.ofString("{\"success\":[%s]}".formatted(String.join(",", puts))))
                .build();
        try {
            HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IllegalStateException(
                        "etcd refused objects: status=%d answer=%s".formatted(answer.statusCode(), answer.body()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write to etcd: url=%s; see its log".formatted(url), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while writing to etcd", e);
        }
    }
}

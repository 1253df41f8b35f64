package io.numaledger.bridge.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** As much of an API server as reading a cluster once needs: lists of the objects of some documents. */
final class ListingApi implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final Map<String, String> KINDS = Map.of(
            "/api/v1/nodes", "Node",
            "/api/v1/pods", "Pod",
            "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies", "NodeResourceTopology");

    private final HttpServer http;

    ListingApi(String documents) throws IOException {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        for (var kind : KINDS.entrySet()) {
            byte[] list = JSON.writeValueAsBytes(list(documents, kind.getValue()));
            http.createContext(kind.getKey(), exchange -> {
                try (exchange) {
                    exchange.getResponseHeaders().set("Content-Type", "application/json");
                    exchange.sendResponseHeaders(200, list.length);
                    exchange.getResponseBody().write(list);
                }
            });
        }
        http.start();
    }

    private static JsonNode list(String documents, String kind) throws IOException {
        ObjectNode list = JSON.createObjectNode().put("kind", kind + "List").put("apiVersion", "v1");
        ArrayNode items = list.putArray("items");
        try (MappingIterator<JsonNode> each = YAML.readerFor(JsonNode.class).readValues(documents)) {
            while (each.hasNextValue()) {
                JsonNode document = each.nextValue();
                if (document.path("kind").asText().equals(kind)) {
                    items.add(document);
                }
            }
        }
        return list;
    }

    Path kubeconfig(Path file) throws IOException {
        return Files.writeString(file, """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: u, user: {}}]
                contexts: [{name: x, context: {cluster: c, user: u}}]
                current-context: x
                """.formatted(http.getAddress().getPort()));
    }

    @Override
    public void close() {
        http.stop(0);
    }
}

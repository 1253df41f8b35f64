package io.numaledger.simulator.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Binding;
import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.simulator.workload.NodeResourcesFit;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A scheduler of one pod at a time, after the pattern of kube-scheduler: nodes that fit the pod by node-level requests, the one with the
 * most free CPU first. With a bridge, it calls the extender verbs {@code filter}, {@code prioritize} and {@code bind}.
 */
final class DemoScheduler {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final KubernetesClient client;
    private final Optional<URI> extender;
    private final HttpClient http = HttpClient.newHttpClient();

    DemoScheduler(KubernetesClient client, Optional<URI> extender) {
        this.client = client;
        this.extender = extender;
    }

    /** Binds the pod; returns its node, or nothing if it stays pending. */
    Optional<String> schedule(Pod pod) throws IOException, InterruptedException {
        List<String> sufficient = NodeResourcesFit.read(client).nodesFor(pod);
        if (extender.isEmpty()) {
            Optional<String> node = sufficient.stream().findFirst();
            node.ifPresent(name -> bind(pod, name));
            return node;
        }
        List<String> fitting = new ArrayList<>();
        call("filter", args(pod, sufficient)).path("NodeNames").forEach(node -> fitting.add(node.asText()));
        if (fitting.isEmpty()) {
            return Optional.empty();
        }
        String best = best(fitting, call("prioritize", args(pod, fitting)));
        ObjectNode binding = JSON.createObjectNode()
                .put("PodNamespace", pod.getMetadata().getNamespace())
                .put("PodName", pod.getMetadata().getName())
                .put("PodUID", pod.getMetadata().getUid())
                .put("Node", best);
        String error = call("bind", binding).path("Error").asText();
        if (!error.isEmpty()) {
            throw new IOException("the bridge did not bind a pod: pod=%s node=%s: %s"
                    .formatted(pod.getMetadata().getName(), best, error));
        }
        return Optional.of(best);
    }

    /** The node with the best score; of equal ones the first. */
    private static String best(List<String> nodes, JsonNode scores) {
        String best = nodes.get(0);
        int most = -1;
        for (String node : nodes) {
            for (JsonNode score : scores) {
                if (score.path("Host").asText().equals(node)
                        && score.path("Score").asInt() > most) {
                    best = node;
                    most = score.path("Score").asInt();
                }
            }
        }
        return best;
    }

    private void bind(Pod pod, String node) {
        Binding binding = new BindingBuilder()
                .withNewMetadata()
                .withName(pod.getMetadata().getName())
                .endMetadata()
                .withNewTarget()
                .withKind("Node")
                .withName(node)
                .endTarget()
                .build();
        client.raw(
                "/api/v1/namespaces/%s/pods/%s/binding"
                        .formatted(
                                pod.getMetadata().getNamespace(),
                                pod.getMetadata().getName()),
                "POST",
                binding);
    }

    private static ObjectNode args(Pod pod, List<String> nodes) {
        ObjectNode args = JSON.createObjectNode();
        args.set("Pod", JSON.valueToTree(pod));
        nodes.forEach(args.putArray("NodeNames")::add);
        return args;
    }

    private JsonNode call(String verb, ObjectNode body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(extender.orElseThrow().resolve("/" + verb))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                .build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException("the bridge answered with an error: verb=%s status=%d: %s"
                    .formatted(verb, answer.statusCode(), answer.body()));
        }
        return JSON.readTree(answer.body());
    }
}

package io.numaledger.bridge.extender;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.bridge.cluster.ObjectReader;
import io.numaledger.bridge.cluster.PodFacts;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What kube-scheduler asks in filter and prioritize (k8s.io/kube-scheduler, extender/v1, ExtenderArgs).
 *
 * @param nodes candidate → its Node object, where the scheduler sent full ones; in its order
 * @param full whether it did
 */
record ExtenderArgs(PodFacts pod, Map<String, Optional<JsonNode>> nodes, boolean full) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final KubernetesSerialization TYPED = new KubernetesSerialization();

    /** @throws IllegalArgumentException saying what is wrong with the text */
    static ExtenderArgs read(byte[] body) {
        JsonNode args;
        try {
            args = JSON.readTree(body);
        } catch (java.io.IOException e) {
            String why = e instanceof JsonProcessingException json ? json.getOriginalMessage() : e.getMessage();
            throw new IllegalArgumentException("malformed request: %s; send ExtenderArgs as JSON".formatted(why), e);
        }
        if (args == null || !args.isObject() || !args.path("Pod").isObject()) {
            throw new IllegalArgumentException("malformed request: it has no Pod; send ExtenderArgs as JSON");
        }
        PodFacts pod = ObjectReader.pod(TYPED.convertValue(args.get("Pod"), Pod.class));
        Map<String, Optional<JsonNode>> nodes = new LinkedHashMap<>();
        boolean full = !args.path("NodeNames").isArray();
        if (full) {
            args.path("Nodes")
                    .path("items")
                    .forEach(
                            node -> nodes.put(node.path("metadata").path("name").asText(), Optional.of(node)));
        } else {
            args.get("NodeNames").forEach(name -> nodes.put(name.asText(), Optional.empty()));
        }
        return new ExtenderArgs(pod, nodes, full);
    }
}

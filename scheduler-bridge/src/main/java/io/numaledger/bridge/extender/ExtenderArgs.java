package io.numaledger.bridge.extender;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeNames;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The request of filter and prioritize (k8s.io/kube-scheduler, extender/v1, ExtenderArgs).
 *
 * @param nominatedNode where others are evicted for the pod, as the scheduler says: it may know this before the watch shows it
 * @param names the candidates, in the scheduler's order
 * @param objects their Node objects, where the scheduler sent full ones; else empty
 * @param full whether it did
 */
record ExtenderArgs(
        PodFacts pod, Optional<String> nominatedNode, NodeNames names, List<JsonNode> objects, boolean full) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ObjectMapper TYPED = typed();

    /** Spreads consecutive numbers over all integers: 2^32 divided by the golden ratio (Knuth, volume 3, 6.4). */
    private static final int MIX = 0x9E3779B9;

    private static ObjectMapper typed() {
        ObjectMapper mapper = new ObjectMapper();
        var unused = new KubernetesSerialization(mapper, false); // tells the mapper how Kubernetes objects are written
        return mapper;
    }

    /**
     * Reads a request.
     *
     * @throws IllegalArgumentException saying what is wrong with the text
     */
    static ExtenderArgs read(byte[] body, ClusterState cluster, ObjectReader reader) {
        return read(body, cluster.nodeNames(), json -> ShownPod.find(json, cluster))
                .or(() -> read(
                        body,
                        cluster.nodeNames(),
                        json -> Optional.of(reader.pod(TYPED.readValue(json, PodObject.class)))))
                .orElseThrow(() ->
                        new IllegalArgumentException("malformed request: Pod is missing; send ExtenderArgs as JSON"));
    }

    /** @return absent without a pod */
    private static Optional<ExtenderArgs> read(byte[] body, NodeNames names, PodReader pod) {
        try (JsonParser json = JSON.getFactory().createParser(body)) {
            return new Reading(body, json, names, pod).args();
        } catch (IOException e) {
            String why = e instanceof JsonProcessingException wrong ? wrong.getOriginalMessage() : e.getMessage();
            throw new IllegalArgumentException("malformed request: %s; send ExtenderArgs as JSON".formatted(why), e);
        }
    }

    /** Reads a pod; absent: it does not find it. */
    @FunctionalInterface
    private interface PodReader {
        Optional<PodFacts> read(JsonParser json) throws IOException;
    }

    /** These arguments with the pod as the API server's watch shows it now. Before it does, the pod is that of the request. */
    ExtenderArgs shown(ClusterState cluster) {
        return new ExtenderArgs(cluster.pods().known(pod), cluster.nominated().nodeOf(pod), names, objects, full);
    }

    /** These arguments with other nodes. */
    ExtenderArgs naming(NodeNames others) {
        return new ExtenderArgs(pod, nominatedNode, others, objects, full);
    }

    /** A number that differs from pod to pod, also where names differ in a number only. */
    int seed() {
        return pod.uid().orElse(pod.key()).hashCode() * MIX;
    }

    /** Names and the pod are streamed. Only full nodes become trees. */
    private static final class Reading {

        private final byte[] body;
        private final JsonParser json;
        private final PodReader reader;
        private final NodeNames names;
        private final List<JsonNode> objects = new ArrayList<>();
        private boolean named;
        private Optional<PodFacts> pod = Optional.empty();

        Reading(byte[] body, JsonParser json, NodeNames names, PodReader reader) {
            this.body = body;
            this.reader = reader;
            this.json = json;
            this.names = names;
        }

        Optional<ExtenderArgs> args() throws IOException {
            if (json.nextToken() == JsonToken.START_OBJECT) {
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    field(json.currentName(), json.nextToken());
                }
            }
            return pod.map(found -> new ExtenderArgs(found, found.priority().nominatedNode(), names, objects, !named));
        }

        private void field(String name, JsonToken value) throws IOException {
            if (name.equals("Pod") && value == JsonToken.START_OBJECT) {
                pod = reader.read(json);
            } else if (name.equals("NodeNames") && value == JsonToken.START_ARRAY) {
                named = true;
                names();
            } else if (name.equals("Nodes") && value == JsonToken.START_OBJECT && !named) {
                JsonNode list = json.readValueAsTree();
                list.path("items").forEach(node -> {
                    objects.add(node);
                    names.add(node.path("metadata").path("name").asText());
                });
            } else {
                json.skipChildren();
            }
        }

        /** A parser makes characters of each name first. Here it only skips, and checks, what has been read already. */
        private void names() throws IOException {
            names.clear();
            if (readPlainNames((int) json.currentLocation().getByteOffset())) {
                json.skipChildren();
                return;
            }
            names.clear();
            while (json.nextToken() == JsonToken.VALUE_STRING) {
                names.add(json.getText());
            }
        }

        /**
         * Reads names without escapes, and without spaces between them, as Go writes them.
         *
         * @param start behind the opening bracket; negative: unknown
         * @return whether these are all of them, if the text is valid
         */
        private boolean readPlainNames(int start) {
            if (start < 0) {
                return false;
            }
            int at = start;
            while (isAt(at, '"')) {
                int end = endOfPlain(at + 1);
                if (!isAt(end, '"')) {
                    return false;
                }
                names.add(body, at + 1, end);
                at = isAt(end + 1, ',') ? end + 2 : end + 1;
            }
            return isAt(at, ']');
        }

        private boolean isAt(int at, char expected) {
            return at < body.length && body[at] == expected;
        }

        private int endOfPlain(int from) {
            int at = from;
            while (at < body.length && body[at] > '"' && body[at] != '\\') {
                at++;
            }
            return at;
        }
    }
}

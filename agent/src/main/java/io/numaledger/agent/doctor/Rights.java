package io.numaledger.agent.doctor;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.numaledger.agent.api.ApiException;
import io.numaledger.agent.api.ApiServer;
import io.numaledger.cli.Finding;

import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.function.Consumer;

/** The agent's rights, as the API server reports them in SelfSubjectAccessReviews. */
final class Rights {

    private static final String REVIEW = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    private static final String TOPOLOGY = "topology.node.k8s.io";
    private static final JsonFactory JSON = new JsonFactory();

    /** One right, and what is lost without it. */
    private record Right(String verb, String group, String resource, Finding.Level without, String effect) {

        String name() {
            return verb + " " + resource;
        }
    }

    private static final List<Right> NEEDED = List.of(
            new Right("list", "", "pods", Finding.Level.FAIL, "nothing can be published"),
            new Right("patch", "", "pods", Finding.Level.FAIL, "no placement is written on pods"),
            new Right("watch", "", "pods", Finding.Level.WARN, "the kubelet is polled once a second"),
            new Right("get", TOPOLOGY, "noderesourcetopologies", Finding.Level.WARN, "no NodeResourceTopology"),
            new Right("list", TOPOLOGY, "noderesourcetopologies", Finding.Level.WARN, "drift is seen late"),
            new Right("watch", TOPOLOGY, "noderesourcetopologies", Finding.Level.WARN, "drift is seen late"),
            new Right("create", TOPOLOGY, "noderesourcetopologies", Finding.Level.WARN, "no NodeResourceTopology"),
            new Right("patch", TOPOLOGY, "noderesourcetopologies", Finding.Level.WARN, "no NodeResourceTopology"),
            new Right("get", "", "nodes", Finding.Level.WARN, "no owner reference, and no address of the kubelet"),
            new Right("watch", "", "nodes", Finding.Level.WARN, "new device plugins are seen late"),
            new Right("patch", "", "nodes", Finding.Level.WARN, "no GPU topology on the Node"),
            new Right("get", "", "nodes/configz", Finding.Level.WARN, "the kubelet does not serve its configuration"));

    private Rights() {}

    /** Reports each right; false if the API server cannot be asked. */
    static boolean check(ApiServer api, String node, Consumer<Finding> found) {
        for (Right right : NEEDED) {
            try {
                boolean granted = api.post(REVIEW, question(right, node), Rights::allowed);
                found.accept(
                        granted
                                ? Finding.ok("right", right.name())
                                : new Finding(
                                        right.without(),
                                        "right",
                                        "%s is not granted: %s; grant it in the agent's ClusterRole"
                                                .formatted(right.name(), right.effect())));
            } catch (IOException e) {
                found.accept(Finding.fail("API server", String.valueOf(e.getMessage())));
                return e instanceof ApiException;
            }
        }
        return true;
    }

    private static String question(Right right, String node) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("apiVersion", "authorization.k8s.io/v1");
            json.writeStringField("kind", "SelfSubjectAccessReview");
            json.writeObjectFieldStart("spec");
            json.writeObjectFieldStart("resourceAttributes");
            json.writeStringField("verb", right.verb());
            json.writeStringField("group", right.group());
            String[] resource = right.resource().split("/", 2);
            json.writeStringField("resource", resource[0]);
            if (resource.length > 1) {
                json.writeStringField("subresource", resource[1]);
            }
            if (!resource[0].equals("pods")) {
                json.writeStringField("name", node);
            }
            json.writeEndObject();
            json.writeEndObject();
            json.writeEndObject();
        }
        return text.toString();
    }

    private static boolean allowed(JsonParser json) throws IOException {
        boolean allowed = false;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean status = json.currentName().equals("status");
            json.nextToken();
            if (!status) {
                json.skipChildren();
                continue;
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                boolean wanted = json.currentName().equals("allowed");
                json.nextToken();
                allowed = wanted ? json.getBooleanValue() : allowed;
                json.skipChildren();
            }
        }
        return allowed;
    }
}

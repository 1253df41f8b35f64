package io.numaledger.kubectl.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.view.ApiGroup;
import io.numaledger.cli.Finding;
import io.numaledger.kubectl.client.Kubectl;
import io.numaledger.kubectl.client.KubectlException;

import java.io.IOException;
import java.util.function.Consumer;

/** Whether the API server passes requests on to a bridge, and what the user may ask. */
final class ApiChecks {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String API = "API";
    private static final String SERVICE = ApiGroup.VERSION + "." + ApiGroup.NAME;

    private final Kubectl kubectl;
    private final Consumer<Finding> found;

    ApiChecks(Kubectl kubectl, Consumer<Finding> found) {
        this.kubectl = kubectl;
        this.found = found;
    }

    /** Whether there is an API server that can be asked. */
    boolean server() throws IOException {
        try {
            String version = kubectl.get("/version").path("gitVersion").asText();
            found.accept(Finding.ok("API server", version));
            return true;
        } catch (KubectlException e) {
            found.accept(Finding.fail("API server", e.line() + "; check with kubectl version"));
            return false;
        }
    }

    /**
     * Whether the API group may be asked.
     *
     * @param hasBridge whether the chart's bridge is in the cluster, as far as it is known
     */
    boolean aggregated(boolean hasBridge) throws IOException {
        try {
            JsonNode service = kubectl.get("/apis/apiregistration.k8s.io/v1/apiservices/" + SERVICE);
            boolean available = isAvailable(service);
            if (!available && !hasBridge) {
                found.accept(
                        Finding.fail(
                                "bridge",
                                "you see no pod of the chart's bridge; if its Deployment is scaled to 0, scale it up; until then, other commands of kubectl numa need --without-bridge"));
            }
            return available;
        } catch (KubectlException e) {
            if (e.reason() == KubectlException.Reason.NOT_FOUND) {
                found.accept(Finding.skip(
                        API,
                        (hasBridge
                                        ? "not enabled: there is no APIService %s; other commands of kubectl numa need --without-bridge, or bridge.aggregatedApi.enabled=true in the chart's values"
                                        : "not installed: there is no APIService %s and no bridge, as with mode=kai; other commands of kubectl numa need --without-bridge")
                                .formatted(SERVICE)));
                return false;
            }
            found.accept(
                    Finding.warn(API, "cannot read the APIService: " + e.line() + "; ask for the right to get it"));
            return true;
        }
    }

    private boolean isAvailable(JsonNode service) {
        JsonNode backend = service.at("/spec/service");
        String address = "%s/%s:%s"
                .formatted(
                        backend.path("namespace").asText(),
                        backend.path("name").asText(),
                        backend.path("port").asText("443"));
        for (JsonNode condition : service.at("/status/conditions")) {
            if (condition.path("type").asText().equals("Available")) {
                if (condition.path("status").asText().equals("True")) {
                    found.accept(Finding.ok(API, "%s is served by %s".formatted(SERVICE, address)));
                    return true;
                }
                found.accept(Finding.fail(
                        API,
                        "the APIService %s is not available: service=%s %s: %s; check that the bridge's pods are ready, and that network policies let the API server reach them"
                                .formatted(
                                        SERVICE,
                                        address,
                                        condition.path("reason").asText(),
                                        condition.path("message").asText())));
                return false;
            }
        }
        found.accept(Finding.warn(API, "the API server has not tried the APIService yet; retry"));
        return true;
    }

    /**
     * Whether the user has a right.
     *
     * @param group of the resource; empty: the core group
     * @param namespace empty: in the whole cluster
     * @param without what the user lacks, and what to do
     */
    boolean right(String verb, String group, String resource, String namespace, String without) throws IOException {
        ObjectNode review = JSON.createObjectNode()
                .put("apiVersion", "authorization.k8s.io/v1")
                .put("kind", "SelfSubjectAccessReview");
        review.putObject("spec")
                .putObject("resourceAttributes")
                .put("verb", verb)
                .put("group", group)
                .put("resource", resource)
                .put("namespace", namespace);
        boolean allowed = kubectl.create("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review)
                .at("/status/allowed")
                .asBoolean();
        String right = verb + " " + resource + (namespace.isEmpty() ? "" : " in " + namespace);
        found.accept(
                allowed
                        ? Finding.ok("right", right)
                        : Finding.warn("right", "%s is not granted: %s".formatted(right, without)));
        return allowed;
    }
}

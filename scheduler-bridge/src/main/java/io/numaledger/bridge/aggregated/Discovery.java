package io.numaledger.bridge.aggregated;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.view.ApiGroup;

import java.io.IOException;
import java.io.InputStream;

/** Which resources there are, as kube-apiserver and kubectl ask for it. */
final class Discovery {

    private static final ObjectMapper JSON = new ObjectMapper();

    private Discovery() {}

    /** {@code GET /apis}. */
    static ObjectNode groups() {
        ObjectNode list = JSON.createObjectNode().put("kind", "APIGroupList").put("apiVersion", "v1");
        list.putArray("groups").add(group());
        return list;
    }

    /** {@code GET /apis/numaledger.io}. */
    static ObjectNode group() {
        ObjectNode version = JSON.createObjectNode()
                .put("groupVersion", ApiGroup.GROUP_VERSION)
                .put("version", ApiGroup.VERSION);
        ObjectNode group = JSON.createObjectNode()
                .put("kind", "APIGroup")
                .put("apiVersion", "v1")
                .put("name", ApiGroup.NAME);
        group.putArray("versions").add(version);
        group.set("preferredVersion", version);
        return group;
    }

    /** {@code GET /apis/numaledger.io/v1alpha1}. */
    static ObjectNode resources() {
        ObjectNode list = JSON.createObjectNode()
                .put("kind", "APIResourceList")
                .put("apiVersion", "v1")
                .put("groupVersion", ApiGroup.GROUP_VERSION);
        var resources = list.putArray("resources");
        resources
                .addObject()
                .put("name", ApiGroup.EXPLANATIONS)
                .put("singularName", "explanation")
                .put("namespaced", true)
                .put("kind", "Explanation")
                .putArray("verbs")
                .add("create");
        resources
                .addObject()
                .put("name", ApiGroup.NODES)
                .put("singularName", "numanode")
                .put("namespaced", false)
                .put("kind", "NumaNode")
                .<ObjectNode>set(
                        "verbs", JSON.createArrayNode().add("get").add("list").add("watch"))
                .putArray("shortNames")
                .add("nn");
        resources
                .addObject()
                .put("name", ApiGroup.AUDITS)
                .put("singularName", "predictionaudit")
                .put("namespaced", false)
                .put("kind", "PredictionAudit")
                .putArray("verbs")
                .add("get")
                .add("list");
        resources
                .addObject()
                .put("name", ApiGroup.STRANDED)
                .put("singularName", "strandedcapacity")
                .put("namespaced", false)
                .put("kind", "StrandedCapacity")
                .putArray("verbs")
                .add("get")
                .add("list");
        return list;
    }

    /** {@code GET /openapi/v2}: names the group only; clients read version 3. */
    static ObjectNode openApiV2() {
        ObjectNode document = JSON.createObjectNode().put("swagger", "2.0");
        document.putObject("info").put("title", ApiGroup.NAME).put("version", ApiGroup.VERSION);
        document.putObject("paths");
        document.putObject("definitions");
        return document;
    }

    /** {@code GET /openapi/v3}: where the document is. */
    static ObjectNode openApiV3Index() throws IOException {
        ObjectNode index = JSON.createObjectNode();
        index.putObject("paths")
                .putObject("apis/" + ApiGroup.GROUP_VERSION)
                .put(
                        "serverRelativeURL",
                        "/openapi/v3%s?hash=%08X"
                                .formatted(ApiGroup.ROOT, openApiV3().hashCode()));
        return index;
    }

    /** {@code GET /openapi/v3/apis/numaledger.io/v1alpha1}. */
    static JsonNode openApiV3() throws IOException {
        try (InputStream document = Discovery.class.getResourceAsStream("openapi.json")) {
            if (document == null) {
                throw new IOException("openapi.json is missing in this build; rebuild the bridge");
            }
            return JSON.readTree(document);
        }
    }
}

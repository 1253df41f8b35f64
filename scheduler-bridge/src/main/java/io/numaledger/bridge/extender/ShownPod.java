package io.numaledger.bridge.extender;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.state.ClusterState;

import java.io.IOException;
import java.util.Optional;

/**
 * Finds the pod of a request by its name and UID, where the watch shows it: the rest of it is skipped then, which is most of a request. Not
 * where kube-scheduler may know more than the watch does: a pod that is nominated for a node, or that has claims, is read.
 */
final class ShownPod {

    private final JsonParser json;
    private String namespace = "default";
    private String name = "";
    private String uid = "";
    private boolean mayBeNewer;

    private ShownPod(JsonParser json) {
        this.json = json;
    }

    /** @param json at the beginning of the pod; at its end afterwards */
    static Optional<PodFacts> find(JsonParser json, ClusterState cluster) throws IOException {
        ShownPod pod = new ShownPod(json);
        pod.read();
        return cluster.pods().get(pod.namespace + "/" + pod.name).filter(pod::isShownAs);
    }

    private boolean isShownAs(PodFacts shown) {
        return !mayBeNewer
                && shown.uid().equals(Optional.of(uid))
                && shown.node().isEmpty()
                && shown.claims().isEmpty()
                && shown.priority().nominatedNode().isEmpty();
    }

    private void read() throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            boolean object = json.nextToken() == JsonToken.START_OBJECT;
            if (object && field.equals("metadata")) {
                readMetadata();
            } else if (object && field.equals("status")) {
                readStatus();
            } else {
                json.skipChildren();
            }
        }
    }

    private void readMetadata() throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            if (json.nextToken() == JsonToken.VALUE_STRING) {
                switch (field) {
                    case "namespace" -> namespace = json.getText();
                    case "name" -> name = json.getText();
                    case "uid" -> uid = json.getText();
                    default -> {}
                }
            } else {
                json.skipChildren();
            }
        }
    }

    private void readStatus() throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            mayBeNewer |= json.nextToken() != JsonToken.VALUE_NULL
                    && (field.equals("nominatedNodeName")
                            || field.equals("resourceClaimStatuses")
                            || field.equals("extendedResourceClaimStatus"));
            json.skipChildren();
        }
    }
}

package io.numaledger.agent.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.numaledger.annotation.Annotations;
import io.numaledger.annotation.PodRecords;
import io.numaledger.annotation.PodView;

import java.io.IOException;
import java.util.Optional;

/** Reads what we need of a Pod; everything else is skipped unread. */
final class PodReader {

    /** The UID in the kubelet, on the mirror of a static pod (pkg/kubelet/types/pod_update.go, ConfigMirrorAnnotationKey). */
    private static final String MIRROR = "kubernetes.io/config.mirror";

    private String namespace = "";
    private String name = "";
    private String uid = "";
    private String resourceVersion = "";
    private Optional<String> observed = Optional.empty();
    private Optional<String> placement = Optional.empty();
    private boolean hasStartTime;
    private boolean hasInitContainers;
    private String phase = "";
    private Optional<String> reason = Optional.empty();
    private Optional<String> owner = Optional.empty();
    private Optional<String> staticUid = Optional.empty();

    private PodReader() {}

    static Watched<PodView> read(JsonParser json) throws IOException {
        return new PodReader().pod(json);
    }

    private Watched<PodView> pod(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "metadata" -> metadata(json);
                case "status" -> status(json);
                default -> json.skipChildren();
            }
        }
        boolean terminal = phase.equals("Succeeded") || phase.equals("Failed");
        PodView view = new PodView(
                namespace,
                name,
                uid,
                hasStartTime || phase.equals("Running"),
                hasInitContainers && phase.equals("Running"),
                terminal,
                new PodRecords(observed, placement),
                reason,
                owner,
                staticUid);
        return new Watched<>(view.key(), resourceVersion, view);
    }

    private void metadata(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "namespace" -> namespace = json.getText();
                case "name" -> name = json.getText();
                case "uid" -> uid = json.getText();
                case "resourceVersion" -> resourceVersion = json.getText();
                case "annotations" -> annotations(json);
                case "ownerReferences" -> owners(json);
                default -> json.skipChildren();
            }
        }
    }

    private void owners(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.START_OBJECT) {
            String kind = "";
            String owns = "";
            boolean controller = false;
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                json.nextToken();
                switch (field) {
                    case "kind" -> kind = json.getText();
                    case "name" -> owns = json.getText();
                    case "controller" -> controller = json.getBooleanValue();
                    default -> json.skipChildren();
                }
            }
            if (controller) {
                owner = Optional.of(kind + "/" + owns);
            }
        }
    }

    private void annotations(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            return;
        }
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case Annotations.OBSERVED -> observed = Optional.of(json.getText());
                case MIRROR -> staticUid = Optional.of(json.getText());
                case Annotations.PLACEMENT -> placement = Optional.of(json.getText());
                default -> json.skipChildren();
            }
        }
    }

    private void status(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "phase" -> phase = json.getText();
                case "reason" -> reason = Optional.of(json.getText());
                case "startTime" -> hasStartTime = json.currentToken() == JsonToken.VALUE_STRING;
                case "initContainerStatuses" -> hasInitContainers = hasElements(json);
                default -> json.skipChildren();
            }
        }
    }

    private static boolean hasElements(JsonParser json) throws IOException {
        boolean found = false;
        if (json.currentToken() == JsonToken.START_ARRAY) {
            while (json.nextToken() != JsonToken.END_ARRAY) {
                found = true;
                json.skipChildren();
            }
        }
        return found;
    }
}

package io.numaledger.fakeapiserver.request;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.fakeapiserver.json.JsonText;
import io.numaledger.fakeapiserver.resource.ResourceType;

/**
 * The form of objects in a response: the API version, and whole objects or only their metadata.
 *
 * @param metadataOnly whether the client accepts {@code PartialObjectMetadata}
 */
public record Representation(ResourceType type, String version, boolean metadataOnly) {

    private static final String META = "meta.k8s.io/v1";

    public static Representation of(Target target, RecordedRequest request) {
        return new Representation(target.type(), target.version(), asksForMetadata(request.accept()));
    }

    public ObjectNode of(ObjectNode object) {
        return metadataOnly ? metadataOf(object) : type.in(version, object);
    }

    /** An item of a list. Items of built-in kinds have neither kind nor version. */
    public ObjectNode item(ObjectNode object) {
        if (metadataOnly || type.isCustom()) {
            return of(object);
        }
        ObjectNode item = JsonText.object();
        object.properties().forEach(each -> {
            if (!each.getKey().equals("kind") && !each.getKey().equals("apiVersion")) {
                item.set(each.getKey(), each.getValue());
            }
        });
        return item;
    }

    public ObjectNode emptyList() {
        return JsonText.object()
                .put("kind", metadataOnly ? "PartialObjectMetadataList" : type.kind() + "List")
                .put("apiVersion", metadataOnly ? META : type.apiVersion(version));
    }

    /** The object of a bookmark event: only a resource version. */
    public ObjectNode bookmark(long revision) {
        ObjectNode bookmark = JsonText.object()
                .put("kind", metadataOnly ? "PartialObjectMetadata" : type.kind())
                .put("apiVersion", metadataOnly ? META : type.apiVersion(version));
        bookmark.putObject("metadata")
                .put("resourceVersion", Long.toString(revision))
                .putNull("creationTimestamp");
        return bookmark;
    }

    private static ObjectNode metadataOf(ObjectNode object) {
        return JsonText.object()
                .put("kind", "PartialObjectMetadata")
                .put("apiVersion", META)
                .set("metadata", object.path("metadata"));
    }

    /** The first supported media type decides. Tables are not supported. */
    private static boolean asksForMetadata(String accept) {
        for (String offer : accept.split(",")) {
            if (offer.contains("as=PartialObjectMetadata")) {
                return true;
            }
            if (offer.strip().equals("application/json") || offer.contains("*/*")) {
                return false;
            }
        }
        return false;
    }
}

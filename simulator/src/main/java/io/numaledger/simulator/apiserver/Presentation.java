package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * How a client wants to see objects: in its version, whole or only their metadata.
 *
 * @param metadataOnly true for PartialObjectMetadata
 */
record Presentation(ResourceType type, String version, boolean metadataOnly) {

    private static final String META = "meta.k8s.io/v1";

    static Presentation of(Target target, RecordedRequest request) {
        return new Presentation(target.type(), target.version(), asksForMetadata(request.accept()));
    }

    ObjectNode of(ObjectNode object) {
        return metadataOnly ? metadataOf(object) : type.in(version, object);
    }

    /** As in a list, where the items of built-in kinds do not repeat what they are. */
    ObjectNode item(ObjectNode object) {
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

    ObjectNode emptyList() {
        return JsonText.object()
                .put("kind", metadataOnly ? "PartialObjectMetadataList" : type.kind() + "List")
                .put("apiVersion", metadataOnly ? META : type.apiVersion(version));
    }

    /** An object that tells nothing but a revision. */
    ObjectNode bookmark(long revision) {
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

    /** The first kind in the list that we know decides; a table is among those we do not. */
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

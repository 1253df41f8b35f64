package io.numaledger.fakeapiserver.request;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.fakeapiserver.json.JsonText;
import io.numaledger.fakeapiserver.resource.ResourceType;
import io.numaledger.fakeapiserver.table.TableColumns;

/** The form of objects in a response: the API version, and whole objects, only their metadata, or the rows of a table. */
public record Representation(ResourceType type, String version, Form form) {

    /** What the client accepts. */
    private enum Form {
        OBJECT,
        METADATA,
        TABLE
    }

    private static final String META = "meta.k8s.io/v1";

    public static Representation of(Target target, RecordedRequest request) {
        return new Representation(target.type(), target.version(), form(request.accept()));
    }

    public ObjectNode of(ObjectNode object) {
        return switch (form) {
            case OBJECT -> type.in(version, object);
            case METADATA -> metadataOf(object);
            case TABLE -> {
                ObjectNode table = emptyList();
                table.putObject("metadata")
                        .set("resourceVersion", object.path("metadata").path("resourceVersion"));
                table.putArray(itemsField()).add(item(object));
                yield table;
            }
        };
    }

    /** An item of a list. Items of built-in kinds have neither kind nor version. */
    public ObjectNode item(ObjectNode object) {
        if (form == Form.TABLE) {
            ObjectNode row = JsonText.object();
            row.set("cells", TableColumns.of(type, version).cells(type.in(version, object)));
            return row.set("object", metadataOf(object));
        }
        if (form == Form.METADATA || type.isCustom()) {
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
        if (form == Form.TABLE) {
            return JsonText.object()
                    .put("kind", "Table")
                    .put("apiVersion", META)
                    .set("columnDefinitions", TableColumns.of(type, version).definitions());
        }
        boolean metadata = form == Form.METADATA;
        return JsonText.object()
                .put("kind", metadata ? "PartialObjectMetadataList" : type.kind() + "List")
                .put("apiVersion", metadata ? META : type.apiVersion(version));
    }

    /** The field of a list that has the {@link #item items}. */
    public String itemsField() {
        return form == Form.TABLE ? "rows" : "items";
    }

    /** The object of a bookmark event: only a resource version. */
    public ObjectNode bookmark(long revision) {
        ObjectNode bookmark = switch (form) {
            case OBJECT -> JsonText.object().put("kind", type.kind()).put("apiVersion", type.apiVersion(version));
            case METADATA ->
                JsonText.object().put("kind", "PartialObjectMetadata").put("apiVersion", META);
            case TABLE -> emptyList();
        };
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

    /** The first supported media type decides. */
    private static Form form(String accept) {
        for (String offer : accept.split(",")) {
            if (offer.contains("as=PartialObjectMetadata")) {
                return Form.METADATA;
            }
            if (offer.contains("as=Table") && !offer.contains("v1beta1")) {
                return Form.TABLE;
            }
            if (offer.strip().equals("application/json") || offer.contains("*/*")) {
                return Form.OBJECT;
            }
        }
        return Form.OBJECT;
    }
}

package io.numaledger.fakeapiserver.request;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.fakeapiserver.json.JsonText;
import io.numaledger.fakeapiserver.resource.ResourceType;

/** The form of objects in a response. A client that asks for a Table or for metadata only gets whole objects. */
public record Representation(ResourceType type, String version) {

    public static Representation of(Target target) {
        return new Representation(target.type(), target.version());
    }

    public ObjectNode of(ObjectNode object) {
        return type.in(version, object);
    }

    /** An item of a list. Items of built-in kinds have neither kind nor version. */
    public ObjectNode item(ObjectNode object) {
        if (type.isCustom()) {
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
        return JsonText.object().put("kind", type.kind() + "List").put("apiVersion", type.apiVersion(version));
    }

    /** The object of a bookmark event: only a resource version. */
    public ObjectNode bookmark(long revision) {
        ObjectNode bookmark =
                JsonText.object().put("kind", type.kind()).put("apiVersion", type.apiVersion(version));
        bookmark.putObject("metadata")
                .put("resourceVersion", Long.toString(revision))
                .putNull("creationTimestamp");
        return bookmark;
    }
}

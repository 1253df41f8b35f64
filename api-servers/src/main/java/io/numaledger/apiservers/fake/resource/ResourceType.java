package io.numaledger.apiservers.fake.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.json.JsonText;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * One kind of object that the server stores.
 *
 * @param group empty for the core group
 * @param namespaced false for cluster-scoped objects
 * @param custom whether a custom resource definition would define it
 * @param subresources such as {@code status}
 */
public record ResourceType(
        String group, String version, Names names, boolean namespaced, boolean custom, Set<String> subresources) {

    /** The names of a kind. */
    public record Names(String kind, String plural, String singular, List<String> shortNames) {

        public Names {
            shortNames = List.copyOf(shortNames);
        }

        /** Names of a kind whose singular is the kind in lower case. */
        static Names of(String kind, String plural, String... shortNames) {
            return new Names(kind, plural, kind.toLowerCase(Locale.ROOT), List.of(shortNames));
        }
    }

    static ResourceType core(Names names, boolean namespaced, String... subresources) {
        return builtIn("", names, namespaced, subresources);
    }

    static ResourceType builtIn(String group, Names names, boolean namespaced, String... subresources) {
        return new ResourceType(group, "v1", names, namespaced, false, Set.of(subresources));
    }

    public String kind() {
        return names.kind();
    }

    public String plural() {
        return names.plural();
    }

    /** The name in messages: {@code pods}, or {@code noderesourcetopologies.topology.node.k8s.io}. */
    public String qualifiedName() {
        return group.isEmpty() ? plural() : plural() + "." + group;
    }

    public String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    public boolean hasStatus() {
        return subresources.contains("status");
    }

    /** An object as an item of a list. Items of built-in kinds have neither kind nor version. */
    public ObjectNode item(ObjectNode object) {
        if (custom) {
            return object;
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
        return JsonText.object().put("kind", kind() + "List").put("apiVersion", apiVersion());
    }

    /** The object of a bookmark event: only a resource version. */
    public ObjectNode bookmark(long revision) {
        ObjectNode bookmark = JsonText.object().put("kind", kind()).put("apiVersion", apiVersion());
        bookmark.putObject("metadata")
                .put("resourceVersion", Long.toString(revision))
                .putNull("creationTimestamp");
        return bookmark;
    }
}

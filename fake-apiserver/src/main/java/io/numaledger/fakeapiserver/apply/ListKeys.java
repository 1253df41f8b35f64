package io.numaledger.fakeapiserver.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.List;

/**
 * Which lists are merged item by item in a server-side apply (list types {@code map} and {@code set}). All other lists
 * are atomic.
 */
public enum ListKeys {
    /** The core types of Kubernetes. */
    CORE,
    /** Custom resources without list types in their schema: only the lists of the metadata are merged. */
    ATOMIC;

    /** The keys of the items, sorted by name; empty for an atomic list or a set. */
    List<String> of(FieldPath list) {
        String name = list.last().substring(2);
        if (list.elements().get(0).equals("f:metadata")) {
            return name.equals("ownerReferences") ? List.of("uid") : List.of();
        }
        return this == ATOMIC ? List.of() : coreKeys(name, list);
    }

    boolean isSet(FieldPath list) {
        return list.last().equals("f:finalizers")
                || (this == CORE && list.last().equals("f:podCIDRs"));
    }

    private static List<String> coreKeys(String name, FieldPath list) {
        return switch (name) {
            case "containers",
                    "initContainers",
                    "ephemeralContainers",
                    "env",
                    "volumes",
                    "resourceClaims",
                    "schedulingGates",
                    "claims",
                    "secrets" -> List.of("name");
            case "conditions" -> List.of("type");
            case "ports" -> List.of(list.depth() > 2 ? "containerPort" : "port", "protocol");
            case "volumeMounts" -> List.of("mountPath");
            case "podIPs", "hostIPs", "hostAliases" -> List.of("ip");
            default -> List.of();
        };
    }

    /** The path element of an item with these keys, such as {@code k:{"name":"c"}}. */
    static String element(List<String> keys, JsonNode item) {
        ObjectNode key = JsonNodeFactory.instance.objectNode();
        keys.forEach(each -> {
            if (item.has(each)) {
                key.set(each, item.get(each));
            } else if (each.equals("protocol")) {
                key.put(each, "TCP");
            }
        });
        return "k:" + key;
    }
}

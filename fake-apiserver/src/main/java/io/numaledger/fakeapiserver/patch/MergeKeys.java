package io.numaledger.fakeapiserver.patch;

import java.util.Optional;

/** The merge keys of lists in a strategic merge patch ({@code patchMergeKey} in the core v1 types). */
final class MergeKeys {

    private MergeKeys() {}

    /** The field that identifies an item; empty for a list that a patch replaces. */
    static Optional<String> of(String listField) {
        return Optional.ofNullable(
                switch (listField) {
                    case "containers",
                            "initContainers",
                            "ephemeralContainers",
                            "env",
                            "volumes",
                            "imagePullSecrets",
                            "secrets",
                            "resourceClaims",
                            "schedulingGates" -> "name";
                    case "conditions", "addresses" -> "type";
                    case "ports" -> "containerPort";
                    case "volumeMounts" -> "mountPath";
                    case "ownerReferences" -> "uid";
                    case "podIPs", "hostIPs", "hostAliases" -> "ip";
                    default -> null;
                });
    }

    /** Whether the list is a set of strings to which a patch adds. */
    static boolean isSet(String listField) {
        return listField.equals("finalizers") || listField.equals("podCIDRs");
    }
}

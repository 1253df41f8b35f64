package io.numaledger.simulator.apiserver.patch;

import java.util.Optional;

/** By which field the items of a list are told apart in a strategic merge patch (patchMergeKey in the core v1 types). */
final class MergeKeys {

    private MergeKeys() {}

    /** Empty for a list that is replaced as a whole. */
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

    /** True for a list of strings that a patch adds to. */
    static boolean isSet(String listField) {
        return listField.equals("finalizers") || listField.equals("podCIDRs");
    }
}

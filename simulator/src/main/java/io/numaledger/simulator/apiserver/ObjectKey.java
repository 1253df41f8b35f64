package io.numaledger.simulator.apiserver;

/**
 * Where an object is kept.
 *
 * @param namespace empty for an object of the cluster
 */
record ObjectKey(ResourceType type, String namespace, String name) {

    /** Orders objects as etcd does: by namespace and name. */
    String path() {
        return type.namespaced() ? namespace + "/" + name : name;
    }

    /** As the real server calls the place in etcd, and as it shows in conflicts. */
    String registryPath() {
        String kind = type.equals(ResourceCatalog.NODES) ? "minions" : type.plural();
        String group = type.isCustom() ? type.group() + "/" : "";
        return "/registry/%s%s/%s".formatted(group, kind, path());
    }

    /** What a conflict says of a UID that is not this object's. */
    String uidMismatch(String wanted, String present) {
        return ("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed:"
                        + " UID in precondition: %s, UID in object meta: %s")
                .formatted(registryPath(), wanted, present);
    }
}

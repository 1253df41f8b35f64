package io.numaledger.apiservers.fake.storage;

import io.numaledger.apiservers.fake.resource.ResourceCatalog;
import io.numaledger.apiservers.fake.resource.ResourceType;

/**
 * Identifies one stored object.
 *
 * @param namespace empty for a cluster-scoped object
 */
public record ObjectKey(ResourceType type, String namespace, String name) {

    /** Namespace and name; the order of these paths is that of etcd keys. */
    public String path() {
        return type.namespaced() ? namespace + "/" + name : name;
    }

    /** The etcd key in kube-apiserver, which is part of conflict messages. */
    String registryPath() {
        String kind = type.equals(ResourceCatalog.NODES) ? "minions" : type.plural();
        String group = type.custom() ? type.group() + "/" : "";
        return "/registry/%s%s/%s".formatted(group, kind, path());
    }

    /** The message of a conflict about a UID precondition. */
    public String uidMismatch(String wanted, String present) {
        return ("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed:"
                        + " UID in precondition: %s, UID in object meta: %s")
                .formatted(registryPath(), wanted, present);
    }
}

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
}

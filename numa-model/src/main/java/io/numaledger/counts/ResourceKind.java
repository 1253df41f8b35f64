package io.numaledger.counts;

/** Which manager of the kubelet a resource belongs to. */
enum ResourceKind {
    CPU,
    MEMORY,
    DEVICE;

    static ResourceKind of(String resource) {
        if (resource.equals("cpu")) {
            return CPU;
        }
        return resource.equals("memory") || resource.startsWith("hugepages-") ? MEMORY : DEVICE;
    }
}

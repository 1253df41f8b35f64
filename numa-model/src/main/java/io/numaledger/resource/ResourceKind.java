package io.numaledger.resource;

/** The resource manager of the kubelet that a resource belongs to, by the resource's name. */
public enum ResourceKind {
    /** {@code cpu}: CPU Manager. */
    CPU,
    /** {@code memory} and {@code hugepages-*}: Memory Manager. */
    MEMORY,
    /** {@code ephemeral-storage} and {@code storage}: no manager aligns them. */
    STORAGE,
    /** Everything else: Device Manager. */
    DEVICE;

    public static ResourceKind of(String resource) {
        return switch (resource) {
            case "cpu" -> CPU;
            case "memory" -> MEMORY;
            case "ephemeral-storage", "storage" -> STORAGE;
            default -> Hugepages.isResource(resource) ? MEMORY : DEVICE;
        };
    }
}

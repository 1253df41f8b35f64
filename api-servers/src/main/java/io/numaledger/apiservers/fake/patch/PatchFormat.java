package io.numaledger.apiservers.fake.patch;

import io.numaledger.apiservers.fake.resource.ResourceType;

/** The formats of a PATCH body, each with its media type. */
public enum PatchFormat {
    JSON("application/json-patch+json"),
    JSON_MERGE("application/merge-patch+json"),
    STRATEGIC_MERGE("application/strategic-merge-patch+json"),
    APPLY("application/apply-patch+yaml");

    private final String mediaType;

    PatchFormat(String mediaType) {
        this.mediaType = mediaType;
    }

    public String mediaType() {
        return mediaType;
    }

    /**
     * A custom resource takes no strategic merge patch, because it has no merge keys. Only custom resources are applied here,
     * because their lists have none to merge by.
     */
    public boolean isFor(ResourceType type) {
        return switch (this) {
            case STRATEGIC_MERGE -> !type.custom();
            case APPLY -> type.custom();
            case JSON, JSON_MERGE -> true;
        };
    }
}

package io.numaledger.pod;

import java.util.Map;
import java.util.Set;

/**
 * The requests of one container.
 *
 * @param kind an app container, an init container that ends before the next one starts, or a sidecar
 */
public record ContainerRequest(String name, Kind kind, Resources resources) {

    /** When a container runs, relative to the others of its pod. */
    public enum Kind {
        /** Runs with all other app containers and sidecars. */
        APP,
        /** Ends before the next container starts. */
        PLAIN_INIT,
        /** An init container with {@code restartPolicy: Always}: starts before the next one and stays. */
        SIDECAR
    }

    public ContainerRequest {
        if (name.isBlank()) {
            throw new IllegalArgumentException(
                    "a container has a name: name='%s'; give it the one of its pod's spec".formatted(name));
        }
    }

    ContainerRequest without(Set<String> names) {
        return new ContainerRequest(name, kind, resources.without(names));
    }

    /** An app container whose limits equal its requests. */
    public static ContainerRequest app(String name, Map<String, RequestedAmount> requests) {
        return new ContainerRequest(name, Kind.APP, Resources.equalTo(requests));
    }
}

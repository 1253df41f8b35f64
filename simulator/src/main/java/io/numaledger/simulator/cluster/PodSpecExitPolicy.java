package io.numaledger.simulator.cluster;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.simulator.cri.ContainerExitPolicy;
import io.numaledger.simulator.cri.ContainerKey;

import java.io.IOException;
import java.util.OptionalInt;

/** Plain init containers exit at once with 0; sidecars and app containers keep running. The pod's spec says which is which. */
final class PodSpecExitPolicy implements ContainerExitPolicy {

    private final KubernetesClient client;

    PodSpecExitPolicy(KubernetesClient client) {
        this.client = client;
    }

    @Override
    public OptionalInt exitCode(ContainerKey key) throws IOException {
        try {
            Pod pod = client.pods()
                    .inNamespace(key.namespace())
                    .withName(key.pod())
                    .get();
            boolean plainInit = pod != null
                    && pod.getMetadata().getUid().equals(key.podUid())
                    && pod.getSpec().getInitContainers().stream()
                            .anyMatch(
                                    container -> container.getName().equals(key.container()) && !isSidecar(container));
            return plainInit ? OptionalInt.of(0) : OptionalInt.empty();
        } catch (KubernetesClientException cause) {
            throw new IOException(
                    "cannot read a pod: pod=%s/%s; check the API server".formatted(key.namespace(), key.pod()), cause);
        }
    }

    private static boolean isSidecar(Container container) {
        return "Always".equals(container.getRestartPolicy());
    }
}

package io.numaledger.benchmarks.footprint;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.numaledger.annotation.Annotations;
import io.numaledger.benchmarks.cluster.ObjectHandler;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** When a watch of the API server showed what the agent published. Times are those of {@link System#nanoTime()}. */
final class Published implements AutoCloseable {

    private final Map<String, Long> annotatedAt = new ConcurrentHashMap<>();
    private final AtomicLong topologyWrites = new AtomicLong();
    private final SharedIndexInformer<Pod> pods;
    private final SharedIndexInformer<GenericKubernetesResource> topologies;

    Published(KubernetesClient client) {
        pods = client.pods().inNamespace("default").inform(ObjectHandler.of(this::pod));
        topologies = client.genericKubernetesResources("topology.node.k8s.io/v1alpha2", "NodeResourceTopology")
                .inform(ObjectHandler.of(topology -> topologyWrites.incrementAndGet()));
    }

    private void pod(Pod pod) {
        Map<String, String> annotations = pod.getMetadata().getAnnotations();
        String uid = pod.getMetadata().getUid();
        if (annotations != null && annotations.containsKey(Annotations.OBSERVED)) {
            annotatedAt.putIfAbsent(uid, System.nanoTime());
        } else {
            annotatedAt.remove(uid);
        }
    }

    OptionalLong annotatedAt(String uid) {
        Long at = annotatedAt.get(uid);
        return at == null ? OptionalLong.empty() : OptionalLong.of(at);
    }

    int annotated() {
        return annotatedAt.size();
    }

    long topologyWrites() {
        return topologyWrites.get();
    }

    @Override
    public void close() {
        pods.close();
        topologies.close();
    }
}

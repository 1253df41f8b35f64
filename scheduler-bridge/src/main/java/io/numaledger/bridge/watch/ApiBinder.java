package io.numaledger.bridge.watch;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.annotation.Annotations;
import io.numaledger.bridge.cluster.ObjectReader;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.extender.Binder;

import java.io.IOException;

/** Binds over the API server. */
public final class ApiBinder implements Binder {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final PatchContext MERGE = new PatchContext.Builder()
            .withPatchType(PatchType.JSON_MERGE)
            .withFieldManager("numaledger-bridge")
            .build();

    private final KubernetesClient client;

    public ApiBinder(KubernetesClient client) {
        this.client = client;
    }

    @Override
    public void annotate(PodFacts pod, String predicted) throws IOException {
        ObjectNode patch = JSON.createObjectNode();
        ObjectNode metadata = patch.putObject("metadata").put("uid", pod.uid());
        metadata.putObject("annotations").put(Annotations.PREDICTED, predicted);
        try {
            client.pods().inNamespace(pod.namespace()).withName(pod.name()).patch(MERGE, patch.toString());
        } catch (KubernetesClientException e) {
            throw new IOException(
                    "cannot write the prediction: pod=%s: %s; the pod is tried again"
                            .formatted(pod.key(), e.getMessage()),
                    e);
        }
    }

    @Override
    public void bind(PodFacts pod, String node) throws IOException {
        ObjectNode binding = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Binding");
        binding.putObject("metadata")
                .put("name", pod.name())
                .put("namespace", pod.namespace())
                .put("uid", pod.uid());
        binding.putObject("target").put("apiVersion", "v1").put("kind", "Node").put("name", node);
        try {
            client.raw("/api/v1/namespaces/%s/pods/%s/binding".formatted(pod.namespace(), pod.name()), "POST", binding);
        } catch (KubernetesClientException e) {
            throw new IOException(
                    "cannot bind: pod=%s node=%s: %s; the pod is tried again"
                            .formatted(pod.key(), node, e.getMessage()),
                    e);
        }
    }

    @Override
    public PodFacts read(String namespace, String name, String uid) throws IOException {
        Pod pod;
        try {
            pod = client.pods().inNamespace(namespace).withName(name).get();
        } catch (KubernetesClientException e) {
            throw new IOException(
                    "cannot read the pod: pod=%s/%s: %s; it is tried again".formatted(namespace, name, e.getMessage()),
                    e);
        }
        if (pod == null || !uid.equals(pod.getMetadata().getUid())) {
            throw new IOException(
                    "the pod is gone: pod=%s/%s uid=%s; nothing is left to bind".formatted(namespace, name, uid));
        }
        return ObjectReader.pod(pod);
    }
}

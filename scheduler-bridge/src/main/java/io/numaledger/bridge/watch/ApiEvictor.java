package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.EvictionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.preemption.Evictor;
import io.numaledger.cli.Failures;

import java.io.IOException;
import java.util.Optional;

/** Evicts through the Eviction API (policy/v1). */
public final class ApiEvictor implements Evictor {

    private static final PatchContext MERGED = PatchContext.of(PatchType.STRATEGIC_MERGE);

    private final KubernetesClient client;

    public ApiEvictor(KubernetesClient client) {
        this.client = client;
    }

    @Override
    public void nominate(PodFacts pod, String node) throws IOException {
        Pod patch = new PodBuilder()
                .withNewMetadata()
                .withUid(pod.uid().orElseThrow())
                .endMetadata()
                .withNewStatus()
                .withNominatedNodeName(node)
                .endStatus()
                .build();
        try {
            client.pods()
                    .inNamespace(pod.namespace())
                    .withName(pod.name())
                    .subresource("status")
                    .patch(MERGED, client.getKubernetesSerialization().asJson(patch));
        } catch (KubernetesClientException e) {
            throw new IOException(
                    "cannot nominate a node: pod=%s node=%s: %s".formatted(pod.key(), node, Failures.reason(e)), e);
        }
    }

    @Override
    public void evict(PodFacts victim) throws IOException {
        try {
            boolean evicted = client.pods()
                    .inNamespace(victim.namespace())
                    .withName(victim.name())
                    .evict(new EvictionBuilder()
                            .withNewMetadata()
                            .withNamespace(victim.namespace())
                            .withName(victim.name())
                            .endMetadata()
                            .withDeleteOptions(new DeleteOptionsBuilder()
                                    .withNewPreconditions()
                                    .withUid(victim.uid().orElseThrow())
                                    .endPreconditions()
                                    .build())
                            .build());
            if (!evicted) {
                throw new IOException(
                        "a disruption budget does not allow this eviction now: pod=%s".formatted(victim.key()));
            }
        } catch (KubernetesClientException e) {
            throw new IOException("cannot evict: pod=%s: %s".formatted(victim.key(), Failures.reason(e)), e);
        }
    }

    /**
     * The UID of the controller that makes another pod for this one; absent: it has none, or the pod is gone.
     *
     * @throws IOException naming the pod, if the API server does not answer
     */
    public Optional<String> controller(PodFacts pod) throws IOException {
        try {
            return Optional.ofNullable(client.pods()
                            .inNamespace(pod.namespace())
                            .withName(pod.name())
                            .get())
                    .map(Pod::getMetadata)
                    .filter(found -> pod.uid().equals(Optional.of(found.getUid())))
                    .flatMap(found -> found.getOwnerReferences().stream()
                            .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                            .map(OwnerReference::getUid)
                            .findFirst());
        } catch (KubernetesClientException e) {
            throw new IOException("cannot read the pod: pod=%s: %s".formatted(pod.key(), Failures.reason(e)), e);
        }
    }
}

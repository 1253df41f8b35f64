package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.FieldsV1;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.EvictionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.cli.Failures;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;
import io.numaledger.scheduling.healing.Controllers;
import io.numaledger.scheduling.healing.Controllers.Controller;
import io.numaledger.scheduling.preemption.Evictor;

import java.io.IOException;
import java.util.Map;
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
     * The controller of a pod, see {@link Controllers}. A template that names the node is one whose pods were created with it: who binds a pod
     * does not become a manager of its {@code nodeName}.
     *
     * @throws IOException naming the pod, if the API server does not answer
     */
    public Optional<Controller> controller(PodFacts pod) throws IOException {
        try {
            Optional<Pod> found = Optional.ofNullable(client.pods()
                            .inNamespace(pod.namespace())
                            .withName(pod.name())
                            .get())
                    .filter(each ->
                            pod.uid().equals(Optional.of(each.getMetadata().getUid())));
            return found.flatMap(each -> each.getMetadata().getOwnerReferences().stream()
                    .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                    .map(owner -> new Controller(
                            owner.getUid(), isBoundByTemplate(each) ? Optional.empty() : Optional.of(next(each))))
                    .findFirst());
        } catch (KubernetesClientException e) {
            throw new IOException("cannot read the pod: pod=%s: %s".formatted(pod.key(), Failures.reason(e)), e);
        }
    }

    private static boolean isBoundByTemplate(Pod pod) {
        return pod.getMetadata().getManagedFields().stream()
                .map(manager -> Optional.ofNullable(manager.getFieldsV1())
                        .map(FieldsV1::getAdditionalProperties)
                        .orElse(Map.of()))
                .anyMatch(fields ->
                        has(fields, "f:spec", "f:nodeName") && has(fields, "f:metadata", "f:ownerReferences"));
    }

    private static boolean has(Map<String, Object> fields, String parent, String field) {
        return fields.get(parent) instanceof Map<?, ?> inside && inside.containsKey(field);
    }

    /** The pod without a node, and of its status only the names of its claims. */
    private PodFacts next(Pod pod) {
        Pod created = new PodBuilder(pod)
                .editSpec()
                .withNodeName(null)
                .endSpec()
                .withNewStatus()
                .withResourceClaimStatuses(pod.getStatus().getResourceClaimStatuses())
                .endStatus()
                .build();
        return new ObjectReader()
                .pod(client.getKubernetesSerialization().convertValue(created, PodObject.class))
                .withoutRecords();
    }
}

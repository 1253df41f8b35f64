package io.numaledger.bridge.watch;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.cli.Failures;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.scheduling.dra.ClaimWriter;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.Optional;

/** Removes the allocation of claims as kube-scheduler does (its plugin DynamicResources, PostFilter). */
public final class ApiClaimWriter implements ClaimWriter {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    private final KubernetesClient client;

    public ApiClaimWriter(KubernetesClient client) {
        this.client = client;
    }

    @Override
    public boolean giveBack(ResourceClaim claim) throws IOException {
        try {
            Optional<GenericKubernetesResource> current = ApiBinder.claim(client, claim.namespace(), claim.name())
                    .filter(object -> ApiBinder.claim(object).equals(claim)
                            && claim.reservedFor().isEmpty()
                            && claim.allocation().isPresent());
            current.ifPresent(this::removeAllocation);
            return current.isPresent();
        } catch (KubernetesClientException | IllegalArgumentException e) {
            if (e instanceof KubernetesClientException refused
                    && refused.getCode() == HttpURLConnection.HTTP_CONFLICT) {
                return false;
            }
            throw new IOException("cannot give back a claim: claim=%s: %s".formatted(claim.key(), reason(e)), e);
        }
    }

    private static String reason(RuntimeException failure) {
        return failure instanceof KubernetesClientException ? Failures.reason(failure) : "" + failure.getMessage();
    }

    /** Removes the allocation only if nobody has changed the claim meanwhile. */
    private void removeAllocation(GenericKubernetesResource object) {
        ObjectNode patch = JSON.createObjectNode();
        patch.putObject("metadata")
                .put("uid", object.getMetadata().getUid())
                .put("resourceVersion", object.getMetadata().getResourceVersion());
        patch.putObject("status").putNull("allocation");
        client.genericKubernetesResources(ClaimWatch.CLAIMS)
                .inNamespace(object.getMetadata().getNamespace())
                .withName(object.getMetadata().getName())
                .subresource("status")
                .patch(MERGE, patch.toString());
    }
}

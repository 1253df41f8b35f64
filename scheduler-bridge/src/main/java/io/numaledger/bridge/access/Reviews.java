package io.numaledger.bridge.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.cli.Failures;

import java.io.IOException;
import java.time.Duration;

/** Asks the API server what a user may do (SubjectAccessReview). Keeps answers for a while. */
public final class Reviews {

    /** Half as long as kube-apiserver keeps what a webhook allows. */
    private static final Duration KEPT = Duration.ofSeconds(10);

    private static final int MOST_KEPT = 10_000;

    private final KubernetesClient client;
    private final Cache<Question, Boolean> answers =
            Caffeine.newBuilder().maximumSize(MOST_KEPT).expireAfterWrite(KEPT).build();

    /**
     * What a caller wants to do.
     *
     * @param group API group; empty for pods
     * @param namespace empty for all namespaces, and for resources without one
     * @param name empty for all objects
     */
    public record Action(String verb, String group, String resource, String namespace, String name) {}

    private record Question(Caller caller, Action action) {}

    public Reviews(KubernetesClient client) {
        this.client = client;
    }

    /**
     * Whether the caller may do this.
     *
     * @throws IOException if the API server gives no answer
     */
    public boolean allows(Caller caller, Action action) throws IOException {
        Question question = new Question(caller, action);
        Boolean kept = answers.getIfPresent(question);
        if (kept != null) {
            return kept;
        }
        SubjectAccessReview review = new SubjectAccessReviewBuilder()
                .withNewSpec()
                .withUser(caller.name())
                .withUid(caller.uid())
                .withGroups(caller.groups())
                .withExtra(caller.extra())
                .withNewResourceAttributes()
                .withVerb(action.verb())
                .withGroup(action.group())
                .withResource(action.resource())
                .withNamespace(action.namespace())
                .withName(action.name())
                .endResourceAttributes()
                .endSpec()
                .build();
        try {
            boolean allowed = Boolean.TRUE.equals(
                    client.resource(review).create().getStatus().getAllowed());
            answers.put(question, allowed);
            return allowed;
        } catch (KubernetesClientException e) {
            throw new IOException(
                    "cannot create a SubjectAccessReview: %s; check the bridge's right to create it, and that the API server runs"
                            .formatted(Failures.reason(e)),
                    e);
        }
    }
}

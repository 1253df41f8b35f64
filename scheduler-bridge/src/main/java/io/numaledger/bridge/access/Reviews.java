package io.numaledger.bridge.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.UserInfo;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.cli.Failures;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Asks the API server who a token belongs to (TokenReview), and what its owner may do (SubjectAccessReview). Keeps answers for a while. */
public final class Reviews {

    /** As long as kube-apiserver keeps an authenticated token and half as long as it keeps what a webhook allows. */
    private static final Duration KEPT = Duration.ofSeconds(10);

    private static final int MOST_KEPT = 10_000;

    private final KubernetesClient client;
    private final Cache<String, Optional<Caller>> callers =
            Caffeine.newBuilder().maximumSize(MOST_KEPT).expireAfterWrite(KEPT).build();
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
     * The owner of a token; absent if it is not valid.
     *
     * @throws IOException if the API server gives no answer
     */
    public Optional<Caller> caller(String token) throws IOException {
        String key = hash(token);
        Optional<Caller> kept = callers.getIfPresent(key);
        if (kept != null) {
            return kept;
        }
        TokenReview review = new TokenReviewBuilder()
                .withNewSpec()
                .withToken(token)
                .endSpec()
                .build();
        try {
            TokenReview reviewed = client.resource(review).create();
            Optional<Caller> caller = Boolean.TRUE.equals(reviewed.getStatus().getAuthenticated())
                    ? Optional.of(caller(reviewed.getStatus().getUser()))
                    : Optional.empty();
            callers.put(key, caller);
            return caller;
        } catch (KubernetesClientException e) {
            throw unavailable("TokenReview", e);
        }
    }

    private static Caller caller(UserInfo user) {
        return new Caller(
                user.getUsername(),
                Optional.ofNullable(user.getUid()).orElse(""),
                Optional.ofNullable(user.getGroups()).orElse(List.of()),
                Optional.ofNullable(user.getExtra()).orElse(Map.of()));
    }

    /** Tokens are not kept. */
    private static String hash(String token) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
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
            throw unavailable("SubjectAccessReview", e);
        }
    }

    private static IOException unavailable(String kind, KubernetesClientException e) {
        return new IOException(
                "cannot create a %s: %s; check the bridge's right to create it, and that the API server runs"
                        .formatted(kind, Failures.reason(e)),
                e);
    }
}

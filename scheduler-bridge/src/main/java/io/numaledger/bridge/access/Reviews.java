package io.numaledger.bridge.access;

import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.bridge.client.BrokenCalls;
import io.numaledger.cli.Failures;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Asks the API server what a user may do (SubjectAccessReview). Keeps answers for a while. */
public final class Reviews {

    /** Half as long as kube-apiserver keeps what a webhook allows. */
    private static final Duration KEPT = Duration.ofSeconds(10);

    private static final int MOST_KEPT = 10_000;

    private final KubernetesClient client;
    private final Map<Key, Kept> answers = new ConcurrentHashMap<>();
    private long swept = System.nanoTime();

    /**
     * What a caller wants to do.
     *
     * @param group API group; empty for pods
     * @param namespace empty for all namespaces, and for resources without one
     * @param name empty for all objects
     */
    public record Action(String verb, String group, String resource, String namespace, String name) {}

    private record Key(Caller caller, Action action) {}

    private record Kept(boolean allowed, long sinceNanos) {

        boolean isFresh(long nowNanos) {
            return nowNanos - sinceNanos < KEPT.toNanos();
        }
    }

    /** @param client repeats no request: callers wait for the answer */
    public Reviews(KubernetesClient client) {
        this.client = client;
    }

    /**
     * Whether the caller may do this.
     *
     * @throws IOException if the API server gives no answer
     */
    public boolean allows(Caller caller, Action action) throws IOException {
        Key key = new Key(caller, action);
        Kept kept = answers.get(key);
        if (kept != null && kept.isFresh(System.nanoTime())) {
            return kept.allowed();
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
                    BrokenCalls.repeat(() -> client.resource(review).create())
                            .getStatus()
                            .getAllowed());
            keep(key, allowed);
            return allowed;
        } catch (KubernetesClientException e) {
            throw new IOException(
                    "cannot create a SubjectAccessReview: %s; check the bridge's right to create it, and that the API server runs"
                            .formatted(Failures.reason(e)),
                    e);
        }
    }

    /** While there are too many fresh answers, a new one is not kept. */
    private synchronized void keep(Key key, boolean allowed) {
        long now = System.nanoTime();
        if (now - swept >= KEPT.toNanos() || answers.size() >= MOST_KEPT) {
            answers.values().removeIf(answer -> !answer.isFresh(now));
            swept = now;
        }
        if (answers.size() < MOST_KEPT) {
            answers.put(key, new Kept(allowed, now));
        }
    }
}

package io.numaledger.bridge.extender;

import io.numaledger.annotation.Annotations;
import io.numaledger.evaluation.alignment.AlignmentDemand;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.batch.ClaimEvaluator;
import io.numaledger.scheduling.state.ClusterState;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The claims of a pod that is to be bound and requires alignment. kube-scheduler writes their allocation before it calls bind (its plugin
 * DynamicResources, PreBind), and the watch shows that a moment later. What it does not show in time is read.
 */
final class AllocatedClaims {

    /** Much shorter than kube-scheduler waits for an answer. */
    static final Duration WATCH_TIMEOUT = Duration.ofMillis(500);

    private final ClusterState cluster;
    private final Binder binder;

    AllocatedClaims(ClusterState cluster, Binder binder) {
        this.cluster = cluster;
        this.binder = binder;
    }

    /**
     * The evaluator for a pod; absent for a pod that does not require alignment, or has no claims.
     *
     * @throws IllegalArgumentException as a sentence, for an invalid demand
     * @throws IOException if a claim is not allocated, or the API server gives no answer
     */
    Optional<ClaimEvaluator> evaluator(PodFacts asked) throws IOException {
        PodFacts pod = cluster.namespaceDefaults().apply(asked);
        if (pod.annotation(Annotations.CLAIM_ALIGNMENT).isEmpty()
                || (pod.claims().isEmpty() && !isServedByClass(pod))
                || !AlignmentDemand.of(pod).equals(Optional.of(AlignmentDemand.REQUIRED))) {
            return Optional.empty();
        }
        PodFacts current = withClaims(pod);
        return current.claims().isEmpty()
                ? Optional.empty()
                : Optional.of(ClaimEvaluator.required(
                        cluster.claims(), current, allocated(current), cluster.budget(current, 1)));
    }

    /** The names of its claims stand in the pod's status before it is bound: of the one for extended resources, that of an earlier attempt may. */
    private PodFacts withClaims(PodFacts pod) throws IOException {
        boolean isNamed = pod.claims()
                .extendedResources()
                .filter(name -> cluster.claims().claim(pod.namespace(), name).isPresent())
                .isPresent();
        return pod.claims().areMissing() || (!isNamed && isServedByClass(pod))
                ? binder.read(pod.namespace(), pod.name(), pod.uid().orElseThrow())
                        .map(cluster.namespaceDefaults()::apply)
                        .orElse(pod)
                : pod;
    }

    /** Whether the pod requests an extended resource for which kube-scheduler may make a claim. */
    private boolean isServedByClass(PodFacts pod) {
        return pod.request().inAllocationOrder().stream()
                .flatMap(container -> container.resources().requests().keySet().stream())
                .anyMatch(resource -> cluster.claims().classOf(resource).isPresent());
    }

    private List<ResourceClaim> allocated(PodFacts pod) throws IOException {
        List<String> names = pod.claims().names();
        awaitWatch(pod, names);
        List<ResourceClaim> allocated = new ArrayList<>();
        for (String name : names) {
            Optional<ResourceClaim> shown = shown(pod, name);
            allocated.add(shown.isPresent() ? shown.get() : read(pod, name));
        }
        return allocated;
    }

    private void awaitWatch(PodFacts pod, List<String> names) {
        try {
            var unused = cluster.changes()
                    .await(
                            () -> names.stream()
                                    .allMatch(name -> shown(pod, name).isPresent()),
                            WATCH_TIMEOUT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Present if it is reserved for the pod: an allocation of an earlier attempt is not. */
    private Optional<ResourceClaim> shown(PodFacts pod, String name) {
        return cluster.claims()
                .claim(pod.namespace(), name)
                .filter(claim -> claim.allocation().isPresent()
                        && pod.uid()
                                .filter(uid -> claim.reservedFor().contains(uid))
                                .isPresent());
    }

    private ResourceClaim read(PodFacts pod, String name) throws IOException {
        return binder.readClaim(pod.namespace(), name)
                .filter(claim -> claim.allocation().isPresent())
                .orElseThrow(() -> new IOException(
                        "no devices are allocated to a claim of the pod: pod=%s claim=%s; the scheduler will retry the pod"
                                .formatted(pod.key(), name)));
    }
}

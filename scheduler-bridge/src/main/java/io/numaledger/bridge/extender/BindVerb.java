package io.numaledger.bridge.extender;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.NodeFit;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.objects.PodObject;
import io.numaledger.scheduling.batch.ClaimEvaluator;
import io.numaledger.scheduling.gang.Gangs;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.PossibleSnapshots;
import io.numaledger.text.ControlCharacters;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * {@code bind}: the commit point. Evaluates the pod once more and reserves the exact resources in one step, then binds it and
 * writes the predicted placement in one call. If other pods took the resources meanwhile, of zones or of the node as a whole, or the devices
 * of the pod's claims do not lie near its CPUs as the pod requires, the answer is an error and the scheduler retries the pod.
 */
public final class BindVerb {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** How long a bind waits for releases: shorter than kube-scheduler waits for an answer. */
    private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(6);

    /** The watch of kube-scheduler may show the end of a pod before that of the bridge does. */
    private static final Duration WATCH_DELAY = Duration.ofMillis(500);

    private final ClusterState cluster;
    private final Gangs gangs;
    private final Binder binder;
    private final DecisionListener listener;
    private final Set<String> schedulers;
    private final DoubtfulBinds doubtful;
    private final AllocatedClaims claims;

    /**
     * @param nanos a clock that does not jump
     * @param schedulers the names of the schedulers whose pods are bound
     */
    public BindVerb(
            ClusterState cluster,
            Gangs gangs,
            Binder binder,
            DecisionListener listener,
            LongSupplier nanos,
            Set<String> schedulers) {
        this.doubtful = new DoubtfulBinds(cluster, binder, nanos);
        this.claims = new AllocatedClaims(cluster, binder);
        this.schedulers = Set.copyOf(schedulers);
        this.cluster = cluster;
        this.gangs = gangs;
        this.binder = binder;
        this.listener = listener;
    }

    /** @throws IllegalArgumentException for a malformed request */
    public byte[] answer(byte[] body) throws IOException {
        JsonNode args;
        try {
            args = JSON.readTree(body);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "malformed request: %s; send ExtenderBindingArgs as JSON".formatted(e.getOriginalMessage()), e);
        }
        String namespace = required(args, "PodNamespace");
        String name = required(args, "PodName");
        String node = required(args, "Node");
        Optional<String> error = bind(namespace, name, args.path("PodUID").asText(), node);
        return JSON.writeValueAsBytes(
                JSON.createObjectNode().put("Error", ControlCharacters.escaped(error.orElse(""))));
    }

    private static String required(JsonNode args, String field) {
        String value = args == null ? "" : args.path(field).asText();
        if (value.isEmpty()) {
            throw new IllegalArgumentException(
                    "malformed request: %s is missing; send ExtenderBindingArgs as JSON".formatted(field));
        }
        return value;
    }

    private Optional<String> bind(String namespace, String name, String uid, String node) {
        PodFacts pod;
        try {
            Optional<PodFacts> known = cluster.pods()
                    .get(namespace + "/" + name)
                    .filter(facts -> facts.uid().equals(Optional.of(uid)));
            Optional<PodFacts> found = known.isPresent() ? known : binder.read(namespace, name, uid);
            if (found.isEmpty()) {
                return Optional.of("the pod no longer exists: pod=%s/%s uid=%s".formatted(namespace, name, uid));
            }
            pod = found.get();
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
        if (pod.node().equals(Optional.of(node)) && !pod.ended()) {
            return Optional.empty(); // another replica has bound it, and its answer was lost
        }
        Optional<String> obstacle = obstacle(pod).or(() -> cordon(pod, node)).or(() -> gangs.beforeBind(pod, node));
        if (obstacle.isPresent()) {
            gangs.notBound(pod, node, obstacle.get());
            return obstacle;
        }
        Attempt attempt = reserveAndBind(pod, node, true);
        if (attempt.awaited().isPresent()) {
            await(attempt.awaited().get(), pod, node);
            attempt = reserveAndBind(pod, node, false);
        }
        Optional<String> error = attempt.error();
        error.ifPresentOrElse(why -> gangs.notBound(pod, node, why), () -> gangs.bound(pod));
        return error;
    }

    /** What another attempt waits for. */
    private enum Awaited {
        /** The end of the node's terminating pods. */
        RELEASES,
        /** Room by node-level requests. */
        ROOM
    }

    /**
     * What became of an attempt.
     *
     * @param error absent: the pod is bound, or another attempt is made
     * @param awaited before another attempt; absent: none is made
     */
    private record Attempt(Optional<String> error, Optional<Awaited> awaited) {

        static Attempt finished(Optional<String> error) {
            return new Attempt(error, Optional.empty());
        }
    }

    /** @param mayAwait whether a pod that may fit in a moment is left for another attempt */
    private Attempt reserveAndBind(PodFacts pod, String node, boolean mayAwait) {
        Optional<ClaimEvaluator> allocated;
        try {
            allocated = claims.evaluator(pod);
        } catch (IOException | IllegalArgumentException e) {
            listener.bindFailed(pod, node, String.valueOf(e.getMessage()));
            return Attempt.finished(Optional.of(String.valueOf(e.getMessage())));
        }
        return cluster.binds()
                .bind(
                        node,
                        pod,
                        (now, evaluation) -> allocated
                                .map(check -> check.beforeBind(now, evaluation))
                                .orElse(evaluation),
                        evaluation -> {
                            Optional<Awaited> awaited = mayAwait ? awaited(evaluation, pod, node) : Optional.empty();
                            return awaited.isPresent()
                                    ? new Attempt(Optional.empty(), awaited)
                                    : Attempt.finished(
                                            evaluation.isPresent()
                                                    ? commit(pod, node, evaluation.get())
                                                    : Optional.of(
                                                            "the cluster has no such node: node=%s".formatted(node)));
                        });
    }

    private Optional<Awaited> awaited(Optional<Evaluation> evaluation, PodFacts pod, String node) {
        Optional<Refused> refused = evaluation.flatMap(Evaluation::refused);
        if (refused.filter(BindVerb::isOutOfRoom).isPresent()) {
            return Optional.of(Awaited.ROOM);
        }
        return refused.isPresent() && fitsOnlyAfterReleases(pod, node)
                ? Optional.of(Awaited.RELEASES)
                : Optional.empty();
    }

    private static boolean isOutOfRoom(Refused refused) {
        return refused.reason().isAboutNode();
    }

    /** kube-scheduler binds a pod as soon as its victims are gone, and their agent may report that a moment later. */
    private void await(Awaited awaited, PodFacts pod, String node) {
        try {
            var unused = switch (awaited) {
                case RELEASES -> cluster.changes().await(() -> !fitsOnlyAfterReleases(pod, node), RELEASE_TIMEOUT);
                case ROOM -> cluster.changes().await(() -> hasRoom(pod, node), WATCH_DELAY);
            };
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean hasRoom(PodFacts pod, String node) {
        return cluster.use(node)
                .filter(use -> NodeFit.outOf(use.node(), pod, use.pods()).isPresent())
                .isEmpty();
    }

    private boolean fitsOnlyAfterReleases(PodFacts pod, String node) {
        return cluster.snapshots(node).filter(PossibleSnapshots::isReleasing).isPresent()
                && cluster.use(node, cluster.budget(pod, 1))
                        .filter(use -> !use.now().admitsByZones(pod)
                                && use.afterReleases().admitsByZones(pod))
                        .isPresent();
    }

    /** What makes a bind pointless, whoever asks for it. */
    private Optional<String> obstacle(PodFacts pod) {
        if (!schedulers.contains(pod.scheduler())) {
            return Optional.of(
                    "this bridge does not bind pods of this scheduler: pod=%s scheduler=%s; see --scheduler-names"
                            .formatted(pod.key(), pod.scheduler()));
        }
        if (pod.node().isPresent()) {
            return Optional.of("the pod is bound already: pod=%s node=%s"
                    .formatted(pod.key(), pod.node().get()));
        }
        return pod.terminating() || pod.ended()
                ? Optional.of("the pod is terminating or has ended: pod=%s".formatted(pod.key()))
                : Optional.empty();
    }

    /** A node may be cordoned after kube-scheduler has chosen it. Pods that are bound while its kubelet restarts may be refused. */
    private Optional<String> cordon(PodFacts pod, String node) {
        return cluster.snapshot(node)
                .filter(known -> known.node().constraints().unschedulable()
                        && !pod.constraints().toleratesCordon())
                .map(known -> "the node has been cordoned: node=%s".formatted(node));
    }

    private Optional<String> commit(PodFacts pod, String node, Evaluation evaluation) {
        if (evaluation instanceof Refused refused) {
            listener.bindRefused(pod, node, refused);
            return Optional.of((isOutOfRoom(refused) ? "" : PodObject.REFUSED_FOR_ZONES)
                    + "node %s does not fit the pod any more: %s".formatted(node, why(pod, refused)));
        }
        try {
            binder.bind(pod, node, placement(evaluation));
            listener.bound(pod, node, evaluation);
            return Optional.empty();
        } catch (IOException e) {
            if (doubtful.isBound(pod, node, e instanceof Binder.RefusedException)) {
                listener.bound(pod, node, evaluation);
                return Optional.empty();
            }
            listener.bindFailed(pod, node, String.valueOf(e.getMessage()));
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /** The summary, except where devices are known that the pod has got. */
    private static String why(PodFacts pod, Refused refused) {
        return refused.reason().isAboutClaims()
                ? PodNames.of(pod.namespace()).text(refused.message())
                : refused.summary();
    }

    /** Looks up binds whose outcome is unknown. Call it about once a second. */
    public void lookUp() {
        doubtful.lookUp();
    }

    private static Optional<PredictedPlacement> placement(Evaluation evaluation) {
        return evaluation instanceof Fits fits ? fits.placement() : Optional.empty();
    }
}

package io.numaledger.scheduling.rehearsal;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.NodeFit;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.PodHolding;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.scheduling.rehearsal.ChangeRehearsal.By;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** A kubelet that starts with another configuration, and looks at its pods one after the other. */
final class KubeletStart {

    private static final String NOT_PUBLISHED = "what it holds is not published in full";
    private static final String PLUGIN_LATER =
            "it ends if the plugin of its devices registers after its kubelet has looked at it";

    private final RehearsedCluster cluster;
    private final By by;
    private final ReconfiguredNode start;
    private final Set<String> held;
    private final Set<String> onOneZone;
    private final Set<String> assumed;
    private final boolean alignsOtherwise;
    private final KubeletRules running;
    private final boolean overAllFiles;
    private NodeState state;
    private boolean certain = true;
    private Optional<String> failure = Optional.empty();
    private final List<PodFacts> left = new ArrayList<>();
    private final List<RehearsedPod> stays = new ArrayList<>();
    private final List<RehearsedPod> ended = new ArrayList<>();

    /** @param overAllFiles whether the kubelet remembers what all pods hold */
    KubeletStart(
            RehearsedCluster cluster,
            By by,
            ReconfiguredNode start,
            NodeState state,
            NodeSnapshot before,
            boolean overAllFiles) {
        this.cluster = cluster;
        this.by = by;
        this.start = start;
        this.state = state;
        this.overAllFiles = overAllFiles;
        this.held = before.pods().stream().map(PodHolding::key).collect(Collectors.toSet());
        this.onOneZone = before.pods().stream()
                .filter(pod -> pod.placement().zones().size() == 1)
                .map(PodHolding::key)
                .collect(Collectors.toSet());
        this.running = before.model().kubelet().orElseThrow().rules();
        this.alignsOtherwise = !running.config()
                .topologyManager()
                .equals(start.kubelet().rules().config().topologyManager());
        this.assumed = before.assumptions().stream()
                .flatMap(each -> each.pod().stream())
                .map(Object::toString)
                .collect(Collectors.toSet());
    }

    /** Looks at all pods, in the kubelet's order, or up to the first at which it fails. */
    void lookAt(List<PodFacts> pods) {
        List<PodFacts> ordered = cluster.inKubeletOrder(pods);
        for (PodFacts pod : ordered) {
            if (failure.isEmpty()) {
                at(pod, cluster.isTied(pod, ordered));
            }
        }
    }

    /** Why it panics or hangs at one of its pods; empty: it does not. */
    Optional<String> failure() {
        return failure;
    }

    /** What it has given to its pods. */
    NodeState state() {
        return state;
    }

    /** The pods that go on, or may go on. */
    List<PodFacts> left() {
        return left;
    }

    /** The same pods, with what becomes of them. */
    List<RehearsedPod> stays() {
        return stays;
    }

    /** The pods that it ends. */
    List<RehearsedPod> ended() {
        return ended;
    }

    /** @param tied whether it is open in which order the kubelet looks at it and another pod */
    private void at(PodFacts pod, boolean tied) {
        certain &= overAllFiles || !tied;
        Optional<String> outOf = NodeFit.outOf(start.node(), pod, left);
        if (outOf.isPresent()) {
            state = start.kubelet().ended(state, pod.key());
            end(pod, outOf.get());
        } else if (pod.node().isPresent() && pod.needsAlignment() && !held.contains(pod.key())) {
            keep(pod, state, NOT_PUBLISHED);
        } else {
            decide(pod);
        }
    }

    private void decide(PodFacts pod) {
        Decision decision = decision(pod.request());
        PodRequest lasting = pod.request().withoutPlainInit();
        boolean isKnown = lasting.equals(pod.request()) && !assumed.contains(pod.key());
        if (decision.admission() instanceof Admission.KubeletFailure fails) {
            failure = Optional.of(fails.why());
        } else if (running.managesAsAWhole(pod.request())) {
            keep(pod, decision.admission().isAdmitted() ? decision.state() : state, NOT_PUBLISHED);
        } else if (mayMissPlugin(pod)) {
            keep(pod, decision.admission().isAdmitted() ? decision.state() : state, PLUGIN_LATER);
        } else if (!pod.needsAlignment() || (isKnown && certain)) {
            decided(pod, decision);
        } else if (overAllFiles) {
            remembered(pod, decision, decision(lasting));
        } else {
            certain = false;
            keep(pod, decision.admission().isAdmitted() ? decision.state() : state, NOT_PUBLISHED);
        }
    }

    /**
     * The kubelet remembers what a pod's plain init containers got, and nobody publishes it by container. It keeps the pod for sure if it
     * would do so whether they get that anew or nothing.
     *
     * @param all if they got what they request anew
     * @param lasting without them
     */
    private void remembered(PodFacts pod, Decision all, Decision lasting) {
        boolean isSure = all.admission().isAdmitted()
                && lasting.admission().isAdmitted()
                && (!alignsOtherwise || onOneZone.contains(pod.key()));
        keep(
                pod,
                lasting.admission().isAdmitted() ? start.kubelet().started(lasting.state(), pod.request()) : state,
                isSure ? "" : NOT_PUBLISHED);
    }

    private void decided(PodFacts pod, Decision decision) {
        Optional<Refusal> refusal = decision.admission().refused();
        if (refusal.isPresent()) {
            state = decision.state();
            end(pod, text(refusal.get()));
        } else {
            keep(pod, start.kubelet().started(decision.state(), pod.request()), "");
        }
    }

    /** A kubelet refuses containers that do not run, and have devices of a plugin that has not registered yet. */
    private boolean mayMissPlugin(PodFacts pod) {
        Set<String> devices = start.kubelet().machine().devices().keySet();
        return pod.request().inAllocationOrder().stream()
                .filter(container -> by == By.REBOOT || container.kind() == ContainerRequest.Kind.PLAIN_INIT)
                .anyMatch(container ->
                        container.resources().requests().keySet().stream().anyMatch(devices::contains));
    }

    private Decision decision(PodRequest request) {
        return by == By.REBOOT
                ? start.kubelet().admit(state, request)
                : start.kubelet().readmit(state, request);
    }

    private void keep(PodFacts pod, NodeState now, String why) {
        state = now;
        left.add(pod);
        stays.add(RehearsedPod.of(pod, start.node().name(), why.isEmpty() ? Fate.STAYS : Fate.UNCERTAIN, why));
    }

    private void end(PodFacts pod, String why) {
        ended.add(cluster.ended(pod, start.node().name(), why));
    }

    private static String text(Refusal refusal) {
        return "%s: %s"
                .formatted(
                        refusal.reason(), refusal.message().orElse("the kubelet names any one of several resources"));
    }
}

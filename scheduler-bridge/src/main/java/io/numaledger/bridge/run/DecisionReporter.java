package io.numaledger.bridge.run;

import io.numaledger.bridge.extender.DecisionListener;
import io.numaledger.bridge.extender.FilterResult;
import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.metrics.DecisionMetrics.BindOutcome;
import io.numaledger.bridge.run.Workers.Worker;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.evaluation.alignment.AlignmentDemand;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupMembership;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.Evaluation.Unknown;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.link.GpuLinks;
import io.numaledger.evaluation.spread.SpreadCheck;
import io.numaledger.scheduling.audit.PredictionAudit;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.PlanningResult;
import io.numaledger.scheduling.preemption.Victims;
import io.numaledger.scheduling.scheduler.SchedulerCalls;
import io.numaledger.scheduling.state.PodInFlight;
import io.numaledger.scheduling.state.PossibleSnapshots;
import io.numaledger.scheduling.state.ReservationListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Reports decisions as events, metrics and log lines. */
final class DecisionReporter implements DecisionListener, ReservationListener, GroupListener {

    private static final Logger log = LoggerFactory.getLogger(DecisionReporter.class);

    /** A call may concern hundreds of nodes. */
    private static final int NODES_LOGGED = 5;

    private final BridgeMetrics metrics;
    private final PodEvents events;
    private final SchedulerCalls calls;
    private final PredictionAudit audit;
    private final AuditReporter audited;
    private final GroupWarnings warnings;

    DecisionReporter(BridgeMetrics metrics, PodEvents events, SchedulerCalls calls, PredictionAudit audit) {
        this.metrics = metrics;
        this.events = events;
        this.calls = calls;
        this.audit = audit;
        this.audited = new AuditReporter(audit, metrics.placements());
        this.warnings = new GroupWarnings(events, InstantSource.system());
    }

    void start(Workers workers) {
        workers.every(PredictionAudit.SETTLED, Worker.REPORTER, "audit", audited::settle);
    }

    @Override
    public void filtered(PodFacts pod, FilterResult result) {
        calls.filtered(pod);
        int admitting = result.admitting();
        int unknown = result.unknown();
        metrics.decisions().filtered("fits", "", admitting - unknown);
        metrics.decisions().filtered("unknown", "", unknown);
        byReason(result).forEach((reason, nodes) -> metrics.decisions().filtered("refused", reason, nodes));
    }

    private static Map<String, Integer> byReason(FilterResult result) {
        Map<String, Integer> byReason = new TreeMap<>();
        result.refusals()
                .forEach((refused, nodes) -> byReason.merge(refused.reason().toString(), nodes, Integer::sum));
        return byReason;
    }

    @Override
    public void refused(PodFacts pod, FilterResult result) {
        Map<Refused, Integer> refusals = result.refusals();
        if (result.invalid().isPresent()) {
            events.warn(pod, invalid(pod), result.invalid().get());
        } else if (!refusals.isEmpty()
                && refusals.keySet().stream().noneMatch(each -> each.reason().isPassing())) {
            UnschedulableMessage message = UnschedulableMessage.of(refusals);
            events.warn(
                    pod,
                    "NumaUnschedulable",
                    message.reasons(),
                    () -> sentence(message, pod, result.example(message.mostFrequent())));
        }
    }

    private static String sentence(UnschedulableMessage message, PodFacts pod, FilterResult.Example example) {
        return message.sentence(example.node(), PodNames.of(pod.namespace()).text(example.message()), pod.key());
    }

    /** The reason of the event about an invalid annotation. */
    private static String invalid(PodFacts pod) {
        if (fails(() -> GpuLinks.of(pod))) {
            return "InvalidGpuLinks";
        }
        return fails(() -> AlignmentDemand.of(pod)) ? "InvalidClaimAlignment" : "InvalidNumaSpread";
    }

    private static boolean fails(Runnable reading) {
        try {
            reading.run();
            return false;
        } catch (IllegalArgumentException invalid) {
            return true;
        }
    }

    @Override
    public void bound(PodFacts pod, String node, Evaluation evaluation) {
        metrics.decisions().bind(BindOutcome.BOUND);
        events.forget(pod);
        String zones = Optional.of(evaluation)
                .filter(Fits.class::isInstance)
                .flatMap(fits -> ((Fits) fits).placement())
                .map(predicted -> predicted.placement().zones().keySet().toString())
                .orElse("-");
        log.info("event=pod.bound pod={} node={} zones={}", pod.key(), node, zones);
    }

    @Override
    public void bindRefused(PodFacts pod, String node, Refused refused) {
        metrics.decisions().bind(BindOutcome.REFUSED);
        String reason = PodNames.of(pod.namespace()).text(refused.message());
        log.info("event=bind.refused pod={} node={} reason=\"{}\"", pod.key(), node, reason);
        if (refused.reason().isAboutClaims()) {
            events.warn(pod, "ClaimsNotAligned", "not bound to node %s: %s".formatted(node, reason));
        }
    }

    @Override
    public void bindFailed(PodFacts pod, String node, String why) {
        metrics.decisions().bind(BindOutcome.FAILED);
        log.warn("event=bind.failed pod={} node={} error=\"{}\"", pod.key(), node, why);
    }

    @Override
    public void preempting(PodFacts pod, int proposed, SortedMap<String, Victims> victims) {
        if (victims.isEmpty()) {
            log.debug("event=preemption.left_out pod={} nodes={}", pod.key(), proposed);
            return;
        }
        log.info(
                "event=preemption.answered pod={} nodes={} left_out={} victims=\"{}\"",
                pod.key(),
                victims.size(),
                proposed - victims.size(),
                victims.entrySet().stream()
                        .limit(NODES_LOGGED)
                        .map(node -> "%s: %s"
                                .formatted(
                                        node.getKey(),
                                        node.getValue().pods().stream()
                                                .map(PodFacts::key)
                                                .collect(Collectors.joining(","))))
                        .collect(Collectors.joining("; ")));
    }

    @Override
    public void planned(Group group, Outcome outcome, int needed, PlanningResult result) {
        metrics.groups().planned(outcome);
        if (outcome == Outcome.REFUSED) {
            warnings.warn(
                    group,
                    "GroupUnschedulable",
                    String.join("; ", result.notes()),
                    "%d pods have to run together, beside those that run; %s%d fit%s%s"
                            .formatted(
                                    needed,
                                    result.cutOff() ? "at least " : "",
                                    result.placeable(),
                                    result.cutOff() ? "; the search has reached its limit" : "",
                                    result.notes().stream()
                                            .map(note -> "; " + note)
                                            .collect(Collectors.joining())));
        } else if (outcome == Outcome.PLANNED) {
            warnings.planned(group);
        }
        log.debug(
                "event=group.planned group={} outcome={} needed={} placeable={} nodes={}",
                group.name(),
                outcome,
                needed,
                result.placeable(),
                result.plan().map(plan -> plan.byNode().keySet()).orElse(Set.of()));
    }

    private boolean warn(Group group, String reason, String sentence) {
        return group.object()
                .map(object -> events.warn(object, reason, sentence, () -> sentence))
                .orElseGet(() -> events.warn(group.pod(), reason, sentence));
    }

    @Override
    public void memberNotBound(Group group, String node, String why) {
        metrics.groups().memberNotBound();
        log.warn(
                "event=group.member_not_bound group={} pod={} node={} error=\"{}\"",
                group.name(),
                group.pod().key(),
                node,
                why);
        warn(
                group,
                "GroupMemberNotBound",
                "pod %s could not be bound to node %s: %s".formatted(group.pod().key(), node, why));
    }

    @Override
    public void sizeUnknown(Group group) {
        String sentence = "nothing says how many pods of group %s have to run together; set the annotation %s"
                .formatted(group.name().name(), PodGroupMembership.MIN_MEMBER);
        warnings.warn(group, "GroupSizeUnknown", "", sentence);
    }

    @Override
    public void invalid(Group group, String why) {
        warnings.warn(group, "GroupInvalid", why, why);
    }

    @Override
    public void gone(PodGroupName group) {
        warnings.gone(group);
    }

    @Override
    public void failed(Group group, Throwable failure) {
        metrics.taskFailed("groups");
        log.error("event=group.check_failed group={}", group.name(), failure);
    }

    @Override
    public void preempting(Group group, List<PodFacts> victims) {
        log.info(
                "event=group.preempting group={} victims={}",
                group.name(),
                victims.stream().map(PodFacts::key).collect(Collectors.joining(",")));
    }

    @Override
    public void gaveUp(Group group, int placed, int least) {
        metrics.groups().givenUp();
        log.warn("event=group.given_up group={} pods={} needed={}", group.name(), placed, least);
        warn(
                group,
                "GroupGivenUp",
                "only %d of %d pods came up in time; they are evicted, and the group is planned anew"
                        .formatted(placed, least));
    }

    @Override
    public void predicted(PodFacts pod, PossibleSnapshots node, PredictedPlacement placement) {
        audit.predicted(pod, node, placement);
    }

    @Override
    public void cancelled(PodFacts pod) {
        audit.forget(pod);
    }

    @Override
    public void released(PodFacts pod, PodInFlight reservation) {
        audited.released(pod);
    }

    @Override
    public void rejected(PodFacts pod, Evaluation evaluation) {
        String reason = pod.reason().orElse("Unknown");
        metrics.placements().kubeletRejectedAfterBind(reason);
        audited.rejected(pod);
        log.warn(
                "event=pod.rejected pod={} node={} reason={} predicted=\"{}\" message=\"{}\"",
                pod.key(),
                pod.node().orElse(""),
                reason,
                predicted(pod, evaluation),
                pod.message().orElse("").replace('"', '\''));
    }

    private static String predicted(PodFacts pod, Evaluation evaluation) {
        if (evaluation instanceof Unknown unknown) {
            return PodNames.of(pod.namespace()).text(unknown.why());
        }
        return evaluation instanceof Fits fits && fits.placement().isPresent()
                ? "fits zones " + fits.placement().get().placement().zones()
                : "fits";
    }

    void podDeleted(PodFacts pod) {
        events.forget(pod);
        audit.forget(pod);
    }

    /** Compares what was observed with the pod's maximum spread. */
    void podChanged(PodFacts pod) {
        try {
            SpreadCheck.exceeded(pod)
                    .filter(sentence -> events.warn(pod, "NumaSpreadExceeded", sentence))
                    .ifPresent(sentence -> metrics.placements().spreadViolated());
        } catch (IllegalArgumentException e) {
            log.debug("event=spread.unreadable pod={} error=\"{}\"", pod.key(), e.getMessage());
        }
    }
}

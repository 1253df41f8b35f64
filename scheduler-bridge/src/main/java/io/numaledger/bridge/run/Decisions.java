package io.numaledger.bridge.run;

import io.numaledger.annotation.Annotations;
import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.extender.DecisionLog;
import io.numaledger.bridge.ledger.Reservation;
import io.numaledger.bridge.ledger.ReservationListener;
import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.span.SpanCeiling;
import io.numaledger.bridge.span.SpanCheck;
import io.numaledger.bridge.verdict.Outcome;
import io.numaledger.bridge.verdict.Verdict;
import io.numaledger.bridge.watch.PodEvents;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Makes events, metrics and log lines of what was decided. */
final class Decisions implements DecisionLog, ReservationListener {

    private static final Logger log = LoggerFactory.getLogger(Decisions.class);

    private final BridgeMetrics metrics;
    private final PodEvents events;

    Decisions(BridgeMetrics metrics, PodEvents events) {
        this.metrics = metrics;
        this.events = events;
    }

    @Override
    public void filtered(PodFacts pod, int kept, Map<Outcome, Integer> refused, String invalid) {
        metrics.decided("fits", "", kept);
        Map<String, Integer> reasons = new TreeMap<>();
        refused.forEach(
                (outcome, nodes) -> reasons.merge(outcome.code().orElseThrow().toString(), nodes, Integer::sum));
        reasons.forEach((reason, nodes) -> metrics.decided("refused", reason, nodes));
        if (!invalid.isEmpty()) {
            events.warn(pod, "InvalidNumaSpread", invalid);
        } else if (kept == 0 && !refused.isEmpty() && !reasons.containsKey(Verdict.Code.HELD.toString())) {
            events.warn(pod, "NumaUnplaceable", sentence(refused));
        }
    }

    private static String sentence(Map<Outcome, Integer> refused) {
        Map<String, Integer> sentences = new TreeMap<>();
        refused.forEach((outcome, nodes) -> sentences.merge(outcome.sentence(), nodes, Integer::sum));
        var most = sentences.entrySet().stream()
                .max(Comparator.comparingInt(Map.Entry::getValue))
                .orElseThrow();
        int nodes = sentences.values().stream().mapToInt(Integer::intValue).sum();
        return "no NUMA zones for this pod on %d node%s; %d of them: %s"
                .formatted(nodes, nodes == 1 ? "" : "s", most.getValue(), most.getKey());
    }

    @Override
    public void bound(PodFacts pod, String node, Optional<Verdict> verdict) {
        metrics.bind("bound");
        events.forget(pod);
        log.info(
                "event=pod.bound pod={} node={} zones={} confidence={}",
                pod.key(),
                node,
                verdict.map(each -> each.placement().zones().keySet().toString())
                        .orElse("-"),
                verdict.map(each -> each.confidence().toString()).orElse("-"));
    }

    @Override
    public void bindRefused(PodFacts pod, String node, Verdict verdict) {
        metrics.bind("refused");
        log.info("event=bind.refused pod={} node={} why=\"{}\"", pod.key(), node, verdict.sentence());
    }

    @Override
    public void bindFailed(PodFacts pod, String node, String why) {
        metrics.bind("failed");
        log.warn("event=bind.failed pod={} node={} why=\"{}\"", pod.key(), node, why);
    }

    @Override
    public void released(PodFacts pod, Reservation reservation) {
        if (pod.phase().equals("Failed") && pod.reason().isPresent()) {
            metrics.rejectedInSpiteOfUs(pod.reason().get());
            log.warn(
                    "event=pod.rejected pod={} node={} reason={} predicted={}",
                    pod.key(),
                    pod.node().orElse(""),
                    pod.reason().get(),
                    reservation.placement().zones());
            return;
        }
        pod.annotation(Annotations.OBSERVED).ifPresent(text -> {
            boolean same = text.equals(ObservedPlacementText.write(reservation.placement()));
            metrics.observed(same);
            if (!same) {
                log.info(
                        "event=prediction.missed pod={} node={} predicted={} observed={}",
                        pod.key(),
                        pod.node().orElse(""),
                        ObservedPlacementText.write(reservation.placement()),
                        text);
            }
        });
    }

    void podGone(PodFacts pod) {
        events.forget(pod);
    }

    /** Holds what was observed against the pod's ceiling. */
    void podChanged(PodFacts pod) {
        Optional<String> observed = pod.annotation(Annotations.OBSERVED);
        if (observed.isEmpty() || pod.annotation(SpanCeiling.ANNOTATION).isEmpty()) {
            return;
        }
        try {
            SpanCeiling ceiling = SpanCeiling.of(pod).orElseThrow();
            int span = SpanCheck.span(ceiling, ObservedPlacementText.read(observed.get()));
            String sentence = "pod allows at most %d NUMA zone%s and runs over %d"
                    .formatted(ceiling.zones(), ceiling.zones() == 1 ? "" : "s", span);
            if (span > ceiling.zones() && events.warn(pod, "NumaSpreadExceeded", sentence)) {
                metrics.spanMissed();
            }
        } catch (IllegalArgumentException e) {
            log.debug("event=span.unreadable pod={} why=\"{}\"", pod.key(), e.getMessage());
        }
    }
}

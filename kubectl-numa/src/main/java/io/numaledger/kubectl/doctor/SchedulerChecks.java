package io.numaledger.kubectl.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.cli.Finding;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.scheduler.SchedulerCheck;
import io.numaledger.scheduling.scheduler.SchedulerCheck.BridgeCalls;
import io.numaledger.scheduling.scheduler.SchedulerFinding;
import io.numaledger.scheduling.scheduler.SchedulerLeases;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Whether a scheduler tries each pod, and calls the bridge. */
final class SchedulerChecks {

    private static final String ABOUT = "schedulers";
    private static final String NAMES = "--scheduler-names=";

    private SchedulerChecks() {}

    /** @param hasZones whether zones of a node are known */
    static List<Finding> of(ClusterPods pods, Predicate<String> hasZones, SchedulerLeases leases, Instant now) {
        Optional<BridgeCalls> bridge = since(pods.bridges()).map(since -> new BridgeCalls(since, Set.of(), hasZones));
        List<Finding> found = new ArrayList<>();
        SchedulerCheck check = new SchedulerCheck(names(pods.bridges()), bridge, leases);
        for (SchedulerFinding finding : check.findings(pods.facts(), now)) {
            List<String> keys = finding.pods().stream().map(PodFacts::key).toList();
            String message = finding.message("the " + Names.of("pods", keys));
            found.add(
                    finding.kind() == SchedulerFinding.Kind.BOUND_WITHOUT_BRIDGE
                            ? Finding.fail(ABOUT, message)
                            : Finding.warn(ABOUT, message));
        }
        if (found.isEmpty()) {
            found.add(
                    Finding.ok(
                            ABOUT,
                            leases.areRead()
                                    ? "no pod waits for a scheduler that does not try it"
                                    : "no pod waits for a scheduler that has never tried it; whether schedulers still run is not known"));
        }
        return found;
    }

    /** The names of the schedulers that should call the bridge. */
    private static Set<String> names(List<JsonNode> bridges) {
        for (JsonNode bridge : bridges) {
            for (JsonNode argument : bridge.at("/spec/containers/0/args")) {
                if (argument.asText().startsWith(NAMES)) {
                    return Set.copyOf(Arrays.asList(
                            argument.asText().substring(NAMES.length()).split(",")));
                }
            }
        }
        return SchedulerCheck.DEFAULT_NAMES;
    }

    private static Optional<Instant> since(List<JsonNode> bridges) {
        return bridges.stream()
                .map(pod -> pod.at("/status/startTime").asText())
                .filter(time -> !time.isEmpty())
                .map(Instant::parse)
                .min(Instant::compareTo);
    }
}

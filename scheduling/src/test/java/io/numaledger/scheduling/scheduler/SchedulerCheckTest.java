package io.numaledger.scheduling.scheduler;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.scheduler.SchedulerCheck.BridgeCalls;
import io.numaledger.scheduling.scheduler.SchedulerFinding.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/** It is 10:00. The bridge started at 09:00. */
class SchedulerCheckTest {

    private static final Instant NOW = at("10:00:00");
    private static final Set<String> NAMES = SchedulerCheck.DEFAULT_NAMES;
    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";

    private static final String OBSERVED =
            "numaledger.io/placement: '{\"containers\":[{\"name\":\"c\",\"cpus\":\"1-4\"}]}'";
    private static final String PREDICTED =
            "kai.scheduler/numa-placement-predicted: '[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"4\"}}]'";

    private static Instant at(String time) {
        return Instant.parse("2026-11-25T%sZ".formatted(time));
    }

    private static String pending(String name, String scheduler, String created, String spec, String status) {
        return ClusterYaml.pod(
                name,
                CPUS_4,
                ", creationTimestamp: \"%s\"".formatted(at(created)),
                "  schedulerName: %s%s".formatted(scheduler, spec.isEmpty() ? "" : "\n  " + spec),
                ", phase: Pending" + status);
    }

    private static String refusedAt(String time, String message) {
        return ", conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable, message: \"%s\", lastTransitionTime: \"%s\"}]"
                .formatted(message, at(time));
    }

    private static String bound(String name, String scheduler, String started, String annotations) {
        return ClusterYaml.pod(
                name,
                CPUS_4,
                ", annotations: {%s}".formatted(annotations),
                "  schedulerName: %s\n  nodeName: n".formatted(scheduler),
                ", phase: Running, startTime: \"%s\"".formatted(at(started)));
    }

    private static List<PodFacts> read(String... pods) {
        return ClusterYaml.read(pods).pods();
    }

    private static List<SchedulerFinding> without(String... pods) {
        return with(SchedulerLeases.UNREAD, pods);
    }

    private static List<SchedulerFinding> with(SchedulerLeases leases, String... pods) {
        return new SchedulerCheck(NAMES, Optional.empty(), leases).findings(read(pods), NOW);
    }

    private static List<SchedulerFinding> withBridge(Set<String> callers, String... pods) {
        return new SchedulerCheck(
                        NAMES,
                        Optional.of(new BridgeCalls(at("09:00:00"), callers, "n"::equals)),
                        SchedulerLeases.UNREAD)
                .findings(read(pods), NOW);
    }

    @Test
    void namesASchedulerThatDoesNotExist() {
        List<SchedulerFinding> findings = without(
                pending("late", "numaleger", "09:58:00", "", ""), pending("early", "numaleger", "09:57:00", "", ""));
        assertThat(findings).hasSize(1);
        assertThat(findings.get(0).kind()).isEqualTo(Kind.UNKNOWN_SCHEDULER);
        assertThat(findings.get(0).pods()).extracting(PodFacts::name).containsExactly("early", "late");
        assertThat(findings.get(0).message("pods=default/early,default/late"))
                .isEqualTo(
                        "no scheduler named numaleger has tried pods=default/early,default/late for 3m; correct schedulerName, or start that scheduler; known: default-scheduler, numaledger; did you mean numaledger?");
    }

    @Test
    void saysOfOnePodHowLongItWasNotTried() {
        List<PodFacts> pods = read(
                pending("late", "numaledger", "09:59:20", "", ""), pending("early", "numaledger", "08:00:00", "", ""));
        assertThat(new SchedulerCheck(NAMES, Optional.empty(), SchedulerLeases.UNREAD)
                        .of(pods.get(0), pods, NOW)
                        .orElseThrow()
                        .message("this pod"))
                .isEqualTo(
                        "the scheduler numaledger has not tried this pod for 40s; check that it runs, or correct schedulerName; known: default-scheduler, numaledger");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            created a moment ago        | numaledger | 09:59:40 |                                                               | NONE
            a scheduler that is down    | numaledger | 09:59:20 |                                                               | NOT_TRIED
            gated                       | numaledger | 09:50:00 | schedulingGates: [{name: example.com/quota}]                  | NONE
            of a group, others missing  | numaledger | 09:50:00 | schedulingGroup: {podGroupName: g}                            | NONE
            a claim that may be missing | numaledger | 09:50:00 | resourceClaims: [{name: gpu, resourceClaimName: gpu}]         | NONE
            of a group, and a wrong name| numaleger  | 09:50:00 | schedulingGroup: {podGroupName: g}                            | UNKNOWN_SCHEDULER
            """)
    void findsPodsThatNobodyTries(String situation, String scheduler, String created, String spec, String kind) {
        assertThat(without(pending("x", scheduler, created, spec == null ? "" : spec, "")))
                .extracting(finding -> finding.kind().name())
                .isEqualTo(kind.equals("NONE") ? List.of() : List.of(kind));
    }

    @Test
    void findsNothingOfAPodThatWasTried() {
        assertThat(without(pending("x", "numaleger", "09:00:00", "", refusedAt("09:00:01", "0/1 nodes"))))
                .isEmpty();
    }

    @Test
    void findsTriedPodsOfASchedulerThatDoesNotRunAnyMore() {
        SchedulerLeases ended =
                SchedulerLeases.read(Map.of("kube-scheduler", at("09:59:58"), "numaledger", at("09:55:00")));
        String tried = pending("x", "numaledger", "09:00:00", "", refusedAt("09:00:01", "0/1 nodes"));
        List<SchedulerFinding> findings = with(
                ended, tried, bound("b", "numaledger", "09:54:59", ""), pending("y", "numaleger", "09:00:00", "", ""));
        assertThat(findings)
                .extracting(SchedulerFinding::kind)
                .containsExactly(Kind.NOT_RUNNING, Kind.UNKNOWN_SCHEDULER);
        assertThat(findings.get(0).message("the pods=default/x"))
                .isEqualTo(
                        "the scheduler numaledger does not run: its Lease kube-system/numaledger was last renewed 5m ago, so that nobody tries the pods=default/x; start it, or create the pods anew with another schedulerName; known: default-scheduler");
        assertThat(findings.get(1).message("this pod"))
                .as("no hint at a scheduler that does not run")
                .endsWith("known: default-scheduler");

        List<PodFacts> pods = read(tried);
        assertThat(new SchedulerCheck(NAMES, Optional.empty(), ended)
                        .of(pods.get(0), pods, NOW)
                        .map(found -> found.message("this pod")))
                .hasValueSatisfying(
                        text -> assertThat(text).contains("was last renewed 5m ago, so that nobody tries this pod;"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            another replica leads soon           | numaledger | 09:59:30 | 09:00:01 | default-scheduler, numaledger
            it runs without its former Lease     | numaledger | 08:00:00 | 09:30:00 | default-scheduler, numaledger
            there is no Lease of it              | volcano    | 08:00:00 | 09:30:00 | default-scheduler, numaledger
            """)
    void aSchedulerThatMayRunIsLeftAlone(String situation, String lease, String renewed, String tried, String known) {
        SchedulerLeases leases = SchedulerLeases.read(Map.of(lease, at(renewed)));
        String pod = pending("x", "numaledger", "09:00:00", "", refusedAt(tried, "0/1 nodes"));
        assertThat(with(leases, pod)).isEmpty();
        assertThat(with(leases, pod, pending("y", "numaleger", "09:00:00", "", "")))
                .singleElement()
                .satisfies(found -> assertThat(found.message("this pod")).contains("known: " + known));
    }

    @Test
    void knowsNoSchedulerUnderWhoseNameNothingRuns() {
        assertThat(with(SchedulerLeases.read(Map.of()), pending("x", "numaledger", "09:57:00", "", "")))
                .singleElement()
                .satisfies(
                        found -> assertThat(found.message("this pod"))
                                .isEqualTo(
                                        "no scheduler named numaledger has tried this pod for 3m; correct schedulerName, or start that scheduler; known: default-scheduler"));
    }

    @Test
    void gatesAreNoAttempt() {
        String gated =
                ", conditions: [{type: PodScheduled, status: \"False\", reason: SchedulingGated, message: \"Scheduling is blocked\"}]";
        assertThat(without(pending("x", "numaleger", "09:00:00", "", gated)))
                .extracting(SchedulerFinding::kind)
                .containsExactly(Kind.UNKNOWN_SCHEDULER);
    }

    @Test
    void leavesTimeToASchedulerThatIsBusy() {
        String waiting = pending("x", "numaledger", "09:55:00", "", "");
        assertThat(without(waiting, bound("b", "numaledger", "09:59:45", "")))
                .as("it binds")
                .isEmpty();
        assertThat(without(waiting, pending("r", "numaledger", "09:55:00", "", refusedAt("09:59:45", "0/1 nodes"))))
                .as("it tries")
                .isEmpty();
        assertThat(without(waiting, bound("b", "numaledger", "09:59:00", "")))
                .extracting(SchedulerFinding::kind)
                .containsExactly(Kind.NOT_TRIED);
    }

    @Test
    void leavesTheQueuesOfOtherSchedulersToThem() {
        assertThat(without(pending("x", "volcano", "09:00:00", "", ""), bound("b", "volcano", "08:00:00", "")))
                .isEmpty();
    }

    @Test
    void findsPodsThatWereBoundWithoutTheBridge() {
        List<SchedulerFinding> findings = withBridge(
                Set.of(),
                bound("x", "default-scheduler", "09:30:00", OBSERVED),
                bound("before", "default-scheduler", "08:30:00", OBSERVED),
                bound("small", "default-scheduler", "09:30:00", ""));
        assertThat(findings).extracting(SchedulerFinding::kind).containsExactly(Kind.BOUND_WITHOUT_BRIDGE);
        assertThat(findings.get(0).pods()).extracting(PodFacts::name).containsExactly("x");
        assertThat(findings.get(0).message("pods=default/x"))
                .startsWith("the scheduler default-scheduler has bound pods=default/x without calling the bridge");
    }

    @Test
    void findsPodsThatAKubeletRefusedBecauseNobodyAsked() {
        assertThat(withBridge(
                        Set.of(),
                        bound("x", "default-scheduler", "09:30:00", "")
                                .replace("phase: Running", "phase: Failed, reason: TopologyAffinityError")))
                .extracting(SchedulerFinding::kind)
                .containsExactly(Kind.BOUND_WITHOUT_BRIDGE);
    }

    @Test
    void oneCallerIsEnough() {
        String past = bound("x", "default-scheduler", "09:30:00", OBSERVED);
        assertThat(withBridge(Set.of("numaledger"), past))
                .as("as a replica remembers")
                .isEmpty();
        assertThat(withBridge(Set.of(), past, bound("y", "numaledger", "09:30:00", OBSERVED + ", " + PREDICTED)))
                .as("as a pod shows")
                .isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            another scheduler            | schedulerName: default-scheduler | schedulerName: volcano
            a node without known zones   | nodeName: n                      | nodeName: m
            a static pod                 | annotations: {                   | annotations: {kubernetes.io/config.mirror: x,
            """)
    void findsNothingWhereNobodyHadToAsk(String situation, String before, String after) {
        String pod = bound("x", "default-scheduler", "09:30:00", OBSERVED);
        assertThat(pod).contains(before);
        assertThat(withBridge(Set.of(), pod.replace(before, after))).isEmpty();
    }
}

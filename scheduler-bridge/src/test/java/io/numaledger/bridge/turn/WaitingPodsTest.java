package io.numaledger.bridge.turn;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.numaledger.bridge.Cluster;
import io.numaledger.bridge.cluster.ClusterObjects;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.cluster.SchedulingTerms;
import io.numaledger.bridge.ledger.Ledger;
import io.numaledger.bridge.node.PictureSettings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/** One node with two zones of 4 CPUs each, both taken at first; a pod that waits for 4, and one of 2 that comes later. */
class WaitingPodsTest {

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";
    private static final String CPUS_2 = "cpu: \"2\", memory: 1Gi";
    private static final String A = Cluster.running("a", "n", CPUS_4, "1-4");
    private static final String B = Cluster.running("b", "n", CPUS_4, "5-8");

    private final Ledger ledger = new Ledger(PictureSettings.DEFAULT, (pod, reservation) -> {});
    private final AtomicLong nanos = new AtomicLong(-5);
    private final List<String> reminded = new ArrayList<>();
    private WaitingPods waiting = waitingPods(PATIENCE);
    private final PodFacts old = pod("old", CPUS_4, 0);
    private final PodFacts young = pod("young", CPUS_2, 1);

    private WaitingPods waitingPods(Duration patience) {
        return new WaitingPods(ledger, patience, nanos::get, pod -> reminded.add(pod.name()));
    }

    @BeforeEach
    void fillTheNode() {
        ClusterObjects objects = Cluster.read(Cluster.node("n"), A, B);
        objects.nodes().values().forEach(ledger::nodeSeen);
        objects.topologies().values().forEach(ledger::topologySeen);
        objects.pods().forEach(ledger::podSeen);
    }

    /** @param second in which it was created */
    private PodFacts pod(String name, String limits, int second) {
        String created = ", creationTimestamp: \"2026-01-01T00:00:0%dZ\"".formatted(second);
        PodFacts pod =
                Cluster.read(Cluster.pod(name, limits, created, "", "")).pods().get(0);
        ledger.podSeen(pod);
        return pod;
    }

    private static SchedulingTerms terms(String spec) {
        try {
            return SchedulingTerms.of(YAML.createObjectNode().set("spec", YAML.readTree(spec)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As a filter call does. Returns the nodes that are held for others. */
    private Set<String> ask(PodFacts pod, String spec) {
        return ask(pod, spec, ledger.changes());
    }

    private Set<String> ask(PodFacts pod, String spec, long judgedAt) {
        List<String> fitting = ledger.fitting(List.of("n"), pod);
        Set<String> held = waiting.held(pod, terms(spec), fitting);
        if (held.size() == fitting.size()) {
            waiting.refused(pod, terms(spec), List.of("n"), held, judgedAt);
        }
        return held;
    }

    /** The bridge looks, and again when whoever is free to run has been so for long enough. */
    private void look() {
        waiting.look();
        pass(WaitingPods.GRACE);
        waiting.look();
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private void ends(String pod) {
        ledger.podGone(ledger.pod("default/" + pod).orElseThrow());
    }

    /** The old pod has waited long enough when zone 0 comes free, and is not asked about yet. */
    private void aZoneComesFree() {
        assertThat(ask(old, "{}")).isEmpty();
        pass(PATIENCE);
        ends("a");
    }

    @Test
    void holdsWhatComesFreeForWhoeverWaits() {
        aZoneComesFree();
        assertThat(ask(young, "{}")).containsExactly("n");
        assertThat(ask(old, "{}")).isEmpty();
        assertThat(waiting.count()).isEqualTo(2);
        waiting.gone(old);
        waiting.gone(young);
        assertThat(waiting.count()).isZero();
        assertThat(reminded).isEmpty();
    }

    @Test
    void holdsNothingForOneThatFitsBeside() {
        aZoneComesFree();
        ends("b");
        assertThat(ask(young, "{}")).isEmpty();
        assertThat(waiting.count()).isEqualTo(1);
    }

    @Test
    void holdsNothingUntilAPodHasWaited() {
        assertThat(ask(old, "{}")).isEmpty();
        pass(PATIENCE.minusNanos(1));
        ends("a");
        assertThat(ask(young, "{}")).isEmpty();
    }

    @Test
    void holdsNothingIfThatIsNotWanted() {
        waiting = waitingPods(Duration.ZERO);
        aZoneComesFree();
        assertThat(ask(young, "{}")).isEmpty();
    }

    @Test
    void holdsNothingFromOlderOnes() {
        ask(young, "{}");
        pass(PATIENCE);
        ends("a");
        assertThat(ask(old, "{}")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{priority: 1}",
                "{nodeSelector: {disk: ssd}}",
                "{tolerations: [{key: gpu, operator: Exists}]}",
                "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}}"
            })
    void holdsNothingFromMoreImportantOnesOrThoseForOtherNodes(String spec) {
        aZoneComesFree();
        assertThat(ask(young, spec)).isEmpty();
        assertThat(ask(young, "{priority: -1}")).containsExactly("n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]}",
                "{volumes: [{name: data, ephemeral: {}}]}",
                "{resourceClaims: [{name: gpu, resourceClaimName: gpu}]}",
                "{containers: [{name: c, ports: [{containerPort: 80, hostPort: 80}]}]}",
                "{initContainers: [{name: c, ports: [{hostPort: 80}]}]}",
                "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}",
                "{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone}]}}}",
                "{affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone}]}}}"
            })
    void holdsNothingForOneOfWhichMoreThanZonesDecides(String spec) {
        assertThat(ask(old, spec)).isEmpty();
        pass(PATIENCE);
        ends("a");
        assertThat(ask(young, "{}")).isEmpty();
    }

    @Test
    void ignoresVolumesThatEveryPodHas() {
        assertThat(
                        ask(
                                old,
                                "{volumes: [{name: token, projected: {}}], containers: [{name: c, ports: [{containerPort: 80}]}]}"))
                .isEmpty();
        pass(PATIENCE);
        ends("a");
        assertThat(ask(young, "{volumes: [{name: other, projected: {}}]}")).containsExactly("n");
    }

    @Test
    void letsGoWhenTheOldOneIsRefusedAgain() {
        aZoneComesFree();
        assertThat(ask(young, "{}")).containsExactly("n");
        waiting.refused(old, terms("{}"), List.of("other"), Set.of(), ledger.changes());
        look();
        assertThat(reminded).containsExactly("young");
        assertThat(ask(young, "{}")).isEmpty();
    }

    @Test
    void letsGoWhenTheOldOneIsDeleted() {
        aZoneComesFree();
        assertThat(ask(young, "{}")).containsExactly("n");
        ledger.podGone(old);
        waiting.gone(old);
        look();
        assertThat(reminded).containsExactly("young");
        assertThat(ask(young, "{}")).isEmpty();
    }

    @Test
    void letsGoWhenNobodyAsksAboutTheOldOne() {
        aZoneComesFree();
        assertThat(ask(young, "{}")).containsExactly("n");
        pass(WaitingPods.LONGEST_HOLD.minusNanos(1));
        assertThat(ask(young, "{}")).containsExactly("n");
        pass(Duration.ofNanos(1));
        assertThat(ask(young, "{}")).isEmpty();
    }

    @Test
    void holdsNothingWhereTheOldOneFindsNoDevice() {
        PodFacts other = pod("old-with-nic", CPUS_4 + ", example.com/nic: \"1\"", 0);
        ask(other, "{}");
        pass(PATIENCE);
        ends("a");
        assertThat(ask(young, "{}")).isEmpty();
    }

    @Test
    void holdsOnWhileTheSchedulerAsksAboutTheOldOne() {
        PodFacts oldest = pod("a-oldest", CPUS_4, 0);
        ask(oldest, "{}");
        ask(old, "{}");
        pass(PATIENCE);
        ends("a");
        assertThat(ask(young, "{}")).containsExactly("n");
        waiting.gone(oldest);
        pass(WaitingPods.LONGEST_HOLD);
        assertThat(ask(young, "{}")).as("begins to be held for the next").containsExactly("n");
        pass(WaitingPods.LONGEST_HOLD);
        assertThat(ask(young, "{}")).isEmpty();
        waiting.refused(old, terms("{}"), List.of("n"), Set.of("n"), ledger.changes());
        assertThat(ask(young, "{}")).containsExactly("n");
    }

    @Test
    void holdsAgainOnceTheOldOneWasAskedAboutAndRefused() {
        letsGoWhenNobodyAsksAboutTheOldOne();
        ledger.podSeen(Cluster.read(A).pods().get(0));
        assertThat(ask(old, "{}")).isEmpty();
        ends("a");
        assertThat(ask(young, "{}")).containsExactly("n");
    }

    @Test
    void tellsOfAPodThatCouldRunAndIsNotAskedAbout() {
        ask(old, "{}");
        look();
        assertThat(reminded).isEmpty();
        ends("a");
        waiting.look();
        pass(WaitingPods.GRACE.minusNanos(1));
        waiting.look();
        assertThat(reminded).isEmpty();
        pass(Duration.ofNanos(1));
        waiting.look();
        assertThat(reminded).containsExactly("old");
        ends("b");
        look();
        assertThat(reminded).as("once, until it is asked about").containsExactly("old");
    }

    /** kube-scheduler saw the change before the ledger did, or while the pod was being judged. */
    @Test
    void tellsOfWhatCameFreeWhileAPodWasJudged() {
        long before = ledger.changes();
        ledger.podGone(ledger.pod("default/a").orElseThrow());
        waiting.look();
        waiting.refused(old, terms("{}"), List.of("n"), Set.of(), before);
        look();
        assertThat(reminded).containsExactly("old");
    }

    @Test
    void tellsOfZonesThatArePublishedAnew() {
        PodFacts large = pod("large", "cpu: \"8\", memory: 1Gi", 0);
        ends("a");
        ends("b");
        ask(large, "{}");
        look();
        assertThat(reminded).isEmpty();
        Cluster.read(Cluster.node("n", "best-effort")).topologies().values().forEach(ledger::topologySeen);
        look();
        assertThat(reminded).containsExactly("large");
    }

    @Test
    void tellsOnlyOfNodesThatItWasAskedFor() {
        waiting.refused(old, terms("{}"), List.of("other"), Set.of(), ledger.changes());
        ends("a");
        look();
        assertThat(reminded).isEmpty();
    }

    @Test
    void tellsNothingWhenSomebodyElseTookIt() {
        ask(old, "{}");
        ends("a");
        waiting.look();
        ledger.podSeen(Cluster.read(A).pods().get(0));
        look();
        assertThat(reminded).isEmpty();
    }

    @Test
    void startsAnewWhenItIsAskedAbout() {
        ask(old, "{}");
        ends("a");
        waiting.look();
        ledger.podSeen(Cluster.read(A).pods().get(0));
        ask(old, "{}");
        look();
        assertThat(reminded).isEmpty();
        ends("a");
        look();
        assertThat(reminded).containsExactly("old");
    }

    @Test
    void doesNotRememberAPodThatIsGone() {
        ledger.podGone(old);
        assertThat(ask(old, "{}")).isEmpty();
        assertThat(waiting.count()).isZero();
    }
}

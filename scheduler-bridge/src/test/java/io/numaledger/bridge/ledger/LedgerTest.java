package io.numaledger.bridge.ledger;

import io.numaledger.bridge.Cluster;
import io.numaledger.bridge.cluster.ClusterObjects;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.node.Confidence;
import io.numaledger.bridge.node.HeldPod;
import io.numaledger.bridge.node.NodePicture;
import io.numaledger.bridge.node.PictureSettings;
import io.numaledger.bridge.node.RecordSource;
import io.numaledger.bridge.verdict.Evaluations.Form;
import io.numaledger.bridge.verdict.Judge;
import io.numaledger.bridge.verdict.Outcome;
import io.numaledger.bridge.verdict.Question;
import io.numaledger.bridge.verdict.Verdict;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class LedgerTest {

    private static final String CPUS_3 = "cpu: \"3\", memory: 1Gi";
    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";

    private final List<String> released = new ArrayList<>();
    private final Ledger ledger =
            new Ledger(PictureSettings.DEFAULT, (pod, reservation) -> released.add(pod.key() + " " + pod.phase()));

    private void see(String... documents) {
        ClusterObjects objects = Cluster.read(documents);
        objects.nodes().values().forEach(ledger::nodeSeen);
        objects.topologies().values().forEach(ledger::topologySeen);
        objects.pods().forEach(ledger::podSeen);
    }

    private Optional<Verdict> reserve(PodFacts pod) {
        return ledger.bind("n", pod, verdict -> verdict);
    }

    /** As judged now; what filter remembers has to be the same. */
    private boolean fits(PodFacts pod) {
        boolean judged = Judge.now(picture(), pod).fits();
        assertThat(ledger.outcomes(List.of("n"), ledger.question(pod)).get(0).fits())
                .isEqualTo(judged);
        return judged;
    }

    private NodePicture picture() {
        return ledger.picture("n").orElseThrow();
    }

    @Test
    void knowsANodeExactlyWhoseEveryPodIsObserved() {
        see(Cluster.node("n"), Cluster.running("a", "n", CPUS_3, "1-3"));
        assertThat(picture().confidence()).isEqualTo(Confidence.EXACT);
        assertThat(picture().pods()).extracting(HeldPod::source).containsExactly(RecordSource.OBSERVED_EXACTLY);
        assertThat(fits(Cluster.waiting("x", CPUS_4))).isTrue();
        assertThat(Judge.now(picture(), Cluster.waiting("x", CPUS_4)).mask()).hasToString("{1}");
    }

    @Test
    void holdsAReservationFromTheBindUntilThePodIsObserved() {
        see(Cluster.node("n"));
        PodFacts first = Cluster.waiting("a", CPUS_4);
        PodFacts second = Cluster.waiting("b", CPUS_4);
        assertThat(reserve(first).orElseThrow().fits()).isTrue();
        assertThat(reserve(second).orElseThrow().fits()).isTrue();
        assertThat(reserve(Cluster.waiting("c", "cpu: \"1\", memory: 1Gi"))
                        .orElseThrow()
                        .fits())
                .isFalse();
        assertThat(picture().pods()).extracting(HeldPod::source).containsOnly(RecordSource.RESERVED);

        see(Cluster.running("a", "n", CPUS_4, "1-4"), Cluster.running("b", "n", CPUS_4, "5-8"));
        assertThat(ledger.reservations()).isZero();
        assertThat(released).containsExactly("default/a Running", "default/b Running");
        assertThat(picture().confidence()).isEqualTo(Confidence.EXACT);
    }

    @Test
    void movesAReservationAsideForWhatWasObserved() {
        see(Cluster.node("n"));
        assertThat(reserve(Cluster.waiting("a", CPUS_4))).isPresent();
        assertThat(reserve(Cluster.waiting("b", CPUS_4))).isPresent();

        see(Cluster.running("b", "n", CPUS_4, "1-4"));
        see(Cluster.pod("a", CPUS_4, "", "  nodeName: n", ", phase: Running"));

        assertThat(picture().pods())
                .extracting(
                        HeldPod::key, held -> held.placement().zones().keySet().toString())
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple("default/b", "[0]"),
                        org.assertj.core.groups.Tuple.tuple("default/a", "[1]"));
        assertThat(fits(Cluster.waiting("x", "cpu: \"1\", memory: 1Gi"))).isFalse();
    }

    @Test
    void givesAReservationBackWhenThePodIsRefusedOrGone() {
        see(Cluster.node("n"));
        PodFacts refused = Cluster.waiting("a", CPUS_4);
        PodFacts gone = Cluster.waiting("b", CPUS_4);
        ledger.podSeen(gone);
        assertThat(reserve(refused)).isPresent();
        assertThat(reserve(gone)).isPresent();

        see(Cluster.pod("a", CPUS_4, "", "  nodeName: n", ", phase: Failed, reason: TopologyAffinityError"));
        ledger.podGone(gone);

        assertThat(ledger.reservations()).isZero();
        assertThat(released).containsExactly("default/a Failed");
        assertThat(picture().pods()).isEmpty();
    }

    @Test
    void chargesATerminatingPodUntilItIsGone() {
        see(
                Cluster.node("n"),
                Cluster.terminating(Cluster.running("a", "n", CPUS_4, "1-4")),
                Cluster.running("b", "n", CPUS_4, "5-8"));
        PodFacts waiting = Cluster.waiting("x", CPUS_4);
        assertThat(fits(waiting)).isFalse();
        assertThat(Judge.on(picture(), picture().afterReleases(), waiting).fits())
                .isTrue();
    }

    @Test
    void chargesATerminatingPodNoMoreWhoseCpusAnotherOneHas() {
        see(
                Cluster.node("n"),
                Cluster.terminating(Cluster.running("a", "n", CPUS_4, "1-4")),
                Cluster.running("b", "n", CPUS_3, "2-4"));

        assertThat(picture().pods()).extracting(HeldPod::key).containsExactly("default/b");
        assertThat(picture().confidence()).isEqualTo(Confidence.EXACT);
        assertThat(fits(Cluster.waiting("x", "cpu: \"1\", memory: 1Gi"))).isTrue();
        assertThat(Judge.now(picture(), Cluster.waiting("x", "cpu: \"1\", memory: 1Gi"))
                        .mask())
                .hasToString("{0}");
    }

    @Test
    void chargesAPodWithoutRecordFromWhatIsMissing() {
        see(
                Cluster.node("n")
                        .replace("allocatable: \"4\", available: \"4\"", "allocatable: \"4\", available: \"1\""),
                Cluster.pod("stranger", CPUS_3, "", "  nodeName: n", ", phase: Running"));
        assertThat(picture().confidence()).isEqualTo(Confidence.AGGREGATE);
        assertThat(picture().reason()).contains("pod=default/stranger");
        assertThat(fits(Cluster.waiting("x", "cpu: \"2\", memory: 1Gi"))).isFalse();
        assertThat(fits(Cluster.waiting("x", "cpu: \"1\", memory: 1Gi"))).isTrue();
    }

    @Test
    void expectsABoundPodWhereTheKubeletWillPutIt() {
        see(Cluster.node("n"), Cluster.pod("bound", CPUS_3, "", "  nodeName: n", ", phase: Pending"));
        assertThat(picture().pods()).singleElement().satisfies(held -> {
            assertThat(held.source()).isEqualTo(RecordSource.EXPECTED);
            assertThat(held.placement().zones()).containsOnlyKeys(0);
        });
        assertThat(picture().confidence()).isEqualTo(Confidence.PREDICTED);
    }

    @Test
    void takesEveryPodOnANodeOfWhichNothingIsKnown() {
        see(Cluster.node("n").split("apiVersion: topology")[0]);
        assertThat(fits(Cluster.waiting("x", "cpu: \"400\", memory: 1Gi"))).isTrue();
        assertThat(picture().reason()).startsWith("no zones are published: node=n");
    }

    @Test
    void followsATopologyThatComesLateChangesAndGoes() {
        see(Cluster.node("n").split("apiVersion: topology")[0]);
        PodFacts wide = Cluster.waiting("x", "cpu: \"6\", memory: 1Gi");
        assertThat(fits(wide)).isTrue();
        see(Cluster.node("n"));
        assertThat(fits(wide)).isFalse();
        see(Cluster.node("n", "restricted"));
        assertThat(fits(wide)).isTrue();
        ledger.topologyGone("n");
        assertThat(fits(Cluster.waiting("x", "cpu: \"60\", memory: 1Gi"))).isTrue();
    }

    @Test
    void remembersAnswersUntilTheNodeChanges() {
        List<String> names = IntStream.range(0, 200).mapToObj(i -> "n" + i).toList();
        names.forEach(name -> see(Cluster.node(name)));
        Question question = ledger.question(Cluster.waiting("x", CPUS_4));
        assertThat(ledger.outcomes(names, question)).allMatch(Outcome::fits);
        assertThat(ledger.outcomes(names, question)).allMatch(Outcome::fits);
        assertThat(ledger.evaluations().count(Form.COUNTS)).isEqualTo(200);
        assertThat(ledger.evaluations().count(Form.SHARED)).isEqualTo(200);

        see(Cluster.running("a", "n150", CPUS_3, "1-3"), Cluster.running("b", "n150", CPUS_3, "5-7"));
        assertThat(ledger.outcomes(names, question).stream().filter(Outcome::fits))
                .hasSize(199);
        assertThat(ledger.outcomes(List.of("n150"), question)).noneMatch(Outcome::fits);
        assertThat(ledger.evaluations().count(Form.COUNTS)).isEqualTo(201);
    }

    @Test
    void remembersNothingOfANodeThatIsGoneForAnotherInItsPlace() {
        see(Cluster.node("n"));
        Question wide = ledger.question(Cluster.waiting("x", "cpu: \"6\", memory: 1Gi"));
        assertThat(ledger.outcomes(List.of("n", "other"), wide))
                .extracting(Outcome::fits)
                .containsExactly(false, true);
        ledger.topologyGone("n");
        ledger.nodeGone("n");
        see(Cluster.node("other", "restricted"));
        assertThat(ledger.outcomes(List.of("n", "other"), wide))
                .extracting(Outcome::fits)
                .containsExactly(true, true);
        see(Cluster.node("other", "single-numa-node"));
        assertThat(ledger.outcomes(List.of("other"), wide)).noneMatch(Outcome::fits);
    }

    @Test
    void worksOutOnceWhatHoldsOnNodesOfOneKindWhateverElseIsPublishedOfThem() {
        see(
                Cluster.node("a", "none"),
                Cluster.node("b", "none")
                        .replace("attributes:\n- {name: top", "attributes:\n- {name: rack, value: r7}\n- {name: top"));
        Question tooLarge = ledger.question(Cluster.waiting("x", "cpu: \"60\", memory: 1Gi"));

        assertThat(ledger.outcomes(List.of("a", "b"), tooLarge)).noneMatch(Outcome::fits);

        assertThat(ledger.picture("b").orElseThrow().topology().orElseThrow().attributes())
                .containsEntry("rack", "r7");
        assertThat(ledger.evaluations().count(Form.FULL)).isEqualTo(1);
        assertThat(ledger.evaluations().count(Form.SHARED)).isEqualTo(1);
    }

    @Test
    void answersForManyNodesInTheOrderOfTheirNames() {
        see(Cluster.node("narrow"), Cluster.node("wide", "restricted"));
        List<String> names = IntStream.range(0, 2501)
                .mapToObj(i -> i % 3 == 0 ? "narrow" : "wide")
                .toList();
        Question wide = ledger.question(Cluster.waiting("x", "cpu: \"6\", memory: 1Gi"));

        List<Outcome> first = ledger.outcomes(names, wide);

        assertThat(IntStream.range(0, names.size())).allMatch(i -> first.get(i).fits() == (i % 3 != 0));
        assertThat(ledger.outcomes(names, wide)).isEqualTo(first);
        assertThat(ledger.evaluations().count(Form.SHARED)
                        + ledger.evaluations().count(Form.COUNTS))
                .isEqualTo(2L * names.size());
    }

    @Test
    void tellsNodesApartWhoseNamesHashAlike() {
        assertThat("node-Aa".hashCode()).isEqualTo("node-BB".hashCode());
        see(Cluster.node("node-Aa"), Cluster.node("node-BB", "restricted"));
        Question wide = ledger.question(Cluster.waiting("x", "cpu: \"6\", memory: 1Gi"));
        assertThat(ledger.outcomes(List.of("node-BB", "node-Aa", "node-C#"), wide))
                .extracting(Outcome::fits)
                .containsExactly(true, false, true);
        ledger.topologyGone("node-BB");
        ledger.nodeGone("node-BB");
        assertThat(ledger.outcomes(List.of("node-BB", "node-Aa"), wide))
                .element(0)
                .isSameAs(Outcome.NOT_SHOWN);
    }

    @Test
    void makesNoNewPictureWhenOnlyAvailableAmountsChange() {
        see(Cluster.node("n"), Cluster.running("a", "n", CPUS_3, "1-3"));
        assertThat(fits(Cluster.waiting("x", CPUS_4))).isTrue();
        long before = ledger.rebuilds();
        see(Cluster.node("n").replace("allocatable: \"4\", available: \"4\"", "allocatable: \"4\", available: \"1\""));
        assertThat(fits(Cluster.waiting("x", CPUS_4))).isTrue();
        assertThat(ledger.rebuilds()).isEqualTo(before);
        assertThat(picture().topology().orElseThrow().available().get(0).get("cpu"))
                .isEqualTo(1000);
    }

    @Test
    void looksAtAvailableAmountsWhereAPodHasNoRecord() {
        see(Cluster.node("n"), Cluster.running("a", "n", CPUS_3, "").replace("annotations: {", "labels: {"));
        assertThat(fits(Cluster.waiting("x", "cpu: \"4\", memory: 1Gi"))).isTrue();
        see(Cluster.node("n").replace("allocatable: \"4\", available: \"4\"", "allocatable: \"4\", available: \"1\""));
        assertThat(fits(Cluster.waiting("x", "cpu: \"4\", memory: 1Gi"))).isFalse();
    }

    @Test
    void isTheSameAfterARestartFromTheSameObjects() {
        String[] documents = {
            Cluster.node("n"), Cluster.running("a", "n", CPUS_3, "1-3"), Cluster.running("b", "n", CPUS_3, "5-7")
        };
        see(documents);
        Ledger other = new Ledger(PictureSettings.DEFAULT, (pod, reservation) -> {});
        ClusterObjects objects = Cluster.read(documents);
        objects.pods().forEach(other::podSeen);
        objects.topologies().values().forEach(other::topologySeen);
        objects.nodes().values().forEach(other::nodeSeen);
        assertThat(other.picture("n").orElseThrow().now()).isEqualTo(picture().now());
    }
}

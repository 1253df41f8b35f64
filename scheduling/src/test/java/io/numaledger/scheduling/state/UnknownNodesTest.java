package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.Evaluation.Unknown;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.GpuLinkSettings;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.evaluation.snapshot.UnknownNodePolicy;
import io.numaledger.evaluation.snapshot.UnknownNodes;
import io.numaledger.evaluation.snapshot.Unmodelled;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestClaims;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

/** Nodes without zones: which pods they get. */
class UnknownNodesTest {

    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final String NODE = """
            ---
            apiVersion: v1
            kind: Node
            metadata: {name: n}
            status: {nodeInfo: {kubeletVersion: v1.36.3}}
            """;
    private static final PodFacts ALIGNED = ClusterYaml.pending("x", "cpu: \"4\", memory: 1Gi");

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    private TestCluster cluster(UnknownNodePolicy policy) {
        return cluster(policy, Duration.ZERO);
    }

    private TestCluster cluster(UnknownNodePolicy policy, Duration foreignMaxAge) {
        return new TestCluster(
                new SnapshotSettings(
                        false,
                        new TreeSet<>(),
                        new UnknownNodes(policy, LIMIT),
                        foreignMaxAge,
                        GpuLinkSettings.DEFAULT),
                (pod, reservation) -> {},
                () -> now);
    }

    private static Evaluation evaluate(TestCluster cluster, PodFacts pod) {
        Evaluation evaluation = cluster.evaluate(List.of("n"), pod).get(0);
        assertThat(cluster.binds("n", pod)).as("bind decides as filter does").isEqualTo(evaluation.admits());
        return evaluation;
    }

    private static String outcome(Evaluation evaluation) {
        return evaluation instanceof Refused refused ? refused.reason().toString() : "admitted";
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            admit  | admitted     | admitted
            hold   | ZonesPending | ZonesUnknown
            refuse | ZonesUnknown | ZonesUnknown
            auto   | admitted     | admitted
            """)
    void followsThePolicyOnANodeThatNeverHadZones(UnknownNodePolicy policy, String atFirst, String afterTheLimit) {
        TestCluster cluster = cluster(policy);
        cluster.apply(NODE);

        assertThat(outcome(evaluate(cluster, ALIGNED))).isEqualTo(atFirst);
        now = now.plus(LIMIT);
        assertThat(outcome(evaluate(cluster, ALIGNED))).isEqualTo(afterTheLimit);
    }

    /** What was found out before the limit must not come from a cache after it. */
    @Test
    void refusesANodeAfterTheLimitAlsoIfItsDevicesHaveChangedBefore() {
        TestCluster cluster = cluster(UnknownNodePolicy.hold);
        TestClaims claims = new TestClaims(cluster.state.claims());
        cluster.apply(NODE);
        assertThat(outcome(evaluate(cluster, ALIGNED))).isEqualTo("ZonesPending");

        claims.devices("n", 0);
        assertThat(outcome(evaluate(cluster, ALIGNED))).isEqualTo("ZonesPending");
        now = now.plus(LIMIT);

        assertThat(outcome(evaluate(cluster, ALIGNED))).isEqualTo("ZonesUnknown");
    }

    @Test
    void holdsANodeWhoseZonesAreDeletedUntilTheyAreBack() {
        TestCluster cluster = cluster(UnknownNodePolicy.auto);
        cluster.apply(ClusterYaml.node("n"));
        cluster.state.topologyDeleted("n");

        Evaluation held = evaluate(cluster, ALIGNED);
        assertThat(held).isInstanceOf(Refused.class);
        assertThat(((Refused) held).reason()).isEqualTo(RefusalReason.ZONES_PENDING);
        assertThat(PodNames.ALL.text(((Refused) held).message()))
                .isEqualTo(
                        "waits for the node's zones: no zones are published; check that the agent runs on this node");
        assertThat(((Refused) held).summary()).isEqualTo("waits for the node's zones");
        assertThat(((Refused) held).unresolvable()).as("no preemption helps").isTrue();

        cluster.apply(ClusterYaml.node("n"));
        assertThat(evaluate(cluster, ALIGNED)).isInstanceOf(Evaluation.Fits.class);
    }

    @Test
    void refusesANodeAfterTheLimitWithoutAnotherEvent() {
        TestCluster cluster = cluster(UnknownNodePolicy.auto);
        cluster.apply(ClusterYaml.node("n"));
        cluster.state.topologyDeleted("n");
        assertThat(outcome(evaluate(cluster, ALIGNED))).isEqualTo("ZonesPending");

        now = now.plus(LIMIT).minusSeconds(1);
        assertThat(outcome(evaluate(cluster, ALIGNED))).isEqualTo("ZonesPending");
        now = now.plusSeconds(1);
        assertThat(outcome(evaluate(cluster, ALIGNED))).isEqualTo("ZonesUnknown");
    }

    @Test
    void holdsANodeWithObservedPods() {
        TestCluster cluster = cluster(UnknownNodePolicy.auto);
        cluster.apply(NODE, ClusterYaml.running("a", "n", "cpu: \"1\", memory: 1Gi", "1"));

        assertThat(outcome(evaluate(cluster, ALIGNED))).isEqualTo("ZonesPending");
    }

    @ParameterizedTest(name = "{0}: {2}")
    @CsvSource(delimiter = '|', textBlock = """
            an agent that starts             | ''                                                  | ZonesPending
            an agent that is ready           | ', conditions: [{type: Ready, status: "True"}]'     | admitted
            an agent that is not ready       | ', conditions: [{type: Ready, status: "False"}]'    | ZonesPending
            an agent that has failed         | ', phase: Failed'                                   | admitted
            """)
    void holdsANodeWhereAnAgentStarts(String situation, String status, String expected) {
        TestCluster cluster = cluster(UnknownNodePolicy.auto);
        cluster.apply(
                NODE,
                ClusterYaml.pod(
                        "agent",
                        "memory: 1Gi",
                        ", labels: {app.kubernetes.io/name: numaledger, app.kubernetes.io/component: agent}",
                        "  nodeName: n",
                        status));

        assertThat(outcome(evaluate(cluster, ALIGNED))).isEqualTo(expected);
    }

    @Test
    void admitsPodsThatNeedNoAlignment() {
        TestCluster cluster = cluster(UnknownNodePolicy.refuse);
        cluster.apply(NODE);

        assertThat(evaluate(cluster, burstable(""))).isInstanceOf(Unknown.class);
        assertThat(outcome(evaluate(cluster, burstable(", example.com/nic: \"1\""))))
                .as("the kubelet aligns devices of every pod")
                .isEqualTo("ZonesUnknown");
    }

    private static PodFacts burstable(String device) {
        return ClusterYaml.parsePod(ClusterYaml.pod("x", "cpu: \"4\"" + device, "", "", "")
                .replace("qosClass: Guaranteed", "qosClass: Burstable"));
    }

    @Test
    void holdsANodeWhoseExporterHasWrittenNothingForTooLong() {
        TestCluster cluster = cluster(UnknownNodePolicy.auto, Duration.ofMinutes(2));
        cluster.apply(ClusterYaml.node("n"));
        now = now.plusSeconds(119);
        assertThat(outcome(evaluate(cluster, ALIGNED))).isEqualTo("admitted");

        now = now.plusSeconds(1);
        assertThat(outcome(evaluate(cluster, ALIGNED))).isEqualTo("ZonesPending");
        cluster.state.expire();
        assertThat(cluster.state.models().get("n").unmodelled().orElseThrow().toString())
                .isEqualTo("the NodeResourceTopology is older than --foreign-topology-max-age: it was last written at"
                        + " 2026-01-01T00:00:00Z; check the exporter on this node");

        cluster.apply(ClusterYaml.node("n"));
        assertThat(outcome(evaluate(cluster, ALIGNED))).isEqualTo("admitted");
        now = now.plusSeconds(60);
        cluster.apply(ClusterYaml.node("n"));
        now = now.plusSeconds(60);
        assertThat(outcome(evaluate(cluster, ALIGNED)))
                .as("written again, without a change")
                .isEqualTo("admitted");
        now = now.plusSeconds(60);
        assertThat(outcome(evaluate(cluster, ALIGNED))).isEqualTo("ZonesPending");
    }

    @Test
    void zonesOfTheAgentMayHaveAnyAge() {
        TestCluster cluster = cluster(UnknownNodePolicy.auto, Duration.ofMinutes(2));
        cluster.apply(ClusterYaml.node("n")
                .replace("attributes:\n-", "attributes:\n- {name: initContainerResources, value: published}\n-"));
        now = now.plus(Duration.ofDays(100));

        assertThat(outcome(evaluate(cluster, ALIGNED))).isEqualTo("admitted");
    }

    @Test
    void holdsANodeWhoseTopologyCannotBeRead() {
        TestCluster cluster = cluster(UnknownNodePolicy.auto);
        cluster.apply(NODE);
        cluster.state.topologyUnreadable("n", "the NodeResourceTopology cannot be read: x");

        Evaluation held = evaluate(cluster, ALIGNED);
        assertThat(outcome(held)).isEqualTo("ZonesPending");
        assertThat(cluster.snapshot("n").model().unmodelled())
                .map(Unmodelled::kind)
                .contains(Unmodelled.Kind.UNREADABLE);

        cluster.state.topologyDeleted("n");
        assertThat(cluster.snapshot("n").model().unmodelled())
                .map(Unmodelled::kind)
                .contains(Unmodelled.Kind.NO_ZONES);
    }
}

package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.Evaluation.Unknown;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.Assumption;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FullModelTest {

    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";
    private static final String CPUS_6 = "cpu: \"6\", memory: 1Gi";

    private final TestCluster cluster = new TestCluster();

    private static PodFacts limited(String limits, String zones) {
        return ClusterYaml.read(ClusterYaml.pod(
                        "x", limits, ", annotations: {kai.scheduler/max-numa-spread: '%s'}".formatted(zones), "", ""))
                .pods()
                .get(0);
    }

    private Evaluation evaluate(PodFacts pod) {
        return FullModel.evaluate(cluster.snapshot("n"), pod);
    }

    @Test
    void aPodThatFitsHasAPlacement() {
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.running("a", "n", CPUS_4, "1-4"));

        PredictedPlacement placement =
                ((Fits) evaluate(ClusterYaml.pending("x", CPUS_4))).placement().orElseThrow();

        assertThat(placement.numaNodes()).hasToString("{1}");
        assertThat(placement.placement().zones()).containsOnlyKeys(1);
        assertThat(placement.allocation().running().containers().get(0).cpus()).hasToString("5-8");
        assertThat(placement.undetermined()).isFalse();
    }

    @Test
    void aRefusalNamesTheHolders() {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.running("a", "n", CPUS_4, "1-4"),
                ClusterYaml.running("b", "n", "cpu: \"1\", memory: 1Gi", "5"));

        Refused refused = (Refused) evaluate(ClusterYaml.pending("x", CPUS_4));

        assertThat(refused.reason()).isEqualTo(RefusalReason.TOPOLOGY_AFFINITY_ERROR);
        assertThat(PodNames.ALL.text(refused.message()))
                .isEqualTo("needs 4 cpu on 1 zone; node-1 has 3 free, held by default/b");
        assertThat(refused.summary()).isEqualTo("no zone can take 4 cpu");
        assertThat(refused.unresolvable()).isFalse();
    }

    @Test
    void aPodThatIsTooLargeForTheEmptyNodeIsUnresolvable() {
        cluster.apply(ClusterYaml.node("n"));

        assertThat(((Refused) evaluate(ClusterYaml.pending("x", CPUS_6))).unresolvable())
                .isTrue();
    }

    @Test
    void aMaximumSpreadRefusesWhatTheKubeletWouldAdmit() {
        cluster.apply(ClusterYaml.node("n", "restricted"));

        assertThat(evaluate(limited(CPUS_6, "2")).admits()).isTrue();
        Refused refused = (Refused) evaluate(limited(CPUS_6, "1"));
        assertThat(refused.reason()).isEqualTo(RefusalReason.NUMA_SPREAD_EXCEEDED);
        assertThat(PodNames.ALL.text(refused.message()))
                .isEqualTo("the pod allows at most 1 NUMA zone; on this node it would spread over 2");
        assertThat(refused.summary()).isEqualTo("the pod would use more than 1 NUMA zone");
        assertThat(refused.unresolvable()).isTrue();
    }

    @Test
    void anInvalidMaximumSpreadIsRefusedEverywhere() {
        cluster.apply(ClusterYaml.node("n"));

        Refused refused = (Refused) evaluate(limited(CPUS_4, "none"));

        assertThat(refused.reason()).isEqualTo(RefusalReason.NUMA_SPREAD_INVALID);
        assertThat(refused.unresolvable()).isTrue();
    }

    @Test
    void aNodeWithoutZonesIsUnknownAndExcludesPodsThatLimitTheirSpread() {
        cluster.apply(ClusterYaml.node("n").split("apiVersion: topology")[0]);

        assertThat(evaluate(ClusterYaml.pending("x", CPUS_4)))
                .isInstanceOfSatisfying(
                        Unknown.class,
                        unknown -> assertThat(PodNames.ALL.text(unknown.why())).startsWith("no zones are published"));
        assertThat(PodNames.ALL.text(((Refused) evaluate(limited(CPUS_4, "1"))).message()))
                .isEqualTo("the pod limits its NUMA spread, and this node's zones are unknown");
    }

    /** Kubelet 1.37 with the gate: the pod has 3 CPUs and 3Gi of zone 0, of which its container has 2 and 2Gi. */
    @Test
    void aPodWithResourcesOfItsOwnHoldsThemAsAWhole() {
        String memory = "{name: memory, capacity: 4Gi, allocatable: 4Gi, available: %s}\n  - ";
        String own = "{cpu: \"3\", memory: 3Gi}";
        cluster.apply(
                ClusterYaml.node("n")
                        .replace("v1.36.3", "v1.37.2")
                        .replace("Scope, value: container", "Scope, value: pod")
                        .replace(
                                "memoryManagerPolicy, value: None}",
                                "memoryManagerPolicy, value: Static}\n- {name: featureGatePodLevelResourceManagers, value: \"true\"}")
                        .replace("{name: cpu, capacity: \"5\"", memory.formatted("1Gi") + "{name: cpu, capacity: \"5\"")
                        .replace(
                                "{name: cpu, capacity: \"4\"", memory.formatted("4Gi") + "{name: cpu, capacity: \"4\""),
                ClusterYaml.pod(
                        "whole",
                        "cpu: \"2\", memory: 2Gi",
                        ", annotations: {numaledger.io/placement: '%s'}".formatted("""
                                {"containers":[{"name":"c","cpus":"1-2","memory":[{"type":"memory","bytes":2147483648,"numaNodes":"0"}]}],\
                                "cpus":"1-3","memory":[{"type":"memory","bytes":3221225472,"numaNodes":"0"}]}"""),
                        "  nodeName: n\n  resources: {requests: %1$s, limits: %1$s}".formatted(own),
                        ", phase: Running"),
                ClusterYaml.pod(
                        "b",
                        "cpu: \"3\", memory: 1Gi",
                        ", annotations: {numaledger.io/placement: '%s'}".formatted("""
                                {"containers":[{"name":"c","cpus":"5-7",\
                                "memory":[{"type":"memory","bytes":1073741824,"numaNodes":"1"}]}]}"""),
                        "  nodeName: n",
                        ", phase: Running"));
        NodeSnapshot node = cluster.snapshot("n");

        assertThat(node.assumptions()).containsExactly(Assumption.of(Assumption.Kind.UNHELD_CPUS));
        assertThat(node.pods())
                .extracting(held -> held.placement().on(0).byResource().toString())
                .containsExactly("{}", "{cpu=3000, memory=3221225472}");
        assertThat(evaluate(ClusterYaml.pending("x", "cpu: \"2\", memory: 1Gi")).admits())
                .isFalse();
        assertThat(evaluate(ClusterYaml.pending("x", "cpu: \"1\", memory: 2Gi")).admits())
                .isTrue();
        cluster.deletePod("whole");
        assertThat(evaluate(ClusterYaml.pending("x", "cpu: \"4\", memory: 4Gi")).admits())
                .isTrue();
    }
}

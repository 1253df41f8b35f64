package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The owner of a pod can write its annotations. A node of two zones with 4 CPUs each. */
class ForgedRecordsTest {

    private static final PodFacts FOUR = ClusterYaml.pending("honest", "cpu: \"4\", memory: 1Gi");

    private final TestCluster cluster = new TestCluster();

    private static String pod(String name, String qosClass, String requests, String key, String record) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %1$s
                  namespace: default
                  uid: %1$s
                  annotations: {%4$s: '%5$s'}
                spec:
                  nodeName: n
                  containers:
                  - {name: c, resources: {limits: {%3$s}, requests: {%3$s}}}
                status: {qosClass: %2$s, phase: Running, startTime: "2026-01-01T00:00:00Z"}
                """.formatted(name, qosClass, requests, key, record);
    }

    private boolean fits() {
        return cluster.evaluate(List.of("n"), FOUR).get(0).admits();
    }

    @ParameterizedTest
    @ValueSource(strings = {"kai.scheduler/numa-placement-predicted", "kai.scheduler/numa-placement-observed"})
    void aBestEffortPodHoldsNothingWhateverItsRecordNames(String key) {
        cluster.apply(ClusterYaml.node("n"));
        String record =
                "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"999\"}},{\"zone\":\"node-1\",\"amount\":{\"cpu\":\"4\"}}]";
        for (int i = 0; i < 6; i++) {
            cluster.apply(pod("forged-" + i, "BestEffort", "", key, record));
        }

        assertThat(fits()).isTrue();
        assertThat(cluster.state.snapshot("n").orElseThrow().pods()).isEmpty();
    }

    @Test
    void aRecordWithMoreThanThePodRequestsIsSetAsideAndNamed() {
        String node1 = "{name: cpu, capacity: \"4\", allocatable: \"4\", available: ";
        cluster.apply(
                ClusterYaml.node("n").replace(node1 + "\"4\"}", node1 + "\"3\"}"),
                ClusterYaml.running("a", "n", "cpu: \"4\", memory: 1Gi", "1-4"),
                pod(
                        "forged",
                        "Guaranteed",
                        "cpu: \"1\", memory: 1Gi",
                        "numaledger.io/placement",
                        "{\"version\":1,\"containers\":[{\"name\":\"c\",\"cpus\":\"5-8\"}]}"));
        NodeSnapshot node = cluster.state.snapshot("n").orElseThrow();

        assertThat(node.pods())
                .filteredOn(held -> held.key().equals("default/forged"))
                .singleElement()
                .satisfies(held -> assertThat(held.placement().on(1).get("cpu"))
                        .as("what the agent's zones lack")
                        .isEqualTo(1000));
        assertThat(PodNames.ALL.text(node.reason()))
                .contains("the record has more than the pod requests: pod=default/forged resource=cpu");
    }

    /** The containers have theirs of what the pod has. */
    @Test
    void theOwnResourcesOfAPodDoNotDoubleWhatItsRecordMayName() {
        cluster.apply(
                ClusterYaml.node("n"),
                pod(
                                "forged",
                                "Guaranteed",
                                "cpu: \"2\", memory: 1Gi",
                                "numaledger.io/placement",
                                "{\"version\":1,\"containers\":[{\"name\":\"c\",\"cpus\":\"5-8\"}]}")
                        .replace(
                                "spec:\n",
                                "spec:\n  resources: {limits: {cpu: \"2\", memory: 1Gi}, requests: {cpu: \"2\", memory: 1Gi}}\n"));

        assertThat(PodNames.ALL.text(cluster.snapshot("n").reason()))
                .contains("the record has more than the pod requests: pod=default/forged resource=cpu");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"cpus\":\"5-8\"", "\"memory\":[{\"type\":\"memory\",\"bytes\":1,\"numaNodes\":\"1\"}]"})
    void aPodWithoutResourcesOfItsOwnHasNothingAsAWhole(String own) {
        cluster.apply(
                ClusterYaml.node("n"),
                pod(
                        "forged",
                        "Guaranteed",
                        "cpu: \"4\", memory: 1Gi",
                        "numaledger.io/placement",
                        "{\"version\":1,\"containers\":[],%s}".formatted(own)));

        assertThat(PodNames.ALL.text(cluster.snapshot("n").reason()))
                .contains("the record has more than the pod requests: pod=default/forged");
    }

    @Test
    void aRecordThatIsSmallerThanTheRequestIsBelieved() {
        cluster.apply(
                ClusterYaml.node("n"),
                pod(
                        "a",
                        "Guaranteed",
                        "cpu: \"4\", memory: 1Gi",
                        "numaledger.io/placement",
                        "{\"version\":1,\"containers\":[{\"name\":\"c\",\"cpus\":\"1-4\"}]}"));

        assertThat(cluster.state.snapshot("n").orElseThrow().confidence()).isEqualTo(Confidence.EXACT);
        assertThat(fits()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "numaledger.io/placement={\"version\":1,\"containers\":[{\"name\":\"c\",\"cpus\":\"1\"}]}",
                "numaledger.io/placement={\"version\":1,\"containers\":[]}",
                "kai.scheduler/numa-placement-observed=[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"1\"}}]",
                "kai.scheduler/numa-placement-predicted=[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"1\"}}]"
            })
    void aPartialRecordIsCompletedFromThePrediction(String record) {
        String[] parts = record.split("=", 2);
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.running("a", "n", "cpu: \"4\", memory: 1Gi", "5-8"),
                pod("partial", "Guaranteed", "cpu: \"3\", memory: 1Gi, nvidia.com/gpu: \"1\"", parts[0], parts[1]));
        NodeSnapshot node = cluster.state.snapshot("n").orElseThrow();

        long cpus = node.pods().stream()
                .mapToLong(held -> held.placement().on(0).get("cpu"))
                .sum();
        long gpus = node.pods().stream()
                .mapToLong(held -> held.placement().on(0).get("nvidia.com/gpu"))
                .sum();
        assertThat(cpus).isEqualTo(3000);
        assertThat(gpus).isEqualTo(1);
        assertThat(node.assumptions()).contains(Assumption.ofPod(Assumption.Kind.PARTIAL_RECORD, "default/partial"));
    }

    @Test
    void aWholeRecordIsNotPartial() {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.running("a", "n", "cpu: \"4\", memory: 1Gi", "5-8"),
                pod(
                        "b",
                        "Guaranteed",
                        "cpu: \"1\", memory: 1Gi, nvidia.com/gpu: \"1\"",
                        "kai.scheduler/numa-placement-observed",
                        "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"1\",\"nvidia.com/gpu\":\"1\"}}]"));

        assertThat(cluster.state.snapshot("n").orElseThrow().assumptions())
                .extracting(Assumption::kind)
                .doesNotContain(Assumption.Kind.PARTIAL_RECORD);
    }
}

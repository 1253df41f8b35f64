package io.numaledger.scheduling.explain;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** A node of two zones with 4 CPUs and a GPU each; the kubelet has reported 8 CPUs, 16 GiB and room for 3 pods. */
class NodeFitTest {

    private final TestCluster cluster = new TestCluster();

    private static String node(String metadata, String spec) {
        return ClusterYaml.node("n")
                .replace(
                        "metadata: {name: n}\nstatus:",
                        "metadata: {name: n%s}\nspec: {%s}\nstatus:".formatted(metadata, spec))
                .replace(
                        "allocatable: {nvidia.com/gpu: \"2\"}",
                        "allocatable: {nvidia.com/gpu: \"2\", cpu: \"8\", memory: 16Gi, pods: \"3\"}");
    }

    private Explanation explain(String limits, String spec) {
        return Explanation.ofAll(cluster.state, ClusterYaml.parsePod(ClusterYaml.pod("x", limits, "", spec, "")))
                .get(0);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            cpu: "2", memory: 1Gi                      |
            cpu: "2", memory: 1Gi, amd.com/gpu: "1"    | the node has no amd.com/gpu
            cpu: "2", memory: 20Gi                     | needs 20Gi memory; the node has 16Gi allocatable
            cpu: "2", memory: 12Gi                     | needs 12Gi memory; other pods request all but 6Gi of 16Gi
            cpu: "2", hugepages-2Mi: 2Mi, memory: 1Gi  | the node has no hugepages-2Mi
            """)
    void comparesWithWhatTheNodeHasAndOthersRequest(String limits, String reason) {
        cluster.apply(
                node("", ""),
                ClusterYaml.pod("other", "cpu: 100m, memory: 10Gi", "", "  nodeName: n", ", phase: Running"),
                ClusterYaml.pod("ended", "cpu: 100m, memory: 10Gi", "", "  nodeName: n", ", phase: Succeeded"));
        Explanation explanation = explain(limits, "");
        if (reason == null) {
            assertThat(explanation.nodeReasons()).isEmpty();
            assertThat(explanation.schedulable()).isTrue();
        } else {
            assertThat(explanation.nodeReasons()).extracting(PodNames.ALL::text).containsExactly(reason);
            assertThat(explanation.schedulable()).isFalse();
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            an overhead                   | overhead: {cpu: "1", memory: 7Gi}      | needs 11Gi memory; other pods request all but 6Gi of 16Gi
            an overhead that fits         | overhead: {memory: 1Gi}                |
            an overhead of another kind   | overhead: {ephemeral-storage: 1Gi}     |
            resources of the pod itself   | resources: {requests: {memory: 10Gi}}  | needs 10Gi memory; other pods request all but 6Gi of 16Gi
            of the pod itself, and more   | resources: {requests: {memory: 5Gi}}, overhead: {memory: 2Gi} | needs 7Gi memory; other pods request all but 6Gi of 16Gi
            a large init container        | initContainers: [{name: i, resources: {requests: {memory: 7Gi}}}] | needs 7Gi memory; other pods request all but 6Gi of 16Gi
            a sidecar                     | initContainers: [{name: s, restartPolicy: Always, resources: {requests: {memory: 3Gi}}}] | needs 7Gi memory; other pods request all but 6Gi of 16Gi
            an init container before it   | initContainers: [{name: i, resources: {requests: {memory: 6Gi}}}, {name: s, restartPolicy: Always, resources: {requests: {memory: 1Gi}}}] |
            an init container beside it   | initContainers: [{name: s, restartPolicy: Always, resources: {requests: {memory: 1Gi}}}, {name: i, resources: {requests: {memory: 6Gi}}}] | needs 7Gi memory; other pods request all but 6Gi of 16Gi
            """)
    void countsAPodAsKubeScheduler(String what, String spec, String reason) {
        String other = "overhead: {memory: 2Gi}";
        cluster.apply(
                node("", ""),
                ClusterYaml.pod(
                        "other", "cpu: 100m, memory: 8Gi", "", "  nodeName: n\n  " + other, ", phase: Running"));
        Explanation explanation = explain("cpu: \"2\", memory: 4Gi", "  " + spec.replaceAll("\\}, (\\w+:)", "}\n  $1"));
        assertThat(explanation.nodeReasons().stream().map(PodNames.ALL::text).collect(Collectors.joining("; ")))
                .isEqualTo(reason == null ? "" : reason);
    }

    @Test
    void countsPodsThatAreReservedAndNotThoseThatAreDeleted() {
        cluster.apply(node("", ""), ClusterYaml.running("a", "n", "cpu: \"1\", memory: 10Gi", "1"));
        assertThat(explain("cpu: \"1\", memory: 8Gi", "").nodeReasons()).hasSize(1);
        cluster.deletePod("a");
        assertThat(explain("cpu: \"1\", memory: 8Gi", "").nodeReasons())
                .as("the API server shows it no more")
                .isEmpty();
        PodFacts bound = ClusterYaml.pending("b", "cpu: \"1\", memory: 10Gi");
        assertThat(cluster.state.binds().<Boolean>bind("n", bound, evaluation -> true))
                .isTrue();
        assertThat(explain("cpu: \"1\", memory: 8Gi", "").nodeReasons())
                .as("its binding is on its way")
                .hasSize(1);
    }

    @Test
    void countsPods() {
        cluster.apply(node("", ""));
        for (String name : new String[] {"a", "b", "c"}) {
            cluster.apply(ClusterYaml.pod(name, "cpu: 10m", "", "  nodeName: n", ", phase: Running"));
        }
        assertThat(explain("cpu: \"1\", memory: 1Gi", "").nodeReasons())
                .extracting(PodNames.ALL::text)
                .containsExactly("needs a place for one more pod; other pods request all but 0 of 3");
    }

    @Test
    void knowsNothingOfANodeWhoseKubeletReportedNothing() {
        cluster.apply(ClusterYaml.node("n").replace("  allocatable: {nvidia.com/gpu: \"2\"}\n", ""));
        assertThat(explain("cpu: \"1\", memory: 1Gi, amd.com/gpu: \"1\"", "").nodeReasons())
                .isEmpty();
    }

    @ParameterizedTest(name = "{0} {1}: {2}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            unschedulable: true                               | ``                                                                    | the node is cordoned
            unschedulable: true                               | tolerations: [{operator: Exists}]                                     | ``
            taints: [{key: a, value: b, effect: NoSchedule}]  | ``                                                                    | the pod does not tolerate the taint a=b:NoSchedule
            taints: [{key: a, effect: NoExecute}]             | tolerations: [{key: a, operator: Exists, effect: NoSchedule}]         | the pod does not tolerate the taint a:NoExecute
            taints: [{key: a, value: b, effect: NoSchedule}]  | tolerations: [{key: a, value: b}]                                     | ``
            taints: [{key: a, effect: PreferNoSchedule}]      | ``                                                                    | ``
            ``                                                | nodeSelector: {disk: ssd}                                             | ``
            ``                                                | nodeSelector: {disk: hdd}                                             | the pod selects nodes with disk=hdd; this node has disk=ssd
            ``                                                | nodeSelector: {zone: a}                                               | the pod selects nodes with zone=a; this node has no such label
            """)
    void decidesAsKubeScheduler(String node, String pod, String reason) {
        cluster.apply(node(", labels: {disk: ssd}", node));
        Explanation explanation = explain("cpu: \"1\", memory: 1Gi", pod.isEmpty() ? "" : "  " + pod);
        assertThat(explanation.evaluation().admits()).as("its zones").isTrue();
        assertThat(explanation.nodeReasons().stream().map(PodNames.ALL::text).collect(Collectors.joining("; ")))
                .isEqualTo(reason);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            matchExpressions: [{key: disk, operator: In, values: [ssd, nvme]}]    | true
            matchExpressions: [{key: disk, operator: NotIn, values: [ssd]}]       | false
            matchExpressions: [{key: zone, operator: NotIn, values: [a]}]         | true
            matchExpressions: [{key: zone, operator: Exists}]                     | false
            matchExpressions: [{key: zone, operator: DoesNotExist}]               | true
            matchExpressions: [{key: level, operator: Gt, values: ["6"]}]         | true
            matchExpressions: [{key: level, operator: Lt, values: ["7"]}]         | false
            matchExpressions: [{key: disk, operator: Gt, values: ["6"]}]          | false
            matchFields: [{key: metadata.name, operator: In, values: [n]}]        | true
            matchFields: [{key: metadata.name, operator: In, values: [m]}]        | false
            matchExpressions: []                                                  | false
            """)
    void followsRequiredNodeAffinity(String term, boolean matches) {
        cluster.apply(node(", labels: {disk: ssd, level: \"7\"}", ""));
        Explanation explanation = explain(
                "cpu: \"1\", memory: 1Gi",
                "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{%s}]}}}"
                        .formatted(term));
        assertThat(explanation.schedulable()).isEqualTo(matches);
        assertThat(explanation.nodeReasons().stream().map(PodNames.ALL::text).collect(Collectors.joining("")))
                .isEqualTo(matches ? "" : "the pod's required node affinity does not match this node");
    }
}

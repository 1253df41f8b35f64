package io.numaledger.scheduling.explain;

import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** A node of two zones with 4 CPUs and a GPU each; its Memory Manager is off. */
class NotAlignedTest {

    private static final String MEMORY_NONE =
            " / memory is not aligned: the node's Memory Manager policy is None; set memoryManagerPolicy: Static in the kubelet's configuration";

    private final TestCluster cluster = new TestCluster();

    /** Without the QoS class that the API server computes. */
    private static String pod(String resources, String spec) {
        return ClusterYaml.pod("x", "", "", spec, "")
                .replace("resources: {limits: {}}", "resources: {%s}".formatted(resources))
                .replace("status: {qosClass: Guaranteed}", "status: {}");
    }

    private String explain(String pod) {
        Explanation explanation =
                Explanation.ofAll(cluster.state, ClusterYaml.parsePod(pod)).get(0);
        assertThat(explanation.schedulable()).isTrue();
        return explanation.notAligned().stream()
                .map(each -> each.reason() + " " + each.text())
                .collect(Collectors.joining(" / "));
    }

    @ParameterizedTest(name = "with {0}")
    @CsvSource(delimiter = '|', textBlock = """
            limits: {cpu: "2", memory: 1Gi}                                                | ''
            ''                                                                             | qos-class not aligned: QoS class BestEffort: container c has no limit of cpu; SET
            requests: {cpu: "6", memory: 1Gi}                                              | qos-class not aligned: QoS class Burstable: container c has no limit of cpu; SET
            requests: {cpu: "2", memory: 1Gi}, limits: {cpu: "2"}                          | qos-class not aligned: QoS class Burstable: container c has no limit of memory; SET
            requests: {cpu: "1", memory: 1Gi}, limits: {cpu: "2", memory: 1Gi}             | qos-class not aligned: QoS class Burstable: container c requests 1 cpu, and its limit is 2; SET
            requests: {cpu: "1", nvidia.com/gpu: "1"}, limits: {nvidia.com/gpu: "1"}       | qos-class cpu and memory are not aligned: QoS class Burstable: container c has no limit of cpu; SET
            limits: {cpu: 1500m, memory: 1Gi}                                              | cpu-not-whole not aligned: container c requests 1500m cpu, which is not a whole number: it runs in the shared pool; request whole CPUsNONE
            """)
    void saysWhyThePodIsNone(String resources, String reasons) {
        cluster.apply(ClusterYaml.node("n"));
        assertThat(explain(pod(resources, "")))
                .isEqualTo(reasons.replace("SET", "set limits equal to requests, for cpu and memory of every container")
                        .replace("NONE", " / memory-manager-none" + MEMORY_NONE.substring(2)));
    }

    @Test
    void namesTheContainerThatMakesItSo() {
        cluster.apply(ClusterYaml.node("n"));
        assertThat(explain(pod("limits: {cpu: \"2\", memory: 1Gi}", "  initContainers: [{name: setup, image: x}]")))
                .isEqualTo(
                        "qos-class not aligned: QoS class Burstable: container setup has no limit of cpu; set limits equal to requests, for cpu and memory of every container");
        assertThat(explain(pod(
                        "limits: {cpu: \"2\", memory: 1Gi}",
                        "  resources: {requests: {cpu: \"2\"}, limits: {cpu: \"4\", memory: 2Gi}}")))
                .startsWith(
                        "qos-class not aligned: QoS class Burstable: the pod itself (spec.resources) requests 2 cpu, and its limit is 4;");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            the CPU Manager is off     | {name: cpuManagerPolicy, value: static}            | {name: cpuManagerPolicy, value: none}        | cpu-manager-none memory-manager-none
            nothing is aligned         | {name: topologyManagerPolicy, value: single-numa-node} | {name: topologyManagerPolicy, value: none} | policy-none
            """)
    void saysWhyTheNodeIsNone(String situation, String before, String after, String reasons) {
        String node = ClusterYaml.node("n");
        assertThat(node).contains(before);
        cluster.apply(node.replace(before, after));
        assertThat(Explanation.ofAll(cluster.state, ClusterYaml.parsePod(pod("limits: {cpu: \"2\", memory: 1Gi}", "")))
                        .get(0)
                        .notAligned()
                        .stream()
                        .map(each -> each.reason().toString())
                        .collect(Collectors.joining(" ")))
                .isEqualTo(reasons);
    }

    @Test
    void namesADeviceThatNoZoneHas() {
        cluster.apply(
                ClusterYaml.node("n").replace("allocatable: {nvidia", "allocatable: {amd.com/gpu: \"1\", nvidia"));
        assertThat(explain(pod("limits: {amd.com/gpu: \"1\"}", "")))
                .contains("qos-class ")
                .endsWith(
                        " / device-without-zone not aligned: no zone of the node has amd.com/gpu; its device plugin has to report NUMA nodes, and the agent to publish them");
    }

    @Test
    void doesNotCallItUnalignedWhereNothingIsKnown() {
        String bare = ClusterYaml.node("n");
        cluster.apply(bare.substring(0, bare.lastIndexOf("---")));
        assertThat(explain(pod("limits: {cpu: \"6\", memory: 1Gi}", "")))
                .isEqualTo(
                        "zones-unknown zones unknown: the node is not refused, and its kubelet may refuse the pod; --unknown-nodes=hold waits for the zones");
        assertThat(explain(pod("requests: {cpu: \"6\"}", "")))
                .as("zones would not matter")
                .startsWith("qos-class not aligned: QoS class Burstable: container c has no limit of cpu;");
    }
}

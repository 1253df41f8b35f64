package io.numaledger.objects;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.evaluation.facts.PlacementRecord;
import io.numaledger.evaluation.facts.PlacementRecords;
import io.numaledger.evaluation.facts.PodClaims;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.QosClass;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ObjectReaderTest {

    private final ObjectReader reader = new ObjectReader();

    private PodFacts pod(String yaml) {
        return reader.pod(new KubernetesSerialization().unmarshal(yaml, PodObject.class));
    }

    @Test
    void readsWhatMattersOfAPod() {
        PodFacts pod = pod("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: a
                  namespace: team
                  uid: u1
                  creationTimestamp: "2026-01-01T00:00:00Z"
                  deletionTimestamp: "2026-01-02T00:00:00Z"
                  annotations: {other: x, kai.scheduler/max-numa-spread: "1", kai.scheduler/numa-placement-observed: "[]"}
                spec:
                  nodeName: n
                  initContainers:
                  - {name: init, resources: {requests: {cpu: "1"}}}
                  - {name: sidecar, restartPolicy: Always}
                  containers:
                  - {name: c, resources: {limits: {cpu: "2", memory: 1Gi}}}
                status: {phase: Running, reason: Evicted, startTime: "2026-01-01T00:00:01Z"}
                """);

        assertThat(pod.key()).isEqualTo("team/a");
        assertThat(pod.uid()).contains("u1");
        assertThat(pod.node()).contains("n");
        assertThat(pod.terminating()).isTrue();
        assertThat(pod.startedAt()).contains(Instant.parse("2026-01-01T00:00:01Z"));
        assertThat(pod.reason()).contains("Evicted");
        assertThat(pod.annotations()).containsOnlyKeys("kai.scheduler/max-numa-spread");
        assertThat(pod.records().observed())
                .hasValueSatisfying(record -> assertThat(record.believed()).isEmpty());
        assertThat(pod.request().initContainers())
                .extracting(ContainerRequest::kind)
                .containsExactly(Kind.PLAIN_INIT, Kind.SIDECAR);
        assertThat(pod.request().containers().get(0).resources().requests())
                .as("requests default to limits")
                .containsOnlyKeys("cpu", "memory");
        assertThat(pod.request().qosClass()).isEqualTo(QosClass.BURSTABLE);
    }

    @Test
    void readsAManifestThatWasNeverCreated() {
        PodFacts pod = pod("""
                kind: Pod
                metadata: {generateName: job-}
                spec: {containers: [{name: c, resources: {limits: {cpu: "2", memory: 1Gi}}}]}
                """);

        assertThat(pod.key()).isEqualTo("default/job-");
        assertThat(pod.node()).isEmpty();
        assertThat(pod.uid()).isEmpty();
        assertThat(pod.request().qosClass()).isEqualTo(QosClass.GUARANTEED);
    }

    @Test
    void readsWhichClaimsAPodHas() {
        PodFacts pod = pod("""
                kind: Pod
                metadata: {name: a}
                spec:
                  resourceClaims:
                  - {name: shared, resourceClaimName: vfs}
                  - {name: own, resourceClaimTemplateName: gpu}
                  - {name: pending, resourceClaimTemplateName: gpu}
                  - {name: needless, resourceClaimTemplateName: gpu}
                  containers: [{name: c}]
                status:
                  resourceClaimStatuses:
                  - {name: own, resourceClaimName: a-own-x7k2p}
                  - {name: needless}
                  extendedResourceClaimStatus:
                    resourceClaimName: a-extended-resources-9h4sd
                    requestMappings: [{containerName: c, resourceName: example.com/vf, requestName: container-0-request-0}]
                """);

        assertThat(pod.claims().byName()).isEqualTo(Map.of("shared", "vfs", "own", "a-own-x7k2p", "pending", ""));
        assertThat(pod.claims().areMissing()).isTrue();
        assertThat(pod.claims().names()).containsExactly("vfs", "a-own-x7k2p", "a-extended-resources-9h4sd");
    }

    @ParameterizedTest(name = "node {0}")
    @CsvSource({"n, 'cpu'", "'', 'cpu,example.com/vf'"})
    void theKubeletSkipsWhatAClaimServes(String node, String resources) {
        PodFacts pod = pod("""
                kind: Pod
                metadata: {name: a}
                spec:
                  nodeName: "%s"
                  containers: [{name: c, resources: {limits: {cpu: 1, example.com/vf: 1}}}]
                status:
                  extendedResourceClaimStatus:
                    resourceClaimName: a-extended-resources-9h4sd
                    requestMappings: [{containerName: c, resourceName: example.com/vf, requestName: container-0-request-1}]
                """.formatted(node));
        assertThat(pod.request().containers().get(0).resources().limits().keySet())
                .containsExactly(resources.split(","));
        assertThat(pod.nodeLevel().containers().get(0).resources().limits()).containsKey("example.com/vf");
    }

    @Test
    void podsWithoutClaimsShareTheirNone() {
        assertThat(pod("kind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c}]}")
                        .claims())
                .isSameAs(PodClaims.NONE);
    }

    @Test
    void rejectsAQuantityThatItCannotRead() {
        assertThatThrownBy(() -> pod("""
                kind: Pod
                metadata: {name: a}
                spec: {containers: [{name: c, resources: {limits: {cpu: many}}}]}
                """))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'many'");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            refused for zones        | 0/3 nodes are available: 3 NUMA: no zone can take 6 cpu.      | true
            refused at bind          | NUMA: node n does not fit the pod any more: no zone can take… | true
            refused by other plugins | 0/3 nodes are available: 3 Insufficient cpu.                  | false
            """)
    void knowsFromTheConditionWhyAPodIsPending(String situation, String message, boolean refusedForZones) {
        PodFacts pod = pod("""
                kind: Pod
                metadata: {name: a}
                spec: {containers: []}
                status: {conditions: [{type: PodScheduled, status: "False", message: "%s"}]}
                """.formatted(message));

        assertThat(pod.refusedForZones()).isEqualTo(refusedForZones);
    }

    @Test
    void equalNamesAndQuantitiesAreOneObject() {
        String yaml = """
                kind: Pod
                metadata: {name: a}
                spec: {containers: [{name: c, resources: {limits: {cpu: "2"}}}]}
                """;

        var first = pod(yaml).request().containers().get(0).resources().limits().get("cpu");
        var second =
                pod(yaml).request().containers().get(0).resources().limits().get("cpu");

        assertThat(first).isSameAs(second);
    }

    private PodFacts annotated(String annotations, String spec) {
        return pod("""
                apiVersion: v1
                kind: Pod
                metadata: {name: a, namespace: team, annotations: {%s}}
                spec: {containers: [{name: c, resources: {limits: {cpu: "1", memory: 1Gi}}}]%s}
                """.formatted(annotations, spec));
    }

    @Test
    void readsTheRecordsOfPodsThatHaveANode() {
        String record = "numaledger.io/placement: '{\"containers\":[{\"name\":\"c\",\"cpus\":\"3\"}]}'";

        assertThat(annotated(record, "").records()).isEqualTo(PlacementRecords.NONE);
        assertThat(annotated(record, ", nodeName: n")
                        .records()
                        .placement()
                        .orElseThrow()
                        .require()
                        .containers())
                .hasSize(1);
    }

    @Test
    void keepsWhyARecordIsNotBelieved() {
        PodFacts pod = annotated(
                "numaledger.io/placement: '{\"containers\":[{\"name\":\"c\",\"cpus\":\"3-4\"}]}'", ", nodeName: n");

        assertThat(pod.observed()).isTrue();
        PlacementRecord<PodAllocation> record = pod.records().placement().orElseThrow();
        assertThat(record.believed()).isEmpty();
        assertThatThrownBy(record::require)
                .hasMessage("the record has more than the pod requests: pod=team/a resource=cpu amount=2");
    }

    @Test
    void cutsAnnotationsThatAreLongerThanAnyThatMeansSomething() {
        PodFacts pod = annotated("numaledger.io/gpu-links: " + "x".repeat(200_000), "");

        assertThat(pod.annotations().get("numaledger.io/gpu-links")).hasSize(4097);
        assertThat(annotated("pod-group-name: " + "x".repeat(200_000), "")
                        .group()
                        .group())
                .isEmpty();
    }

    /** The owner of a pod may give it others all the time, and each set that is kept once is kept for good. */
    @Test
    void sharesSmallSetsOfLabelsOnly() {
        String few = "metadata: {name: a, labels: {app: x}}\nspec: {containers: []}";
        String many = "metadata: {name: a, labels: {%s}}\nspec: {containers: []}"
                .formatted(IntStream.range(0, 25)
                        .mapToObj(i -> "l%d: x".formatted(i))
                        .collect(Collectors.joining(", ")));
        String longs = "metadata: {name: a, labels: {app: %s}}\nspec: {containers: []}".formatted("x".repeat(1100));

        assertThat(pod(few).labels()).isSameAs(pod(few).labels());
        assertThat(pod(many).labels()).isNotSameAs(pod(many).labels()).hasSize(25);
        assertThat(pod(longs).labels()).isNotSameAs(pod(longs).labels());
    }
}

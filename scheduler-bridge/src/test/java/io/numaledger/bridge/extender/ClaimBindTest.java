package io.numaledger.bridge.extender;

import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.objects.ClaimReader;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.objects.Documents;
import io.numaledger.objects.ResourceSliceReader;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.gang.Gangs;
import io.numaledger.scheduling.queue.PendingPodQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;

/** A node whose first device lies on node-1, while the kubelet takes CPUs of node-0 first. The bridge does not evaluate the claim's selector. */
class ClaimBindTest {

    private static final String MISALIGNED = "NUMA: node n does not fit the pod any more: CPUs would come from node-0; "
            + "its claims hold vf-1 of driver vf.example.com, on node-1";

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
    private final TestCluster cluster = new TestCluster((pod, reservation) -> {}, now::get);
    private final List<String> bound = new ArrayList<>();
    private Optional<ResourceClaim> stored = Optional.empty();
    private Optional<PodFacts> storedPod = Optional.empty();

    @BeforeEach
    void publish() throws IOException {
        cluster.apply(ClusterYaml.node("n"));
        cluster.state
                .claims()
                .sliceChanged(
                        new ResourceSliceReader().slice(Documents.read("""
                        metadata: {name: s}
                        spec:
                          driver: vf.example.com
                          nodeName: n
                          pool: {name: n, generation: 1, resourceSliceCount: 1}
                          devices:
                          - {name: vf-1, attributes: {resource.kubernetes.io/numaNode: {int: 1}}}
                          - {name: vf-0, attributes: {resource.kubernetes.io/numaNode: {int: 0}}}
                        """).get(0)));
        cluster.state
                .claims()
                .classChanged(ClaimReader.deviceClass(Documents.read("""
                        metadata: {name: vf}
                        spec: {extendedResourceName: example.com/vf}
                        """).get(0)));
        watch(claim(""));
        create("required");
    }

    private void create(String alignment) {
        cluster.state.podChanged(pod(
                alignment, "cpu: 2, memory: 1Gi", "  resourceClaims: [{name: device, resourceClaimName: mine}]", ""));
    }

    private static PodFacts pod(String alignment, String limits, String spec, String status) {
        return ClusterYaml.parsePod(ClusterYaml.pod(
                "x", limits, ", annotations: {numaledger.io/claim-alignment: %s}".formatted(alignment), spec, status));
    }

    /** @param device absent where empty */
    private static ResourceClaim claim(String device) throws IOException {
        String allocation = device.isEmpty() ? "{}" : """
                {allocation: {devices: {results: [{request: r, driver: vf.example.com, pool: n, device: %s}]}},
                  reservedFor: [{resource: pods, name: x, uid: uid-x}]}""".formatted(device);
        return ClaimReader.claim(Documents.read("""
                metadata: {name: mine, namespace: default, uid: u}
                spec:
                  devices:
                    requests:
                    - name: r
                      exactly: {deviceClassName: vf, selectors: [{cel: {expression: "device.driver.matches('vf.*')"}}]}
                status: %s
                """.formatted(allocation)).get(0));
    }

    private void watch(ResourceClaim claim) {
        cluster.state.claims().claimChanged(claim);
    }

    /** Returns the error. */
    private String bind() throws IOException {
        BindVerb verb = new BindVerb(
                cluster.state,
                Gangs.none(cluster.state),
                new ReadingBinder(),
                new NoListener(),
                System::nanoTime,
                Set.of("default-scheduler"));
        String body = "{\"PodName\":\"x\",\"PodNamespace\":\"default\",\"PodUID\":\"uid-x\",\"Node\":\"n\"}";
        String answer = new String(verb.answer(body.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
        return answer.substring("{\"Error\":\"".length(), answer.length() - 2);
    }

    private boolean admits() {
        return cluster.evaluate(
                        List.of("n"), cluster.state.pods().get("default/x").orElseThrow())
                .get(0)
                .admits();
    }

    @Test
    void bindsWhereTheAllocatedDeviceIsNear() throws IOException {
        watch(claim("vf-0"));
        assertThat(bind()).isEmpty();
        assertThat(bound).containsExactly("n");
    }

    @Test
    void refusesADeviceOnAnotherZoneAndDoesNotTryTheNodeAgain() throws IOException {
        assertThat(admits()).isTrue();
        watch(claim("vf-1"));
        assertThat(bind()).isEqualTo(MISALIGNED);
        assertThat(bound).isEmpty();
        assertThat(cluster.state.reservations()).isZero();
        assertThat(admits()).as("while it is allocated").isFalse();

        watch(claim(""));
        now.updateAndGet(before -> before.plus(Duration.ofMinutes(1)));
        assertThat(admits()).as("when the claim is given back").isFalse();
        cluster.apply(ClusterYaml.running("other", "n", "cpu: \"4\", memory: 1Gi", "1-4"));
        assertThat(admits()).as("when CPUs would come from node-1").isTrue();
    }

    /** kube-scheduler nominates each pod with claims for its node before it writes their allocation. */
    @Test
    void namesTheDevicesAlsoWhereAnotherPodIsNominated() throws IOException {
        cluster.state.podChanged(ClusterYaml.parsePod(
                ClusterYaml.pod("other", "cpu: 2, memory: 1Gi", "", "", ", nominatedNodeName: n")));
        watch(claim("vf-1"));
        assertThat(bind()).isEqualTo(MISALIGNED);

        watch(claim(""));
        assertThat(admits()).as("the failed bind is remembered").isFalse();
    }

    /** kube-scheduler takes its nomination back later: it may try the pod again before that. */
    @Test
    void aNominationDoesNotAdmitItToANodeThatWasRefusedAtItsBind() throws IOException {
        watch(claim("vf-1"));
        assertThat(bind()).isEqualTo(MISALIGNED);
        assertThat(filterNominated()).as("while it is allocated").doesNotContain("\"NodeNames\":[\"n\"]");

        watch(claim(""));
        now.updateAndGet(before -> before.plus(Duration.ofMinutes(1)));
        assertThat(filterNominated()).as("when the claim is given back").doesNotContain("\"NodeNames\":[\"n\"]");
        cluster.apply(ClusterYaml.running("other", "n", "cpu: \"4\", memory: 1Gi", "1-4"));
        assertThat(filterNominated()).as("when CPUs would come from node-1").contains("\"NodeNames\":[\"n\"]");
    }

    /** The answer about the pod, nominated for the node. */
    private String filterNominated() throws IOException {
        FilterVerb filter = new FilterVerb(
                cluster.state,
                cluster.evaluator,
                new PendingPodQueue(
                        cluster.state, cluster.evaluator, Duration.ZERO, System::nanoTime, (pod, node) -> {}),
                Gangs.none(cluster.state),
                new NoListener(),
                ZoneRefusals.unresolvable,
                CandidateLimit.DEFAULT);
        String body = """
                {"Pod": {"metadata": {"name": "x", "namespace": "default", "uid": "uid-x",
                           "annotations": {"numaledger.io/claim-alignment": "required"}},
                         "spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "2", "memory": "1Gi"}}}],
                           "resourceClaims": [{"name": "device", "resourceClaimName": "mine"}]},
                         "status": {"qosClass": "Guaranteed", "nominatedNodeName": "n"}}, "NodeNames": ["n"]}""";
        return new String(filter.answer(body.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
    }

    @Test
    void bindsWhatOnlyPrefersAlignment() throws IOException {
        create("preferred");
        watch(claim("vf-1"));
        assertThat(bind()).isEmpty();
        assertThat(admits()).isTrue();
    }

    @Test
    void waitsForTheWatch() throws Exception {
        CompletableFuture<Void> later = CompletableFuture.runAsync(
                () -> {
                    try {
                        watch(claim("vf-1"));
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                },
                CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS));
        assertThat(bind()).isEqualTo(MISALIGNED);
        later.get();
    }

    @Test
    void readsAnAllocationThatTheWatchDoesNotShow() throws IOException {
        stored = Optional.of(claim("vf-1"));
        assertThat(bind()).isEqualTo(MISALIGNED);
        stored = Optional.of(claim("vf-0"));
        assertThat(bind()).isEmpty();
    }

    @Test
    void doesNotBindWithoutAnAllocation() throws IOException {
        stored = Optional.of(claim(""));
        assertThat(bind())
                .isEqualTo(
                        "no devices are allocated to a claim of the pod: pod=default/x claim=mine; the scheduler will retry the pod");
    }

    /** Their claim is made before the bind, and deleted after it has failed. */
    @Test
    void checksDevicesOfExtendedResources() throws IOException {
        String limits = "cpu: 2, memory: 1Gi, example.com/vf: 1";
        cluster.state.podChanged(pod("required", limits, "", ""));
        stored = Optional.of(claim("vf-1"));
        storedPod = Optional.of(pod(
                "required",
                limits,
                "",
                ", extendedResourceClaimStatus: {resourceClaimName: mine, requestMappings: []}"));
        cluster.state.claims().claimDeleted("default", "mine");

        assertThat(bind()).isEqualTo(MISALIGNED);
        assertThat(admits()).isFalse();
    }

    /** After a failed bind, kube-scheduler deletes the claim, and the pod's status keeps its name until the next one is made. */
    @Test
    void anExtendedResourceNeedsANewClaimWhenThatOfAnEarlierAttemptIsGone() throws IOException {
        String limits = "cpu: 2, memory: 1Gi, example.com/vf: 1";
        String status = ", extendedResourceClaimStatus: {resourceClaimName: %s, requestMappings: []}";
        cluster.state.podChanged(pod("required", limits, "", status.formatted("earlier")));
        assertThat(admits()).as("vf-1 would be allocated").isFalse();

        storedPod = Optional.of(pod("required", limits, "", status.formatted("mine")));
        watch(claim("vf-0"));
        assertThat(bind()).isEmpty();
    }

    /** Accepts every binding, and reads what is stored. */
    private final class ReadingBinder implements Binder {

        @Override
        public void bind(PodFacts pod, String node, Optional<PredictedPlacement> predicted) {
            bound.add(node);
        }

        @Override
        public Optional<PodFacts> read(String namespace, String name, String uid) {
            return storedPod;
        }

        @Override
        public Optional<ResourceClaim> readClaim(String namespace, String name) {
            return stored;
        }
    }
}

package io.numaledger.scheduling.batch;

import io.numaledger.evaluation.claim.ClaimAllocation;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceAttribute;
import io.numaledger.evaluation.claim.DeviceClass;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.DeviceRequest;
import io.numaledger.evaluation.claim.DeviceRequest.AllocationMode;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.claim.ResourceSlice;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.explain.Explanation;
import io.numaledger.scheduling.state.PossibleSnapshots;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Nodes of two zones, from which the kubelet takes CPUs of node-0 first. */
class ClaimEvaluatorTest {

    private static final String DRIVER = "vf.example.com";

    private Instant now = Instant.EPOCH;
    private final TestCluster cluster = new TestCluster((pod, reservation) -> {}, () -> now);

    @BeforeEach
    void publishTheClass() {
        cluster.state
                .claims()
                .classChanged(new DeviceClass(
                        "vf", List.of("device.driver == '%s'".formatted(DRIVER)), Optional.empty(), Optional.empty()));
    }

    /** A node with devices on these NUMA nodes, in this order. */
    private void apply(String node, int... numaNodes) {
        cluster.apply(ClusterYaml.node(node));
        List<Device> devices = IntStream.range(0, numaNodes.length)
                .mapToObj(index -> device(node, "vf-" + index, numaNodes[index]))
                .toList();
        cluster.state.claims().sliceChanged(new ResourceSlice(node, DRIVER, node, 1, 1, devices, List.of()));
    }

    private static Device device(String node, String name, int numaNode) {
        TreeMap<String, DeviceAttribute> attributes =
                new TreeMap<>(Map.of(NumaNodes.STANDARD, DeviceAttribute.ofInt(numaNode)));
        return new Device(
                new DeviceId(DRIVER, node, name),
                Optional.of(node),
                NumaNodes.of(attributes),
                attributes,
                Collections.emptySortedMap(),
                List.of(),
                false,
                false);
    }

    /** A claim of one device is there; with a device it is allocated. */
    private void claim(String name, String selector, DeviceId... allocated) {
        cluster.state.claims().claimChanged(claimOf(name, selector, allocated));
    }

    private static ResourceClaim claimOf(String name, String selector, DeviceId... allocated) {
        DeviceRequest.Alternative one = new DeviceRequest.Alternative(
                "",
                "vf",
                List.of(selector),
                AllocationMode.EXACT_COUNT,
                1,
                false,
                List.of(),
                Collections.emptySortedMap());
        Optional<ClaimAllocation> allocation = Optional.of(List.of(allocated))
                .filter(ids -> !ids.isEmpty())
                .map(ids -> new ClaimAllocation(
                        Optional.empty(),
                        ids.stream()
                                .map(id -> new ClaimAllocation.Result(
                                        "r", id, Optional.empty(), Collections.emptySortedMap(), false))
                                .toList()));
        return new ResourceClaim(
                "default",
                name,
                name,
                List.of(new DeviceRequest("r", List.of(one))),
                List.of(),
                allocation,
                Collections.emptySortedSet(),
                List.of());
    }

    private static PodFacts pod(String alignment) {
        return pod(alignment, "cpu: 2, memory: 1Gi");
    }

    private static PodFacts pod(String alignment, String limits) {
        return ClusterYaml.parsePod(ClusterYaml.pod(
                "x",
                limits,
                ", annotations: {numaledger.io/claim-alignment: %s}".formatted(alignment),
                "  resourceClaims: [{name: device, resourceClaimName: mine}]",
                ""));
    }

    private static String refusal(Optional<Refused> refused) {
        assertThat(refused.orElseThrow().reason()).isEqualTo(RefusalReason.CLAIMS_NOT_ALIGNED);
        return PodNames.ALL.text(refused.get().message());
    }

    @Test
    void refusesANodeWhoseFirstFreeDeviceLiesElsewhere() {
        apply("near", 0, 1);
        apply("far", 1, 0);
        claim("mine", "true");
        List<Evaluation> evaluations = cluster.evaluate(List.of("near", "far"), pod("required"));
        assertThat(evaluations.get(0).admits()).isTrue();
        assertThat(evaluations.get(1))
                .isEqualTo(Refused.of(
                        RefusalReason.CLAIMS_NOT_ALIGNED,
                        "devices of the pod's claims would not lie on the zones of its CPUs and memory",
                        false));
        assertThat(refusal(cluster.evaluator.refusal("far", pod("required"))))
                .isEqualTo(
                        "CPUs would come from node-0; kube-scheduler would allocate vf-0 of driver vf.example.com, on node-1");
        assertThat(cluster.evaluator.refusal("near", pod("required"))).isEmpty();
    }

    @Test
    void followsDevicesAndClaims() {
        apply("n", 1, 0);
        claim("mine", "true");
        assertThat(cluster.evaluate(List.of("n"), pod("required")).get(0).admits())
                .isFalse();
        long version = cluster.state.versions().last();
        claim("other", "true", new DeviceId(DRIVER, "n", "vf-0"));
        assertThat(cluster.state.versions().last()).isGreaterThan(version);
        assertThat(cluster.evaluate(List.of("n"), pod("required")).get(0).admits())
                .isTrue();
    }

    @Test
    void refusesAPodWhoseClaimIsNotSeenYet() {
        apply("n", 0);
        assertThat(cluster.evaluate(List.of("n"), pod("required")).get(0))
                .isEqualTo(Refused.of(
                        RefusalReason.CLAIMS_NOT_ALIGNED,
                        "the pod demands that the devices of its claims lie on the zones of its CPUs, and the bridge has not seen "
                                + "all of its ResourceClaims yet",
                        false));
        assertThat(cluster.evaluate(List.of("n"), pod("preferred")).get(0).admits())
                .isTrue();
        claim("mine", "true");
        assertThat(cluster.evaluate(List.of("n"), pod("required")).get(0).admits())
                .isTrue();
    }

    @Test
    void admitsWhereASelectorIsNotEvaluatedAndADeviceIsNear() {
        apply("both", 1, 0);
        apply("far", 1);
        claim("mine", "device.driver.matches('vf.*')");
        List<Evaluation> evaluations = cluster.evaluate(List.of("both", "far"), pod("required"));
        assertThat(evaluations.get(0).admits()).isTrue();
        assertThat(evaluations.get(1).admits()).isFalse();
        assertThat(refusal(cluster.evaluator.refusal("far", pod("required"))))
                .isEqualTo("CPUs would come from node-0; free devices of class vf: 1 on node-1");
    }

    @Test
    void ranksByAlignment() {
        apply("far", 1);
        apply("near", 0);
        claim("mine", "true");
        List<Evaluation> evaluations = cluster.evaluate(List.of("far", "near"), pod("preferred"));
        assertThat(evaluations).allMatch(Evaluation::admits);
        assertThat(evaluations.get(1).rank()).isGreaterThan(evaluations.get(0).rank());
        List<Evaluation> none = cluster.evaluate(List.of("far", "near"), pod("none"));
        assertThat(none.get(0).rank()).isEqualTo(none.get(1).rank());
    }

    @Test
    void doesNotPromiseAnythingWhereTheKubeletChoosesFreely() {
        apply("n", 0);
        claim("mine", "true");
        PodFacts shared = pod("required", "cpu: 500m, memory: 1Gi");
        assertThat(refusal(cluster.evaluator.refusal("n", shared)))
                .startsWith("the kubelet gives the pod no CPUs and no memory of its own on this node");
        cluster.apply(ClusterYaml.node("unknown").replaceFirst("(?s)---\napiVersion: topology.*", ""));
        assertThat(cluster.evaluate(List.of("unknown"), pod("required")).get(0).admits())
                .isFalse();
    }

    @Test
    void anAllocatedClaimDecides() {
        apply("n", 0, 1);
        claim("mine", "true", new DeviceId(DRIVER, "n", "vf-1"));
        assertThat(refusal(cluster.evaluator.refusal("n", pod("required"))))
                .isEqualTo("CPUs would come from node-0; its claims hold vf-1 of driver vf.example.com, on node-1");
    }

    @Test
    void aNodeRefusedAtBindIsNotTriedAgainWhileAClaimIsGivenBack() {
        apply("n", 1, 0);
        String selector = "device.driver.matches('vf.*')";
        DeviceId far = new DeviceId(DRIVER, "n", "vf-0");
        claim("mine", selector, far);
        PossibleSnapshots node = cluster.state.snapshots("n").orElseThrow();
        Evaluation byZones = cluster.evaluate(List.of("n"), pod("none")).get(0);
        ClaimEvaluator atBind = ClaimEvaluator.required(
                cluster.state.claims(),
                pod("required"),
                List.of(claimOf("mine", selector, far)),
                cluster.state.budget(pod("required"), 1));
        assertThat(atBind.beforeBind(node, byZones).admits()).isFalse();

        now = now.plusSeconds(30);
        ResourceClaim givenBack = claimOf("mine", selector);
        assertThat(evaluate(givenBack, node, byZones).admits())
                .as("the node shows the device as held")
                .isFalse();
        cluster.state.claims().claimChanged(givenBack);
        assertThat(evaluate(givenBack, node, byZones).admits())
                .as("the node shows it as free")
                .isFalse();
        claim("other", "true", far);
        assertThat(evaluate(givenBack, node, byZones).admits())
                .as("another device is the first")
                .isTrue();
    }

    private Evaluation evaluate(ResourceClaim claim, PossibleSnapshots node, Evaluation byZones) {
        PodFacts pod = pod("required");
        return ClaimEvaluator.evaluate(
                cluster.state.claims(), pod, List.of(claim), node, byZones, cluster.state.budget(pod, 1));
    }

    @Test
    void explainsTheSame() {
        apply("n", 1);
        claim("mine", "true");
        Explanation explanation =
                Explanation.ofAll(cluster.state, pod("required")).get(0);
        assertThat(refusal(Optional.of((Refused) explanation.evaluation())))
                .isEqualTo(
                        "CPUs would come from node-0; kube-scheduler would allocate vf-0 of driver vf.example.com, on node-1");
        assertThat(explanation.advice()).isEmpty();
        assertThat(Explanation.ofAll(cluster.state, pod("maybe")).get(0).evaluation())
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(RefusalReason.CLAIM_ALIGNMENT_INVALID));
    }

    @Test
    void anInvalidDemandIsReported() {
        assertThatThrownBy(() -> cluster.evaluate(List.of(), pod("maybe")))
                .hasMessage(
                        "invalid annotation: numaledger.io/claim-alignment='maybe'; use required, preferred or none, or remove it");
    }

    @Test
    void namespacesSetADefaultForPodsWithClaims() {
        cluster.state.namespaceDefaults().put("default", Map.of("numaledger.io/claim-alignment", "required"));
        PodFacts without = ClusterYaml.parsePod(ClusterYaml.pod(
                "x", "cpu: 2, memory: 1Gi", "", "  resourceClaims: [{name: device, resourceClaimName: mine}]", ""));
        assertThat(cluster.state.pods().known(without).annotations()).containsValue("required");
        assertThat(cluster.state.pods().known(pod("none")).annotations()).containsValue("none");
        assertThat(cluster.state
                        .pods()
                        .known(ClusterYaml.pending("y", "cpu: 2, memory: 1Gi"))
                        .annotations())
                .isEmpty();
    }
}

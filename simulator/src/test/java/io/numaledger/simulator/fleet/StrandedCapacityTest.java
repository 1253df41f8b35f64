package io.numaledger.simulator.fleet;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.fit.NodeClasses;
import io.numaledger.evaluation.fit.NodeFit;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;
import io.numaledger.resource.ResourceKind;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.stranded.ReferencePod;
import io.numaledger.scheduling.stranded.ReferencePods;
import io.numaledger.scheduling.stranded.StrandedCapacity;
import io.numaledger.scheduling.stranded.StrandedReason;
import io.numaledger.scheduling.stranded.StrandedReport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Nodes of many kinds with random pods. */
class StrandedCapacityTest {

    private static final List<String> SIZES = List.of(
            "gpus:cpu=6,memory=40Gi,nvidia.com/gpu=2",
            "wide:cpu=20,memory=8Gi",
            "nic:cpu=1500m,memory=100Gi,example.com/nic=1",
            "small:cpu=3,memory=3Gi");

    private static final KubernetesSerialization TYPED = new KubernetesSerialization();

    private final ObjectReader reader = new ObjectReader();

    static LongStream seeds() {
        return LongStream.range(0, 4);
    }

    /** Copies are placed one by one; before each, the node is rebuilt from the objects that its agent would have published. */
    @ParameterizedTest
    @MethodSource("seeds")
    void agreesWithPlacingCopiesOnARebuiltNode(long seed) throws IOException {
        Random random = new Random(seed);
        int pods = 4 + random.nextInt(20);
        for (boolean chosen : new boolean[] {true, false}) {
            for (int i = 0; i < 5; i++) {
                long number = 5 * seed + i;
                FleetNode node = node(number, pods);
                StrandedCapacity capacity = counted(cluster(List.of(node)), chosen);
                for (StrandedReport.Row row : capacity.report().rows()) {
                    ReferencePod reference = ReferencePod.parse(
                            row.reference() + ":" + row.sizes().first());

                    assertThat(row.bySums())
                            .as("%s by sums on %s", reference, node.name())
                            .isEqualTo(bySums(node, reference));
                    Filled filled = filled(node(number, pods), reference);
                    assertThat(row.byZones())
                            .as("%s by zones on %s", reference, node.name())
                            .isEqualTo(filled.copies());
                    assertThat(row.reasons())
                            .as("why %s is stranded on %s", reference, node.name())
                            .isEqualTo(
                                    row.stranded() == 0
                                            ? Map.of()
                                            : Map.of(filled.reason().orElseThrow(), row.stranded()));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void afterEventsEqualsCountingFromScratch(long seed) throws IOException {
        Random random = new Random(seed);
        List<FleetNode> fleet = new ArrayList<>(LongStream.range(10 * seed, 10 * seed + 10)
                .mapToObj(number -> node(number, 12))
                .toList());
        ClusterState cluster = cluster(fleet);
        boolean chosen = random.nextBoolean();
        StrandedCapacity capacity = counted(cluster, chosen);
        for (int round = 0; round < 8; round++) {
            for (int event = 0; event < 6; event++) {
                FleetNode node = fleet.get(random.nextInt(fleet.size()));
                switch (random.nextInt(node.pods().size() <= 3 ? 2 : fleet.size() > 5 ? 5 : 4)) {
                    case 0, 1 -> cluster.podChanged(pod(node.add()));
                    case 2, 3 -> cluster.podDeleted(pod(node.remove()));
                    default -> {
                        cluster.nodeDeleted(node.name());
                        node.pods().forEach(pod -> cluster.podDeleted(pod(pod)));
                        cluster.topologyDeleted(node.name());
                        fleet.remove(node);
                    }
                }
            }
            // The first update without a count may have left nodes to the next one.
            for (int idle = 0; idle < 2; idle = capacity.update(1 + random.nextInt(3)) > 0 ? 0 : idle + 1) {
                assertThat(capacity.report().nodes()).isPositive();
            }

            assertThat(capacity.report()).isEqualTo(counted(cluster, chosen).report());
        }
    }

    private static FleetNode node(long number, int pods) {
        List<KubeletModel> kubelets = Stream.of(FleetMix.MIXED, FleetMix.FULL)
                .flatMap(mix -> mix.kubelets().stream())
                .toList();
        FleetNode node = new FleetNode("node-" + number, kubelets.get((int) (number % kubelets.size())), number);
        node.fill(pods);
        return node;
    }

    private static StrandedCapacity counted(ClusterState cluster, boolean chosen) {
        StrandedCapacity capacity =
                new StrandedCapacity(cluster, ReferencePods.of(chosen ? SIZES : List.of()), node -> "");
        capacity.update(Integer.MAX_VALUE);
        return capacity;
    }

    private ClusterState cluster(List<FleetNode> fleet) throws IOException {
        ClusterState cluster = new ClusterState(
                SnapshotSettings.DEFAULT,
                new NodeClasses(new ResourceIndex()),
                (pod, reservation) -> {},
                InstantSource.system());
        for (FleetNode node : fleet) {
            cluster.nodeChanged(facts(node));
            cluster.topologyChanged(NodeTopologyJson.read(node.topology()), Instant.now());
            for (FleetPod pod : node.pods()) {
                cluster.podChanged(pod(pod));
            }
        }
        return cluster;
    }

    private NodeFacts facts(FleetNode node) {
        return reader.node(TYPED.unmarshal(node.node(), Node.class));
    }

    private PodFacts pod(FleetPod pod) {
        return reader.pod(TYPED.unmarshal(pod.running(1), PodObject.class));
    }

    private int bySums(FleetNode node, ReferencePod reference) {
        List<PodFacts> pods = new ArrayList<>();
        node.pods().forEach(each -> pods.add(pod(each)));
        int copies = 0;
        while (NodeFit.reasons(facts(node), reference.pod(), pods).isEmpty()) {
            pods.add(copy(reference, copies++));
        }
        return copies;
    }

    private static PodFacts copy(ReferencePod reference, int number) {
        return reference.pod().requesting(reference.pod().request().named("load/copy-" + number));
    }

    /**
     * A node after copies of a pod.
     *
     * @param reason why its kubelet refuses the next one; absent: there is no room for it as a whole
     */
    private record Filled(int copies, Optional<StrandedReason> reason) {}

    private Filled filled(FleetNode node, ReferencePod reference) throws IOException {
        int copies = 0;
        while (true) {
            ClusterState rebuilt = cluster(List.of(node));
            NodeSnapshot snapshot = rebuilt.snapshot(node.name()).orElseThrow();
            PodFacts copy = copy(reference, copies);
            boolean hasRoom = NodeFit.reasons(snapshot.node(), copy, rebuilt.podsOn(node.name()))
                    .isEmpty();
            boolean admits = hasRoom && FullModel.evaluate(snapshot, copy).admits();
            Optional<FleetPod> bound = admits
                    ? node.bind(new FleetPod("copy-" + copies, node.name(), copy.request(), Optional.empty()))
                    : Optional.empty();
            assertThat(bound.isPresent()).isEqualTo(admits);
            if (!admits) {
                return new Filled(copies, hasRoom ? Optional.of(reason(snapshot, copy)) : Optional.empty());
            }
            copies++;
        }
    }

    private static StrandedReason reason(NodeSnapshot snapshot, PodFacts pod) {
        KubeletModel kubelet = snapshot.model().kubelet().orElseThrow();
        if (!kubelet.admit(kubelet.empty(), pod.request()).admission().isAdmitted()) {
            return StrandedReason.POLICY;
        }
        Evaluation.Refused refused = (Evaluation.Refused) FullModel.evaluate(snapshot, pod);
        return refused.shortResource()
                .map(resource ->
                        StrandedReason.valueOf(ResourceKind.of(resource).name()))
                .or(() -> Stream.of(StrandedReason.CPU, StrandedReason.MEMORY, StrandedReason.DEVICE)
                        .filter(kind ->
                                FullModel.evaluate(snapshot, without(pod, kind)).admits())
                        .findFirst())
                .orElse(StrandedReason.POLICY);
    }

    private static PodFacts without(PodFacts pod, StrandedReason kind) {
        return pod.requesting(pod.request()
                .without(pod.request().containers().get(0).resources().requests().keySet().stream()
                        .filter(resource -> ResourceKind.of(resource).name().equals(kind.name()))
                        .collect(Collectors.toSet())));
    }
}

package io.numaledger.simulator.fleet;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.EvaluationCounters.Method;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.fit.NodeClasses;
import io.numaledger.evaluation.fit.PreparedPods;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.evaluation.score.ScoringCriterion;
import io.numaledger.evaluation.score.Strategy;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeNames;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** The refusal that many nodes share is the one that the full model gives for each of them. */
class SharedRefusalsTest {

    private static final KubernetesSerialization TYPED = new KubernetesSerialization();
    private static final int NODES = 40;
    private static final int PODS = 30;
    private static final long GIB = 1L << 30;

    private final ObjectReader reader = new ObjectReader();
    private final ResourceIndex index = new ResourceIndex();
    private final ClusterState cluster = new ClusterState(
            SnapshotSettings.DEFAULT, new NodeClasses(index), (pod, reservation) -> {}, InstantSource.system());
    private final BatchEvaluator evaluator = new BatchEvaluator(
            cluster, new PreparedPods(index), new Ranking(ScoringCriterion.DEFAULT, Strategy.DEFAULT));

    @ParameterizedTest(name = "{0}, {1} pods a node, seed {2}")
    @CsvSource({"PLAIN, 10, 1", "PLAIN, 30, 2", "PLAIN, 45, 3", "OPTIONS, 10, 4", "OPTIONS, 30, 5", "FULL, 20, 6"})
    void isThatOfTheFullModel(FleetMix mix, int podsPerNode, long seed) throws IOException {
        Random random = new Random(seed);
        NodeNames names = fill(mix, podsPerNode);
        Set<String> summaries = new TreeSet<>();
        for (int i = 0; i < PODS; i++) {
            PodFacts pod = pod("p" + i, random);
            List<Evaluation> first = evaluator.evaluate(names, pod, cluster.budget(pod, names.size()));
            assertThat(evaluator.evaluate(names, pod, cluster.budget(pod, names.size())))
                    .isEqualTo(first);
            for (int place = 0; place < names.size(); place++) {
                Evaluation alone =
                        FullModel.evaluate(cluster.snapshot(names.get(place)).orElseThrow(), pod);
                assertThat(text(first.get(place)))
                        .as("node=%s pod=%s", names.get(place), pod.request())
                        .isEqualTo(text(alone));
                summaries.add(text(alone));
            }
        }
        assertThat(summaries).hasSizeGreaterThan(20);
        assertThat(evaluator.counters().count(Method.FAST_PATH))
                .as("decided by the fast path")
                .isGreaterThanOrEqualTo(mix == FleetMix.FULL ? 0 : NODES * PODS / 4);
    }

    private static String text(Evaluation evaluation) {
        return evaluation instanceof Refused refused
                ? "%s %s %s".formatted(refused.reason(), refused.unresolvable(), refused.summary())
                : "admitted";
    }

    private NodeNames fill(FleetMix mix, int podsPerNode) throws IOException {
        List<FleetNode> fleet = mix.nodes(NODES, podsPerNode);
        for (FleetNode node : fleet) {
            cluster.nodeChanged(reader.node(TYPED.unmarshal(node.node(), Node.class)));
            cluster.topologyChanged(NodeTopologyJson.read(node.topology()), Instant.now());
            for (FleetPod pod : node.pods()) {
                cluster.podChanged(reader.pod(TYPED.unmarshal(pod.running(1), PodObject.class)));
            }
        }
        return NodeNames.of(cluster.index(), fleet.stream().map(FleetNode::name).toList());
    }

    private PodFacts pod(String name, Random random) throws IOException {
        ContainerRequest[] containers = IntStream.range(0, 1 + random.nextInt(3))
                .mapToObj(i -> container("c" + i, random))
                .toArray(ContainerRequest[]::new);
        PodRequest request = PodRequest.of("load/" + name, containers);
        FleetPod waiting = new FleetPod(name, "", FleetPod.request("load/" + name, random), Optional.empty());
        return reader.pod(TYPED.unmarshal(waiting.waiting(1), PodObject.class)).requesting(request);
    }

    private static ContainerRequest container(String name, Random random) {
        Map<String, RequestedAmount> amounts = new TreeMap<>();
        amounts.put("cpu", RequestedAmount.of(1 + random.nextInt(random.nextInt(4) == 0 ? 120 : 24)));
        amounts.put("memory", RequestedAmount.of((1 + random.nextInt(random.nextInt(4) == 0 ? 500 : 60)) * GIB));
        if (random.nextInt(3) == 0) {
            amounts.put(FleetPod.GPU, RequestedAmount.of(1 + random.nextInt(6)));
        }
        if (random.nextInt(3) == 0) {
            amounts.put(FleetPod.NIC, RequestedAmount.of(1 + random.nextInt(5)));
        }
        return ContainerRequest.app(name, amounts);
    }
}

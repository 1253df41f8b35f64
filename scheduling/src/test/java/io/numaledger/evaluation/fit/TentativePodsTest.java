package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Pods that start on a node and end leave it as it was, in whatever order they end. */
class TentativePodsTest {

    private static final List<String> POLICIES = List.of("none", "best-effort", "restricted", "single-numa-node");

    private final TestCluster cluster = new TestCluster();

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    private static PodFacts pod(Random random, int number) {
        String gpus = random.nextInt(3) == 0 ? ", nvidia.com/gpu: 1" : "";
        return ClusterYaml.pending("p" + number, "cpu: \"%d\", memory: 1Gi%s".formatted(1 + random.nextInt(4), gpus));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aNodeIsTheSameAfterPodsHaveStartedAndEnded(long seed) {
        Random random = new Random(seed);
        cluster.apply(ClusterYaml.node("n", POLICIES.get(random.nextInt(POLICIES.size()))));
        int used = random.nextInt(4);
        if (used > 0) {
            cluster.apply(ClusterYaml.running("u", "n", "cpu: \"%d\", memory: 1Gi".formatted(used), "1-" + used));
        }
        NodeSnapshot node = cluster.snapshot("n");
        KubeletModel kubelet = node.model().kubelet().orElseThrow();
        NodeState before = kubelet.removeStaleState(node.now().orElseThrow());

        NodeState state = before;
        List<String> started = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            PodFacts pod = pod(random, i);
            List<NodeState> after = FullModel.after(node, state, pod);
            if (!after.isEmpty()) {
                started.add(pod.key());
                state = after.get(random.nextInt(after.size()));
            }
        }
        Collections.shuffle(started, random);
        for (String key : started) {
            state = node.ended(state, Set.of(key));
        }

        assertThat(state).isEqualTo(before);
    }
}

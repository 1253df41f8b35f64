package io.numaledger.fastpath;

import io.numaledger.fastpath.FastPathModel.Copies;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.pod.PodRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

class FastPathCopiesTest {

    private static final int PODS = 20;
    private static final int MOST = 12;

    static LongStream seeds() {
        return LongStream.range(0, 1_500);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void agreesWithTheFullModel(long seed) {
        check(seed);
    }

    /** The other test means something. */
    @Test
    void countsManyCopies() {
        assertThat(seeds().limit(300).mapToInt(FastPathCopiesTest::check).sum()).isGreaterThan(100);
    }

    /** Returns how many counts of more than one copy were compared. */
    private static int check(long seed) {
        Random random = new Random(seed);
        RandomNode node = new RandomNode(random);
        KubeletModel kubelet = node.model();
        ResourceIndex index = new ResourceIndex();
        ZoneTable table = ZoneTable.of(kubelet);
        Optional<FastPathModel> model = FastPathModel.of(kubelet, table, index);
        NodeState state = kubelet.empty();
        int compared = 0;
        for (int i = 0; model.isPresent() && i < PODS; i++) {
            PodRequest pod = node.randomPod("p" + i, random);
            Optional<NodeCounts> counts = model.get().counts(state, table.free(state));
            Optional<Copies> found = counts.isEmpty()
                    ? Optional.empty()
                    : model.get().copies(new FastPathEvaluator(), counts.get(), CompiledPod.of(pod, index), MOST);
            if (found.isPresent()) {
                int copies = found.get().count();
                assertThat(copies).as("%s", pod).isEqualTo(copies(kubelet, state, pod));
                assertThat(found.get().refused().isEmpty()).isEqualTo(copies == MOST);
                compared += copies > 1 ? 1 : 0;
            }
            Decision decision = kubelet.admit(state, pod);
            state = decision.admission().isAdmitted() ? kubelet.started(decision.state(), pod) : state;
        }
        return compared;
    }

    private static int copies(KubeletModel kubelet, NodeState from, PodRequest pod) {
        NodeState state = from;
        for (int copies = 0; copies < MOST; copies++) {
            PodRequest copy = pod.named("copy-" + copies);
            Decision decision = kubelet.admit(state, copy);
            if (!decision.admission().isAdmitted()) {
                return copies;
            }
            state = kubelet.started(decision.state(), copy);
        }
        return MOST;
    }
}

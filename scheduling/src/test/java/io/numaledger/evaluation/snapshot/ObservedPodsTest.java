package io.numaledger.evaluation.snapshot;

import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class ObservedPodsTest {

    private static final int CPUS = 8;
    private static final int EVENTS = 300;

    /** A pod with the CPU of its number; its agent may have written nothing yet, another CPU, or one that another pod holds. */
    private static String pod(int number, Random random) {
        String name = "pod-" + number;
        String limits = "cpu: \"1\", memory: 1Gi";
        int kind = random.nextInt(10);
        if (kind == 0) {
            return ClusterYaml.pod(name, limits, "", "  nodeName: n", ", phase: Running");
        }
        int cpu = kind == 1 ? 1 + random.nextInt(CPUS) : number;
        String running = ClusterYaml.running(name, "n", limits, Integer.toString(cpu));
        return kind == 2 ? ClusterYaml.terminating(running) : running;
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(ints = {1, 2, 3})
    void aSnapshotIsTheSameAsThatOfANewCluster(int seed) {
        Random random = new Random(seed);
        SortedMap<Integer, String> pods = new TreeMap<>();
        TestCluster cluster = new TestCluster();
        cluster.apply(ClusterYaml.node("n"));
        for (int event = 0; event < EVENTS; event++) {
            int number = 1 + random.nextInt(CPUS);
            if (pods.containsKey(number) && random.nextBoolean()) {
                pods.remove(number);
                cluster.deletePod("pod-" + number);
            } else {
                pods.put(number, pod(number, random));
                cluster.apply(pods.get(number));
            }
            NodeSnapshot kept = cluster.snapshot("n");

            TestCluster fresh = new TestCluster();
            fresh.apply(ClusterYaml.node("n") + String.join("", pods.values()));

            assertThat(kept.now())
                    .as("event %d: %s", event, pods.keySet())
                    .isEqualTo(fresh.snapshot("n").now());
            assertThat(kept.pods()).isEqualTo(fresh.snapshot("n").pods());
            assertThat(kept.assumptions()).isEqualTo(fresh.snapshot("n").assumptions());
        }
    }
}

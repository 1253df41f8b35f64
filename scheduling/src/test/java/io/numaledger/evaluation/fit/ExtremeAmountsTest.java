package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.explain.Explanation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** Whatever amounts pods, zones and records have, each pod gets an answer, and none that adds up past the range of a number. */
class ExtremeAmountsTest {

    private static final List<String> AMOUNTS = List.of(
            "0",
            "1",
            "3",
            "1500m",
            "2147483647",
            "2147483648",
            "4294967297",
            "9007199254740993",
            "4611686018427387904",
            "9223372036854775807",
            "9223372036854775807m",
            "8Ei",
            "1e18");
    private static final List<String> POLICIES = List.of("none", "best-effort", "restricted", "single-numa-node");

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyPodGetsAnAnswer(long seed) {
        Random random = new Random(seed);
        TestCluster cluster = new TestCluster();
        List<String> names = new ArrayList<>();
        for (String policy : POLICIES) {
            names.add(policy);
            cluster.apply(node(policy, random));
        }
        for (int i = 0; i < 4; i++) {
            cluster.apply(holder("held" + i, names.get(random.nextInt(names.size())), random));
        }
        for (int i = 0; i < 25; i++) {
            PodFacts pod = ClusterYaml.read(pod("p" + i, random)).pods().get(0);

            List<Evaluation> evaluations = cluster.evaluate(names, pod);
            List<Explanation> explanations = Explanation.ofAll(cluster.state, pod);

            assertThat(evaluations).hasSize(names.size());
            assertThat(explanations).hasSize(names.size());
            for (int at = 0; at < names.size(); at++) {
                String name = names.get(at);
                assertThat(explanations.stream()
                                .filter(each -> each.node().name().equals(name))
                                .allMatch(each -> each.evaluation().admits()))
                        .as("%s on %s: %s", pod, name, explanations)
                        .isEqualTo(evaluations.get(at).admits());
            }
        }
    }

    private static String amount(Random random) {
        return AMOUNTS.get(random.nextInt(AMOUNTS.size()));
    }

    private static String limits(Random random) {
        return "cpu: \"%s\", memory: \"%s\", nvidia.com/gpu: \"%s\", hugepages-2Mi: \"%s\""
                .formatted(
                        random.nextBoolean() ? "2" : amount(random).replace("1500m", "1"),
                        random.nextBoolean() ? "1Gi" : amount(random),
                        random.nextBoolean() ? "1" : amount(random).replaceAll("1500m|.*m$", "1"),
                        random.nextBoolean() ? "0" : amount(random).replaceAll("1500m|.*m$", "2Mi"));
    }

    private static String pod(String name, Random random) {
        StringBuilder containers = new StringBuilder();
        for (int i = 0; i <= random.nextInt(3); i++) {
            containers.append(
                    "  - {name: c%d, resources: {limits: {%2$s}, requests: {%2$s}}}\n".formatted(i, limits(random)));
        }
        String init = random.nextBoolean()
                ? "  initContainers:\n  - {name: i, resources: {limits: {%1$s}, requests: {%1$s}}}\n"
                        .formatted(limits(random))
                : "";
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: default, uid: %s}
                spec:
                %s  containers:
                %sstatus: {qosClass: Guaranteed}
                """.formatted(name, name, init, containers);
    }

    /** A pod that a record places, with amounts that no node has. */
    private static String holder(String name, String node, Random random) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %1$s
                  namespace: default
                  uid: %1$s
                  annotations:
                    kai.scheduler/numa-placement-observed: '[{"zone":"node-0","amount":{"cpu":"%3$s","memory":"%4$s","nvidia.com/gpu":"1"}}]'
                spec:
                  nodeName: %2$s
                  containers:
                  - {name: c, resources: {limits: {cpu: "1", memory: 1Gi}, requests: {cpu: "1", memory: 1Gi}}}
                status: {qosClass: Guaranteed, phase: Running, startTime: "2026-01-01T00:00:00Z"}
                """.formatted(name, node, amount(random), amount(random));
    }

    private static String node(String policy, Random random) {
        boolean extreme = random.nextBoolean();
        return ClusterYaml.node(policy, policy)
                .replace(
                        "{name: nvidia.com/gpu, capacity: \"1\", allocatable: \"1\", available: \"1\"}",
                        "{name: nvidia.com/gpu, capacity: \"1\", allocatable: \"1\", available: \"1\"}\n"
                                + "  - {name: memory, capacity: \"%1$s\", allocatable: \"%1$s\", available: \"%1$s\"}\n"
                                        .formatted(extreme ? amount(random) : "16Gi")
                                + "  - {name: example.com/x, capacity: \"%1$s\", allocatable: \"%1$s\", available: \"%1$s\"}"
                                        .formatted(extreme ? amount(random) : "2"))
                .replace("{name: memoryManagerPolicy, value: None}", "{name: memoryManagerPolicy, value: Static}");
    }
}

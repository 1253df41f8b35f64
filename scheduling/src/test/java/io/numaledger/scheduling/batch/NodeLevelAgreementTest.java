package io.numaledger.scheduling.batch;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.explain.Explanation;
import io.numaledger.scheduling.group.GroupNode;
import io.numaledger.scheduling.group.GroupPlanner;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.preemption.SearchLimit;
import io.numaledger.scheduling.preemption.VictimSearch;
import io.numaledger.scheduling.preemption.Victims;
import io.numaledger.scheduling.state.Feasibility;
import io.numaledger.scheduling.state.NodeUse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All that are asked whether a node as a whole takes a pod agree with kube-scheduler's plugins NodeAffinity, NodeUnschedulable,
 * TaintToleration, NodePorts and NodeResourcesFit, restated here. The pod's zones are always free.
 */
class NodeLevelAgreementTest {

    private final TestCluster cluster = new TestCluster();

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    private static String node(String disk, boolean cordoned, String taint, int places) {
        String spec = "spec: {unschedulable: %s, taints: [%s]}"
                .formatted(cordoned, taint.isEmpty() ? "" : "{key: a, effect: %s}".formatted(taint));
        return ClusterYaml.node("n")
                .replaceFirst("name: n}\nstatus:", "name: n, labels: {disk: %s}}\n%s\nstatus:".formatted(disk, spec))
                .replaceFirst("allocatable: \\{", "allocatable: {pods: \"%d\", ".formatted(places));
    }

    private static String withPort(String pod, int port) {
        return port == 0
                ? pod
                : pod.replace("image: x,", "image: x, ports: [{containerPort: 80, hostPort: %d}],".formatted(port));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void allAgree(long seed) {
        Random random = new Random(seed);
        String disk = random.nextBoolean() ? "ssd" : "hdd";
        boolean cordoned = random.nextInt(4) == 0;
        String taint =
                List.of("", "", "NoSchedule", "NoExecute", "PreferNoSchedule").get(random.nextInt(5));
        int places = 1 + random.nextInt(3);
        cluster.apply(node(disk, cordoned, taint, places));
        int running = random.nextInt(3);
        int takenPort = random.nextInt(3) * 80;
        for (int i = 0; i < running; i++) {
            cluster.apply(withPort(
                    ClusterYaml.running("r" + i, "n", "cpu: \"1\", memory: 1Gi", Integer.toString(1 + i)),
                    i == 0 ? takenPort : 0));
        }
        int port = random.nextInt(3) * 80;
        boolean selects = random.nextInt(3) == 0;
        String toleration = List.of(
                        "",
                        "{operator: Exists}",
                        "{key: a, operator: Exists, effect: NoSchedule}",
                        "{key: node.kubernetes.io/unschedulable, operator: Exists}")
                .get(random.nextInt(4));
        PodFacts pod = ClusterYaml.parsePod(withPort(
                ClusterYaml.pod(
                        "x",
                        "cpu: \"1\", memory: 1Gi",
                        "",
                        "  tolerations: [%s]%s".formatted(toleration, selects ? "\n  nodeSelector: {disk: ssd}" : ""),
                        ""),
                port));

        boolean fits = (!selects || disk.equals("ssd"))
                && (!cordoned || toleration.contains("{operator: Exists") || toleration.contains("unschedulable"))
                && (taint.isEmpty()
                        || taint.equals("PreferNoSchedule")
                        || toleration.equals("{operator: Exists}")
                        || (taint.equals("NoSchedule") && toleration.contains("NoSchedule")))
                && running < places
                && (port == 0 || running == 0 || port != takenPort);
        assertThat(answers(pod))
                .as("disk=%s cordoned=%s taint=%s places=%d running=%d", disk, cordoned, taint, places, running)
                .allSatisfy((who, answer) -> assertThat(answer).as(who).isEqualTo(fits));
    }

    private Map<String, Boolean> answers(PodFacts pod) {
        EvaluationBudget budget = new EvaluationBudget(10_000_000);
        NodeUse use = cluster.state.use("n", budget).orElseThrow();
        Map<String, Boolean> answers = new TreeMap<>();
        answers.put("explain", Explanation.ofAll(cluster.state, pod).get(0).schedulable());
        answers.put("feasibility", Feasibility.of(use).takes(pod));
        answers.put(
                "search",
                !new ClusterSearch(cluster.state, cluster.evaluator)
                        .taking(pod, List.of("n"), 1, budget)
                        .isEmpty());
        answers.put(
                "group",
                new GroupPlanner(cluster.state.claims(), 1000)
                        .within(budget)
                        .plan(List.of(pod), 1, List.of(GroupNode.now(use, any -> true)), any -> Set.of())
                        .plan()
                        .isPresent());
        Optional<Victims> victims =
                new VictimSearch(use, pod, DisruptionBudgets.NONE, new SearchLimit()).find(Set.of());
        answers.put("preempt", victims.filter(found -> found.pods().isEmpty()).isPresent());
        answers.put("move", use.mayTake(pod) && use.now().with(pod).isPresent());
        return answers;
    }
}

package io.numaledger.scheduling.explain;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Random nodes, pods that run there, and a pod that does not fit: it does after exactly what the advice says. */
class AppliedAdviceTest {

    private static final Pattern WITHOUT = Pattern.compile("the pod would fit without (\\S+)(?: and (\\S+))?");
    private static final Pattern SMALLER = Pattern.compile(".*; (without them, )?it would fit with (\\S+) (\\S+)");

    private final Map<String, String> pods = new TreeMap<>();
    private final Map<String, Integer> advices = new HashMap<>();

    static LongStream seeds() {
        return LongStream.range(0, 150);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void thePodFitsAfterWhatTheAdviceSays(long seed) {
        look(new Random(seed));
    }

    @Test
    void everyKindOfAdviceIsGiven() {
        seeds().forEach(seed -> look(new Random(seed)));
        assertThat(advices.keySet())
                .contains("wait", "without one", "without two", "smaller", "smaller, without others");
    }

    private void look(Random random) {
        pods.clear();
        String node = node(random);
        fill(random);
        Map<String, String> limits = limits(random);
        String spec = random.nextInt(4) == 0 ? "  overhead: {memory: 1Gi}" : "";
        Explanation explained = explain(node, pods -> true, limits, spec);
        explained.advice().map(PodNames.ALL::text).ifPresent(advice -> {
            assertThat(explained.schedulable()).as("needs advice").isFalse();
            assertThat(explained.nodeReasons())
                    .extracting(PodNames.ALL::text)
                    .noneMatch(reason -> reason.startsWith("the pod does not tolerate"));
            apply(advice, node, limits, spec);
        });
    }

    private void apply(String advice, String node, Map<String, String> limits, String spec) {
        Matcher without = WITHOUT.matcher(advice);
        Matcher smaller = SMALLER.matcher(advice);
        if (without.matches()) {
            List<String> ended = new ArrayList<>(List.of(without.group(1)));
            if (without.group(2) != null) {
                ended.add(without.group(2));
            }
            count(ended.size() == 1 ? "without one" : "without two");
            assertFits(advice, explain(node, pod -> !ended.contains("default/" + pod), limits, spec));
        } else if (smaller.matches()) {
            Map<String, String> less = new TreeMap<>(limits);
            assertThat(less.put(smaller.group(3), smaller.group(2))).as(advice).isNotNull();
            boolean empty = smaller.group(1) != null;
            count(empty ? "smaller, without others" : "smaller");
            assertFits(advice, explain(node, pod -> !empty, less, spec));
        } else if (advice.startsWith("wait")) {
            count("wait");
            assertFits(advice, explain(node, pod -> !pods.get(pod).contains("deletionTimestamp"), limits, spec));
        } else {
            assertThat(advice)
                    .isIn(
                            "the pod does not fit this node even without other pods",
                            "more than two other pods would have to end");
        }
    }

    private void count(String kind) {
        advices.merge(kind, 1, Integer::sum);
    }

    private static void assertFits(String advice, Explanation explained) {
        assertThat(explained.schedulable())
                .as("%s: %s, %s", advice, explained.evaluation(), explained.nodeReasons())
                .isTrue();
    }

    private Explanation explain(String node, Predicate<String> staying, Map<String, String> limits, String spec) {
        TestCluster cluster = new TestCluster();
        cluster.apply(node);
        pods.keySet().stream().filter(staying).map(pods::get).forEach(cluster::apply);
        PodFacts pod = ClusterYaml.parsePod(ClusterYaml.pod("x", text(limits), "", spec, ""));
        return Explanation.ofAll(cluster.state, pod).get(0);
    }

    private static String text(Map<String, String> amounts) {
        return amounts.toString().replaceAll("[{}]", "").replaceAll("=([^,]+)", ": \"$1\"");
    }

    private static String node(Random random) {
        String policy = List.of("single-numa-node", "restricted", "best-effort").get(random.nextInt(3));
        String taint = random.nextInt(8) == 0 ? "\nspec: {taints: [{key: a, effect: NoSchedule}]}" : "";
        return ClusterYaml.node("n", policy)
                .replace("metadata: {name: n}\nstatus", "metadata: {name: n}%s\nstatus".formatted(taint))
                .replace(
                        "allocatable: {",
                        "allocatable: {cpu: \"8\", memory: %dGi, pods: \"%d\", "
                                .formatted(4 + random.nextInt(13), 1 + random.nextInt(8)));
    }

    /** Pods with CPUs of their own, and others. */
    private void fill(Random random) {
        List<String> free = new ArrayList<>(List.of("1", "2", "3", "4", "5", "6", "7", "8"));
        for (int i = random.nextInt(6); i > 0 && !free.isEmpty(); i--) {
            String name = "p" + i;
            String memory = "memory: %dGi".formatted(1 + random.nextInt(4));
            int count = Math.min(free.size(), 1 + random.nextInt(4));
            List<String> own = List.copyOf(free.subList(0, count));
            String pod;
            if (random.nextInt(3) == 0) {
                pod = ClusterYaml.pod(name, "cpu: 10m, " + memory, "", "  nodeName: n", ", phase: Running");
            } else {
                free.subList(0, count).clear();
                pod = ClusterYaml.running(
                        name,
                        "n",
                        "cpu: \"%d\", %s".formatted(count, memory),
                        CpuSet.parse(String.join(",", own)).toString());
            }
            pods.put(name, random.nextInt(5) == 0 ? ClusterYaml.terminating(pod) : pod);
        }
    }

    private static Map<String, String> limits(Random random) {
        Map<String, String> limits = new TreeMap<>();
        limits.put("cpu", Integer.toString(1 + random.nextInt(random.nextBoolean() ? 5 : 12)));
        limits.put("memory", "%dGi".formatted(1 + random.nextInt(random.nextBoolean() ? 4 : 20)));
        if (random.nextInt(4) == 0) {
            limits.put("nvidia.com/gpu", Integer.toString(1 + random.nextInt(3)));
        }
        if (random.nextInt(8) == 0) {
            limits.put("amd.com/gpu", "1");
        }
        return limits;
    }
}

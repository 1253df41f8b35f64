package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.Assumption;
import io.numaledger.evaluation.snapshot.Confidence;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Pods under an in-place resize, with the status that a kubelet writes. A node of two zones with 4 CPUs each. */
class ResizedPodTest {

    private static final PodFacts THREE = ClusterYaml.pending("newcomer", "cpu: \"3\", memory: 1Gi");

    /** A container of a pod: what its spec requests in CPUs, and what is reported; 0 is not reported. */
    private record Resized(String name, String policy, int spec, int allocated, int actual) {

        String inSpec() {
            return "{name: %s, restartPolicy: %s, resources: {requests: {cpu: \"%d\"}}}"
                    .formatted(name, policy.equals("Always") ? "Always" : "\"\"", spec);
        }

        String inStatus() {
            List<String> fields = new ArrayList<>(List.of("name: " + name));
            if (allocated > 0) {
                fields.add("allocatedResources: {cpu: \"%d\"}".formatted(allocated));
            }
            if (actual > 0) {
                fields.add("resources: {requests: {cpu: \"%d\"}}".formatted(actual));
            }
            return "{%s}".formatted(String.join(", ", fields));
        }
    }

    private static String list(Stream<String> items) {
        return items.toList().toString();
    }

    private static String pod(List<Resized> inits, List<Resized> apps, String spec, String status) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: a, namespace: default, uid: a}
                spec:
                  nodeName: n
                  initContainers: %s
                  containers: %s
                %s
                status:
                  phase: Running
                  initContainerStatuses: %s
                  containerStatuses: %s
                %s
                """.formatted(
                        list(inits.stream().map(Resized::inSpec)),
                        list(apps.stream().map(Resized::inSpec)),
                        spec,
                        list(inits.stream().map(Resized::inStatus)),
                        list(apps.stream().map(Resized::inStatus)),
                        status);
    }

    private static long cpuMillis(String pod) {
        return NodeFit.requested(ClusterYaml.read(pod).pods()).getOrDefault("cpu", 0L);
    }

    private static List<Resized> containers(String text) {
        return Stream.ofNullable(text)
                .flatMap(all -> Stream.of(all.split(" ")))
                .map(one -> one.split(":"))
                .map(parts -> new Resized(
                        parts[0],
                        parts.length > 2 ? parts[2] : "",
                        Integer.parseInt(parts[1].split("/")[0]),
                        Integer.parseInt(parts[1].split("/")[1]),
                        Integer.parseInt(parts[1].split("/")[2])))
                .toList();
    }

    /** The right column was read from the cache of kube-scheduler 1.36.3 (signal USR2). Amounts: spec/allocated/actual. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            containers one by one         | c:1/3/3 d:5/2/2 |                |            | 8
            infeasible                    | c:6/2/2         |                | Infeasible | 2
            infeasible, still larger      | c:6/2/3         |                | Infeasible | 3
            infeasible, does not run      | c:6/0/0         |                | Infeasible | 6
            infeasible, no actual amounts | c:6/2/0         |                | Infeasible | 6
            infeasible, no allocated ones | c:6/0/2         |                | Infeasible | 2
            deferred                      | c:6/2/2         |                | Deferred   | 6
            down, in progress             | c:2/2/6         |                |            | 6
            a plain init container        | c:1/1/1         | i:6/2/2        | Infeasible | 6
            a sidecar                     | c:1/1/1         | i:6/2/2:Always | Infeasible | 3
            """)
    void countsTheContainersAsKubeScheduler(String situation, String apps, String inits, String pending, long cpus) {
        assertThat(cpuMillis(pod(containers(inits), containers(apps), "", condition(pending))))
                .isEqualTo(cpus * 1000);
    }

    private static String condition(String reason) {
        return reason == null
                ? ""
                : "  conditions: [{type: PodResizePending, status: \"True\", reason: %s}]".formatted(reason);
    }

    /** But the overhead once: kube-scheduler 1.36 counts it twice, since kubelets report it as part of the pod's resources. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            infeasible      | 6 |   | 2 | 2 | Infeasible | 2
            in progress     | 2 |   | 4 | 5 |            | 5
            deferred        | 6 |   | 2 | 2 | Deferred   | 6
            not resized     | 2 | 1 | 3 | 3 |            | 3
            both            | 6 | 1 | 3 | 3 | Infeasible | 3
            """)
    void countsResourcesOfThePodItself(
            String situation, int spec, String overhead, int allocated, int actual, String pending, long cpus) {
        String own = "  resources: {requests: {cpu: \"%d\"}}".formatted(spec);
        String more = overhead == null ? "" : "\n  overhead: {cpu: \"%s\"}".formatted(overhead);
        String status = "  allocatedResources: {cpu: \"%d\", memory: 1Gi}\n  resources: {requests: {cpu: \"%d\"}}\n"
                .formatted(allocated, actual);

        assertThat(cpuMillis(pod(List.of(), containers("c:1/1/1"), own + more, status + condition(pending))))
                .isEqualTo(cpus * 1000);
    }

    static LongStream seeds() {
        return LongStream.range(0, 500);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithTheGreatestSumAtAnyTime(long seed) {
        Random random = new Random(seed);
        boolean infeasible = random.nextBoolean();
        List<Resized> inits = IntStream.range(0, random.nextInt(4))
                .mapToObj(i -> container(random, "i" + i, random.nextBoolean() ? "Always" : ""))
                .toList();
        List<Resized> apps = IntStream.range(0, 1 + random.nextInt(3))
                .mapToObj(i -> container(random, "c" + i, ""))
                .toList();
        List<Long> instants = new ArrayList<>();
        for (int now = 0; now < inits.size(); now++) {
            long before = inits.subList(0, now).stream()
                    .filter(each -> each.policy().equals("Always"))
                    .mapToLong(each -> counted(each, infeasible))
                    .sum();
            Resized init = inits.get(now);
            instants.add(before + (init.policy().equals("Always") ? counted(init, infeasible) : init.spec()));
        }
        instants.add(Stream.concat(inits.stream().filter(each -> each.policy().equals("Always")), apps.stream())
                .mapToLong(each -> counted(each, infeasible))
                .sum());

        assertThat(cpuMillis(pod(inits, apps, "", condition(infeasible ? "Infeasible" : "Deferred"))))
                .isEqualTo(instants.stream().mapToLong(Long::longValue).max().orElseThrow() * 1000);
    }

    private static Resized container(Random random, String name, String policy) {
        return new Resized(name, policy, 1 + random.nextInt(5), random.nextInt(5), random.nextInt(5));
    }

    private static long counted(Resized container, boolean infeasible) {
        if (container.actual() == 0) {
            return container.spec();
        }
        int reported = Math.max(container.allocated(), container.actual());
        return infeasible ? reported : Math.max(container.spec(), reported);
    }

    /** A Guaranteed pod on zone 0, whose spec was changed after its kubelet had allocated other CPUs. */
    private static String resized(String name, int spec, int allocated, String reason, String annotations) {
        String cpus = "{cpu: \"%d\", memory: 1Gi}";
        return ClusterYaml.pod(
                name,
                "cpu: \"%d\", memory: 1Gi".formatted(spec),
                annotations,
                "  nodeName: n",
                ", phase: Running, containerStatuses: [{name: c, allocatedResources: %1$s, resources: {requests: %1$s, limits: %1$s}}], conditions: [{type: PodResizePending, status: \"True\", reason: %2$s}]"
                        .formatted(cpus.formatted(allocated), reason));
    }

    private static String record(String cpus) {
        return ", annotations: {numaledger.io/placement: '{\"version\":1,\"containers\":[{\"name\":\"c\",\"cpus\":\"%s\"}]}'}"
                .formatted(cpus);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Infeasible", "Deferred"})
    void holdsWhatWasAllocatedWhileTheSpecAsksForMore(String reason) {
        TestCluster cluster = new TestCluster();
        cluster.apply(
                ClusterYaml.nodeOfAgent("n", 3, 0, "default/a", "default/b"),
                resized("a", 4, 1, reason, record("1")),
                ClusterYaml.running("b", "n", "cpu: \"4\", memory: 1Gi", "5-8"));

        assertThat(cluster.evaluate(List.of("n"), THREE).get(0).admits()).isTrue();
        assertThat(cluster.snapshot("n").confidence()).isEqualTo(Confidence.EXACT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Infeasible", "Deferred"})
    void placesWhatWasAllocatedWhereNothingWasObserved(String reason) {
        TestCluster cluster = new TestCluster();
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.running("b", "n", "cpu: \"4\", memory: 1Gi", "5-8"),
                resized("a", 4, 1, reason, ""));

        assertThat(cluster.evaluate(List.of("n"), THREE).get(0).admits()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Infeasible", "Deferred"})
    void believesTheRecordOfAPodWhoseSpecAsksForLess(String reason) {
        TestCluster cluster = new TestCluster();
        cluster.apply(
                ClusterYaml.nodeOfAgent("n", 0, 2, "default/a", "default/b"),
                resized("a", 1, 4, reason, record("1-4")),
                ClusterYaml.running("b", "n", "cpu: \"2\", memory: 1Gi", "5-6"));
        NodeSnapshot node = cluster.snapshot("n");

        assertThat(node.confidence()).as(PodNames.ALL.text(node.reason())).isEqualTo(Confidence.EXACT);
        assertThat(cluster.evaluate(List.of("n"), THREE).get(0).admits()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Infeasible", "Deferred"})
    void setsAsideARecordOfMoreThanWasAllocatedWhateverTheSpecAsks(String reason) {
        TestCluster cluster = new TestCluster();
        cluster.apply(ClusterYaml.node("n"), resized("a", 4, 1, reason, record("1-4")));

        assertThat(PodNames.ALL.text(cluster.snapshot("n").reason()))
                .contains("the record has more than the pod requests: pod=default/a resource=cpu");
    }

    /**
     * Kubelet 1.37 accepts resizes of exclusive CPUs with the gate, and leaves the CPUs as they are. The zones show whether it did. Pod a
     * is on zone 0, where 2 CPUs are asked for.
     */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            resized from 2 to 3                   | 3 | 1-2 | 2 | true  | {}
            resized from 3 to 1                   | 1 | 1-3 | 1 | false | {}
            a record of more than the zones show  | 1 | 1-3 | 3 | true  | {no-record, record-conflict}
            a record of less than the zones show  | 3 | 1   | 1 | false | {partial-record}
            """)
    void holdsWhatAKubeletThatResizesExclusiveCpusLeaves(
            String situation, int allocated, String cpus, int available, boolean fits, String assumed) {
        TestCluster cluster = new TestCluster();
        cluster.apply(
                ClusterYaml.nodeOfAgent("n", available, 1, "default/a", "default/b")
                        .replace("v1.36.3", "v1.37.2")
                        .replace(
                                "zones:\n",
                                "- {name: featureGateInPlacePodVerticalScalingExclusiveCPUs, value: \"true\"}\nzones:\n"),
                resized("a", allocated, allocated, "\"\"", record(cpus)),
                ClusterYaml.running("b", "n", "cpu: \"3\", memory: 1Gi", "5-7"));
        PodFacts two = ClusterYaml.pending("newcomer", "cpu: \"2\", memory: 1Gi");

        assertThat(cluster.evaluate(List.of("n"), two).get(0).admits()).isEqualTo(fits);
        assertThat(cluster.snapshot("n").assumptions())
                .extracting(Assumption::code)
                .hasToString(assumed.replace('{', '[').replace('}', ']'));
    }
}

package io.numaledger.bridge.run;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiobjects.view.ExplanationJson;
import io.numaledger.apiobjects.view.NodeJson;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.bridge.extender.BindVerb;
import io.numaledger.bridge.extender.Binder;
import io.numaledger.bridge.extender.CandidateLimit;
import io.numaledger.bridge.extender.FilterVerb;
import io.numaledger.bridge.extender.PreemptVerb;
import io.numaledger.bridge.extender.ZoneRefusals;
import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.audit.PredictionAudit;
import io.numaledger.scheduling.explain.ExplanationLimits;
import io.numaledger.scheduling.gang.Gangs;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.queue.PendingPodQueue;
import io.numaledger.scheduling.scheduler.SchedulerCalls;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** What is said to the owner of a pod, and to readers of its namespace, names no pod of another namespace. Random clusters. */
class OtherNamespacesTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> NODES = List.of("n0", "n1", "n2");

    /** Every pod of another namespace is called so. */
    private static final String OTHERS = "hidden";

    private static final PodNames OF_DEFAULT = PodNames.of("default");

    @TempDir
    private Path directory;

    private final TestCluster cluster = new TestCluster();
    private EmbeddedApiServer server;
    private KubernetesClient client;
    private DecisionReporter reporter;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        client = ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))));
        reporter = new DecisionReporter(
                new BridgeMetrics(),
                new PodEvents(client, Runnable::run, () -> {}, InstantSource.system()),
                new SchedulerCalls(Set.of(), InstantSource.system()),
                new PredictionAudit(InstantSource.system(), cluster.state::snapshot));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    static LongStream seeds() {
        return LongStream.range(0, 12);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void areNamedNeitherInEventsNorInAnswers(long seed) throws IOException {
        Random random = new Random(seed);
        NODES.forEach(node -> cluster.apply(node(node, random)));
        List<String> said = new ArrayList<>();
        for (String pending : pendingPods()) {
            cluster.apply(pending);
        }
        for (String name : List.of("linked", "cpus", "memory", "wide", "invalid")) {
            answers(name, said);
        }
        readers(said);
        List<String> events = client.v1().events().inNamespace("default").list().getItems().stream()
                .map(Event::getMessage)
                .toList();

        assertThat(events).anySatisfy(event -> assertThat(event).contains(", held by "));
        said.addAll(events);
        assertThat(said).allSatisfy(text -> assertThat(text).doesNotContain(OTHERS, "/*"));
    }

    /** kubectl prints what is said to a pod's owner. */
    @Test
    void controlCharactersOfAnnotationsAreSaidAsText() throws IOException {
        cluster.apply(node("n0", new Random(0)));
        cluster.apply(pod(
                "invalid",
                "default",
                "kai.scheduler/max-numa-spread: \"\\e[2J\\x9b31m\\u202e\\n\"",
                "cpu: 1",
                "",
                "Pending"));
        List<String> said = new ArrayList<>();
        answers("invalid", said);
        List<String> texts = new ArrayList<>();
        for (String answer : said) {
            JSON.readTree(answer).findValues("n0").forEach(text -> texts.add(text.asText()));
            JSON.readTree(answer).findValues("Error").forEach(text -> texts.add(text.asText()));
        }
        client.v1().events().inNamespace("default").list().getItems().forEach(event -> texts.add(event.getMessage()));
        texts.add(text(Answer.text(400, "no such pod: pod=\033[2J\n").body()).stripTrailing());

        assertThat(texts).filteredOn(text -> text.contains("\\u001b[2J")).hasSizeGreaterThanOrEqualTo(4);
        assertThat(texts).allSatisfy(text -> assertThat(text).doesNotContainPattern("[\\p{Cntrl}\\p{Cf}\u009b]"));
    }

    // ---- what is said

    private void answers(String name, List<String> said) throws IOException {
        String names = NODES.stream().collect(Collectors.joining("\",\"", "[\"", "\"]"));
        PodFacts pod = cluster.state.pods().get("default/" + name).orElseThrow();
        String json =
                "{\"Pod\":{\"metadata\":{\"name\":\"%s\",\"namespace\":\"default\",\"uid\":\"%s\"},\"spec\":{\"priority\":9}}"
                        .formatted(name, pod.uid().orElseThrow());
        PendingPodQueue queue = new PendingPodQueue(
                cluster.state, cluster.evaluator, Duration.ofSeconds(2), () -> 0, (any, node) -> {});
        FilterVerb filter = new FilterVerb(
                cluster.state,
                cluster.evaluator,
                queue,
                Gangs.none(cluster.state),
                reporter,
                ZoneRefusals.unresolvable,
                CandidateLimit.NONE);
        said.add(text(filter.answer(bytes(json + ",\"Nodes\":null,\"NodeNames\":" + names + "}"))));
        PreemptVerb preempt = new PreemptVerb(cluster.state, any -> false, () -> DisruptionBudgets.NONE, reporter);
        String proposed = NODES.stream()
                .map("\"%s\":{\"Pods\":[],\"NumPDBViolations\":0}"::formatted)
                .collect(Collectors.joining(","));
        said.add(text(preempt.answer(bytes(json + ",\"NodeNameToMetaVictims\":{" + proposed + "}}"))));
        BindVerb bind = new BindVerb(
                cluster.state,
                Gangs.none(cluster.state),
                new RefusingBinder(),
                reporter,
                () -> 0,
                Set.of("default-scheduler"));
        for (String node : NODES) {
            said.add(text(bind.answer(
                    bytes("{\"PodName\":\"%s\",\"PodNamespace\":\"default\",\"PodUID\":\"%s\",\"Node\":\"%s\"}"
                            .formatted(name, pod.uid().orElseThrow(), node)))));
        }
    }

    private void readers(List<String> said) {
        cluster.state
                .snapshots()
                .forEach(node -> said.add(
                        NodeJson.detailed(node, cluster.state, OF_DEFAULT).toString()));
        for (String name : List.of("linked", "cpus", "memory", "wide")) {
            PodFacts pod = cluster.state.pods().get("default/" + name).orElseThrow();
            ExplanationLimits.explain(cluster.state, List.of(), pod, List.of(), any -> false)
                    .forEach(each ->
                            said.add(ExplanationJson.full(each, OF_DEFAULT).toString()));
        }
    }

    /** An API server that accepts no binding. */
    private static final class RefusingBinder implements Binder {

        @Override
        public void bind(PodFacts pod, String node, Optional<PredictedPlacement> predicted) throws IOException {
            throw new RefusedException("cannot bind: pod=" + pod.key(), new IOException("refused"));
        }

        @Override
        public Optional<PodFacts> read(String namespace, String name, String uid) {
            return Optional.empty();
        }

        @Override
        public Optional<ResourceClaim> readClaim(String namespace, String name) {
            return Optional.empty();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    // ---- the cluster

    private static List<String> pendingPods() {
        return List.of(
                pod("linked", "default", "numaledger.io/gpu-links: required", "nvidia.com/gpu: 4", "", "Pending"),
                pod("cpus", "default", "a: b", "cpu: 8, memory: 1Gi", "", "Pending"),
                pod("memory", "default", "a: b", "cpu: 1, memory: 12Gi", "", "Pending"),
                pod("wide", "default", "kai.scheduler/max-numa-spread: 1", "cpu: 7, memory: 9Gi", "", "Pending"),
                pod("invalid", "default", "kai.scheduler/max-numa-spread: x", "cpu: 1", "", "Pending"));
    }

    /** A node of two zones with 8 CPUs, 8 GiB and 4 GPUs each, and pods of both namespaces with records of all kinds. */
    private static String node(String name, Random random) {
        List<String> policies = List.of("single-numa-node", "restricted", "best-effort");
        String gpus = IntStream.range(0, 8)
                .mapToObj(gpu -> "{\"uuid\":\"GPU-%d\",\"numa\":%d}".formatted(gpu, gpu / 4))
                .collect(Collectors.joining(","));
        StringBuilder objects = new StringBuilder(
                """
                ---
                apiVersion: v1
                kind: Node
                metadata:
                  name: %1$s
                  annotations:
                    numaledger.io/gpu-topology: '{"v":1,"kind":"direct","gpus":[%2$s],"links":[%3$s],"pcie":"%4$s"}'
                status:
                  nodeInfo: {kubeletVersion: v1.36.3}
                  capacity: {nvidia.com/gpu: "8"}
                  allocatable: {nvidia.com/gpu: "8"}
                ---
                apiVersion: topology.node.k8s.io/v1alpha2
                kind: NodeResourceTopology
                metadata: {name: %1$s}
                attributes:
                - {name: topologyManagerPolicy, value: %5$s}
                - {name: topologyManagerScope, value: container}
                - {name: cpuManagerPolicy, value: static}
                - {name: memoryManagerPolicy, value: Static}
                zones:
                """.formatted(name, gpus, "1,".repeat(27) + "1", "?".repeat(28), policies.get(random.nextInt(3))));
        for (int zone = 0; zone < 2; zone++) {
            String held = random.nextBoolean() ? "5" : "2";
            objects.append("""
                    - name: node-%1$d
                      type: Node
                      attributes:
                      - {name: cpus, value: %2$s}
                      - {name: reservedSystemCPUs, value: "%4$s"}
                      - {name: cores, value: "%5$s"}
                      - {name: sockets, value: "%1$d:%2$s"}
                      resources:
                      - {name: cpu, capacity: "%6$d", allocatable: "8", available: "%3$s"}
                      - {name: memory, capacity: 9Gi, allocatable: 8Gi, available: 4Gi}
                      - {name: nvidia.com/gpu, capacity: "4", allocatable: "4", available: "1"}
                    """.formatted(
                            zone,
                            zone == 0 ? "0-8" : "9-16",
                            held,
                            zone == 0 ? "0" : "",
                            IntStream.range(zone == 0 ? 0 : 9, zone == 0 ? 9 : 17)
                                    .mapToObj(cpu -> cpu + ":" + cpu)
                                    .collect(Collectors.joining(";")),
                            zone == 0 ? 9 : 8));
        }
        for (int i = 0; i < 4; i++) {
            objects.append(holder(name, i, random));
        }
        return objects.toString();
    }

    private static String holder(String node, int i, Random random) {
        int zone = i % 2;
        boolean others = random.nextInt(4) > 0;
        String record = switch (random.nextInt(4)) {
            case 0 -> "a: b";
            case 1 ->
                "kai.scheduler/numa-placement-observed: '[{\"zone\":\"node-%d\",\"amount\":{\"cpu\":\"3\",\"memory\":\"2Gi\",\"nvidia.com/gpu\":\"2\"}}]'"
                        .formatted(zone);
            case 2 -> "numaledger.io/placement: 'broken'";
            default -> {
                int first = 1 + zone * 8 + i / 2 * 4;
                yield ("numaledger.io/placement: '{\"version\":1,\"containers\":[{\"name\":\"c\",\"cpus\":\"%d-%d\","
                                + "\"memory\":[{\"type\":\"memory\",\"bytes\":2147483648,\"numaNodes\":\"%d\"}],"
                                + "\"devices\":[{\"resource\":\"nvidia.com/gpu\",\"numaNodes\":\"%d\",\"ids\":[\"GPU-%d\",\"GPU-%d\"]}]}]}'")
                        .formatted(first, first + 2, zone, zone, zone * 4 + i / 2 * 2, zone * 4 + i / 2 * 2 + 1);
            }
        };
        return pod(
                (others ? OTHERS : "mine") + "-" + node + "-" + i,
                others ? "secret" : "default",
                record,
                "cpu: 3, memory: 2Gi, nvidia.com/gpu: 2",
                "nodeName: " + node,
                "Running");
    }

    private static String pod(
            String name, String namespace, String annotation, String limits, String spec, String phase) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %1$s
                  namespace: %2$s
                  uid: u%7$d
                  annotations: {%3$s}
                spec:
                  containers:
                  - {name: c, image: x, resources: {limits: {%4$s}}}
                  %5$s
                status: {qosClass: Guaranteed, phase: %6$s}
                """.formatted(name, namespace, annotation, limits, spec, phase, name.hashCode() & 0xffff);
    }
}

package io.numaledger.bridge.chart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.annotation.Annotations;
import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.apiservers.real.ChartAccounts;
import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.apiservers.real.FreePort;
import io.numaledger.apiservers.real.RealApiServer;
import io.numaledger.bridge.BridgeMain;
import io.numaledger.placement.Placement;
import io.numaledger.tls.Pem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Several replicas with the chart's rights on a real API server, and a scheduler that calls any of them. The node has two zones of 4
 * CPUs; no agent observes its pods, so that all that a replica knows of a pod is its predicted placement.
 */
class ReplicasTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final char[] PASSWORD = new char[0];

    @TempDir
    private Path directory;

    private RealApiServer server;
    private String podGroups = "";
    private KubernetesClient admin;
    private Path kubeconfig;
    private HttpClient scheduler;
    private final List<Replica> replicas = new ArrayList<>();

    private record Replica(String name, int port, int probes, ChildProcess process) {}

    @BeforeEach
    void start() throws Exception {
        String assets = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(
                assets != null && Files.isExecutable(Path.of(assets, "helm")),
                "skipped: KUBEBUILDER_ASSETS does not name a directory with kube-apiserver, etcd and helm");
        server = RealApiServer.start(Path.of(assets), directory.resolve("api"), gangScheduling(Path.of(assets)));
        admin = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(Files.readString(server.kubeconfig())))
                .build();
        kubeconfig = ChartAccounts.install(
                        server,
                        Path.of(assets, "helm"),
                        Path.of(System.getProperty("numaledger.root"), "charts", "numaledger"),
                        directory.resolve("accounts"),
                        "bridge.groups.enabled=true")
                .bridge();
    }

    /** Arguments that turn on the PodGroups of Kubernetes. */
    private List<String> gangScheduling(Path assets) throws Exception {
        Process process = new ProcessBuilder(assets.resolve("kube-apiserver").toString(), "--version").start();
        boolean is136 = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).contains("v1.36");
        podGroups = "scheduling.k8s.io/" + (is136 ? "v1alpha2" : "v1beta1");
        return List.of(
                "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
                "--feature-gates=GenericWorkload=true" + (is136 ? ",GangScheduling=true" : ""),
                "--runtime-config=%s=true".formatted(podGroups));
    }

    @AfterEach
    void stop() {
        replicas.forEach(replica -> replica.process().close());
        if (server != null) {
            admin.close();
            server.close();
        }
    }

    private void node(String name) {
        admin.resource("apiVersion: v1\nkind: Node\nmetadata: {name: %s}\n".formatted(name))
                .create();
        admin.resource("""
                apiVersion: topology.node.k8s.io/v1alpha2
                kind: NodeResourceTopology
                metadata: {name: %s}
                attributes:
                - {name: topologyManagerPolicy, value: single-numa-node}
                - {name: topologyManagerScope, value: container}
                - {name: cpuManagerPolicy, value: static}
                - {name: memoryManagerPolicy, value: None}
                zones:
                - name: node-0
                  type: Node
                  attributes: [{name: cpus, value: 0-4}, {name: reservedSystemCPUs, value: "0"}]
                  resources: [{name: cpu, capacity: "5", allocatable: "4", available: "4"}]
                - name: node-1
                  type: Node
                  attributes: [{name: cpus, value: 5-8}, {name: reservedSystemCPUs, value: ""}]
                  resources: [{name: cpu, capacity: "4", allocatable: "4", available: "4"}]
                """.formatted(name)).create();
    }

    private Pod pod(String name) {
        return pod(name, "");
    }

    private Pod pod(String name, String spec) {
        return (Pod) admin.resource("""
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: default}
                spec:
                  %s
                  containers: [{name: c, image: i, resources: {limits: {cpu: "3", memory: 1Gi}}}]
                """.formatted(name, spec)).create();
    }

    /** The nodes in the answer. */
    private String filter(Replica replica, Pod pod, String node) throws Exception {
        String body = "{\"Pod\":%s,\"NodeNames\":[\"%s\"]}"
                .formatted(admin.getKubernetesSerialization().asJson(pod), node);
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("https://127.0.0.1:%d/filter".formatted(replica.port())))
                .timeout(Duration.ofMinutes(1))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> answer = scheduler.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body()).path("NodeNames").toString();
    }

    /** Sets the clock of a process ahead: a library shifts what it reads. Steady clocks go on as they are. */
    private List<String> withClockAhead(Duration shift) throws Exception {
        Path source = Files.writeString(directory.resolve("ahead.c"), """
                #define _GNU_SOURCE
                #include <time.h>
                #include <unistd.h>
                #include <sys/syscall.h>
                int clock_gettime(clockid_t id, struct timespec *t) {
                    int failed = syscall(SYS_clock_gettime, id, t);
                    if (failed == 0 && id == CLOCK_REALTIME) t->tv_sec += SHIFT;
                    return failed;
                }
                """);
        Path library = directory.resolve("ahead-%d.so".formatted(shift.toSeconds()));
        try {
            Process cc = new ProcessBuilder(
                            "cc",
                            "-shared",
                            "-fPIC",
                            "-DSHIFT=" + shift.toSeconds(),
                            "-o",
                            library.toString(),
                            source.toString())
                    .inheritIO()
                    .start();
            assertThat(cc.waitFor()).isZero();
        } catch (IOException e) {
            assumeTrue(false, "skipped: there is no C compiler: " + e.getMessage());
        }
        return List.of("env", "LD_PRELOAD=" + library);
    }

    private LeaseSpec lease() {
        Lease lease = admin.leases()
                .inNamespace("numa-system")
                .withName("numaledger-bridge")
                .get();
        return lease == null ? new LeaseSpec() : lease.getSpec();
    }

    private static void signal(String name, Replica replica) throws Exception {
        Process kill = new ProcessBuilder(
                        "kill", "-" + name, Long.toString(replica.process().pid()))
                .inheritIO()
                .start();
        assertThat(kill.waitFor()).isZero();
    }

    private boolean leads(Replica replica) {
        return String.valueOf(lease().getHolderIdentity()).endsWith(":" + replica.port());
    }

    private Replica startReplica(String name) throws Exception {
        return startReplica(name, List.of());
    }

    /** @param launcher before the command */
    private Replica startReplica(String name, List<String> launcher) throws Exception {
        int port = FreePort.next();
        int probes = FreePort.next();
        Replica replica = new Replica(
                name,
                port,
                probes,
                ChildProcess.start(
                        name,
                        directory,
                        Stream.concat(
                                        launcher.stream(),
                                        Stream.of(
                                                ProcessHandle.current()
                                                        .info()
                                                        .command()
                                                        .orElse("java"),
                                                "-XX:+UseSerialGC",
                                                "-XX:TieredStopAtLevel=1",
                                                "-Djava.io.tmpdir=" + directory,
                                                "-cp",
                                                System.getProperty("java.class.path"),
                                                BridgeMain.class.getName(),
                                                "run",
                                                "--listen=127.0.0.1:" + port,
                                                "--metrics-listen=127.0.0.1:" + probes,
                                                "--kubeconfig=" + kubeconfig,
                                                "--issue-certificates=numaledger-bridge",
                                                "--leader-elect",
                                                "--groups",
                                                "--advertise-address=127.0.0.1:" + port))
                                .toList()));
        replicas.add(replica);
        await(name + " is ready").atMost(TIMEOUT).ignoreExceptions().until(() -> isReady(replica));
        scheduler = scheduler();
        return replica;
    }

    private static boolean isReady(Replica replica) throws Exception {
        HttpRequest ready = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/readyz".formatted(replica.probes())))
                .build();
        return HttpClient.newHttpClient()
                        .send(ready, HttpResponse.BodyHandlers.discarding())
                        .statusCode()
                == 200;
    }

    /** With the certificate that the bridge has issued for the scheduler. */
    private HttpClient scheduler() throws Exception {
        Secret secret = admin.secrets()
                .inNamespace("numa-system")
                .withName("numaledger-bridge-client")
                .get();
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry("ca", Pem.certificates(text(secret, "ca.crt")).get(0));
        store.setKeyEntry("own", Pem.privateKey(text(secret, "tls.key")), PASSWORD, new Certificate[] {
            Pem.certificates(text(secret, "tls.crt")).get(0)
        });
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return HttpClient.newBuilder()
                .sslContext(context)
                .connectTimeout(Duration.ofMinutes(1))
                .build();
    }

    private static String text(Secret secret, String key) {
        return new String(Base64.getDecoder().decode(secret.getData().get(key)), StandardCharsets.UTF_8);
    }

    /** The error in the answer; empty if the pod is bound. */
    private String bind(Replica replica, Pod pod, String node) throws Exception {
        String body = JSON.writeValueAsString(Map.of(
                "PodName",
                pod.getMetadata().getName(),
                "PodNamespace",
                "default",
                "PodUID",
                pod.getMetadata().getUid(),
                "Node",
                node));
        HttpRequest request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:%d/bind".formatted(replica.port())))
                .timeout(Duration.ofMinutes(1))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> answer = scheduler.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        JsonNode error = JSON.readTree(answer.body()).path("Error");
        return error.asText();
    }

    private Pod read(Pod pod) {
        return admin.resource(pod).get();
    }

    /** How many milli-CPUs the bound pods of each node and zone hold. */
    private Map<String, Long> held() {
        Map<String, Long> held = new TreeMap<>();
        admin.pods().inNamespace("default").list().getItems().forEach(pod -> {
            String record = pod.getMetadata().getAnnotations() == null
                    ? ""
                    : pod.getMetadata().getAnnotations().getOrDefault(Annotations.PREDICTED, "");
            if (!record.isEmpty()) {
                Placement placement = ObservedPlacementText.read(record);
                placement
                        .zones()
                        .forEach((zone, amounts) -> held.merge(
                                pod.getSpec().getNodeName() + "/" + zone,
                                amounts.byResource().getOrDefault("cpu", 0L),
                                Long::sum));
            }
        });
        return held;
    }

    @Test
    void everyReplicaBindsThroughTheLeaderAndNeverTwiceInOneZone() throws Exception {
        node("n");
        Replica first = startReplica("first");
        Replica second = startReplica("second");

        Pod a = pod("a");
        Pod b = pod("b");
        Pod c = pod("c");
        assertThat(bind(second, a, "n")).isEmpty();
        assertThat(bind(first, b, "n")).isEmpty();
        assertThat(bind(second, c, "n")).startsWith("NUMA: node n does not fit the pod any more");
        assertThat(held()).containsOnly(Map.entry("n/0", 3000L), Map.entry("n/1", 3000L));
    }

    @Test
    void aGangIsPlannedByTheLeaderWhicheverReplicaIsAsked() throws Exception {
        node("n");
        Replica first = startReplica("first");
        Replica second = startReplica("second");
        admin.resource("""
                apiVersion: %s
                kind: PodGroup
                metadata: {name: gang, namespace: default}
                spec: {schedulingPolicy: {gang: {minCount: 2}}}
                """.formatted(podGroups)).create();
        Pod a = pod("a", "schedulingGroup: {podGroupName: gang}");
        Pod b = pod("b", "schedulingGroup: {podGroupName: gang}");

        assertThat(filter(second, a, "n")).isEqualTo("[\"n\"]");
        assertThat(filter(first, pod("other"), "n"))
                .as("it would break the gang")
                .isEqualTo("[]");
        assertThat(filter(second, b, "n")).isEqualTo("[\"n\"]");
        assertThat(bind(second, a, "n")).isEmpty();
        assertThat(bind(first, b, "n")).isEmpty();
        assertThat(held()).containsOnly(Map.entry("n/0", 3000L), Map.entry("n/1", 3000L));
    }

    /** A pod of a group that the leader releases and that nobody binds. */
    private Pod gated(String name) {
        return (Pod) admin.resource("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %s
                  namespace: default
                  labels: {numaledger.io/pod-group: g}
                  annotations: {numaledger.io/min-member: "2"}
                spec:
                  schedulingGates: [{name: numaledger.io/group}]
                  containers: [{name: c, image: i, resources: {limits: {cpu: "3", memory: 1Gi}}}]
                """.formatted(name)).create();
    }

    @Test
    void everyReplicaSaysTheSameOfNodesThatAreKeptForAGroup() throws Exception {
        node("n");
        Replica first = startReplica("first");
        Replica second = startReplica("second");
        Pod a = gated("a");
        Pod b = gated("b");
        await("the group is released")
                .atMost(TIMEOUT)
                .until(() -> Stream.of(a, b)
                        .allMatch(
                                pod -> read(pod).getSpec().getSchedulingGates().isEmpty()));
        Pod other = pod("other");
        Pod important = pod("important", "priorityClassName: system-node-critical");
        await("its places are reserved")
                .atMost(TIMEOUT)
                .until(() -> filter(first, other, "n").equals("[]"));

        for (Replica replica : List.of(first, second)) {
            assertThat(filter(replica, other, "n")).isEqualTo("[]");
            assertThat(bind(replica, other, "n"))
                    .startsWith("NUMA: node n does not fit the pod any more: reserved for");
            assertThat(filter(replica, important, "n")).isEqualTo("[\"n\"]");
            assertThat(filter(replica, read(a), "n")).isEqualTo("[\"n\"]");
        }
        assertThat(bind(second, read(a), "n")).isEmpty();
    }

    /** Pods are not left waiting while the next replica takes over. */
    @Test
    void whileNoReplicaLeadsEachAnswersFilterByItself() throws Exception {
        node("n");
        Replica first = startReplica("first");
        Replica second = startReplica("second");
        Pod other = pod("other");
        assertThat(filter(second, other, "n")).isEqualTo("[\"n\"]");

        ProcessHandle.of(first.process().pid()).orElseThrow().destroyForcibly();

        assertThat(filter(second, other, "n")).isEqualTo("[\"n\"]");
    }

    @Test
    void aKilledLeaderLosesNothing() throws Exception {
        node("n");
        node("m");
        Replica first = startReplica("first");
        Replica second = startReplica("second");
        assertThat(bind(second, pod("a"), "n")).isEmpty();

        ProcessHandle.of(first.process().pid()).orElseThrow().destroyForcibly();

        Pod b = pod("b");
        await("the other replica leads").atMost(TIMEOUT).until(() -> bind(second, b, "n"), String::isEmpty);
        assertThat(read(b).getSpec().getNodeName()).isEqualTo("n");
        assertThat(bind(second, pod("c"), "n")).startsWith("NUMA: node n does not fit the pod any more");
        assertThat(bind(second, pod("d"), "m")).isEmpty();
        assertThat(held()).containsOnly(Map.entry("m/0", 3000L), Map.entry("n/0", 3000L), Map.entry("n/1", 3000L));
    }

    @Test
    void everyBindSucceedsAtOnceWhileReplicasAreReplaced() throws Exception {
        int nodes = 60;
        for (int i = 0; i < nodes; i++) {
            node("n" + i);
        }
        Replica leaving = startReplica("first");
        Replica staying = startReplica("second");
        for (int i = 0; i < nodes; i++) {
            if (i == nodes / 3) {
                ProcessHandle.of(leaving.process().pid()).orElseThrow().destroy();
            }
            Pod pod = pod("p" + i);
            assertThat(bind(staying, pod, "n" + i)).isEmpty();
        }

        assertThat(leaving.process().endsWithin(TIMEOUT)).isTrue();
        assertThat(held())
                .hasSize(nodes)
                .allSatisfy((zone, millis) -> assertThat(millis).isEqualTo(3000L));
    }

    @Test
    void aReplicaWhoseClockIsAheadNeitherTakesTheLeaseNorKeepsItAfterItsEnd() throws Exception {
        Duration shift = Duration.ofHours(1);
        node("n");
        Replica right = startReplica("right");
        await("it leads").atMost(TIMEOUT).until(() -> leads(right));
        Replica ahead = startReplica("ahead", withClockAhead(shift));
        Set<ZonedDateTime> renewals = new HashSet<>();
        await("the Lease is renewed some times").atMost(TIMEOUT).until(() -> {
            renewals.add(lease().getRenewTime());
            return renewals.size() > 5;
        });
        assertThat(lease().getLeaseTransitions()).isZero();
        assertThat(leads(right)).isTrue();

        ProcessHandle.of(right.process().pid()).orElseThrow().destroy();
        await("the other one leads").atMost(TIMEOUT).until(() -> leads(ahead));
        Replica next = startReplica("next");
        Pod a = pod("a");
        await("it binds").atMost(TIMEOUT).ignoreExceptions().until(() -> bind(next, a, "n"), String::isEmpty);
        assertThat(lease().getRenewTime())
                .isAfter(ZonedDateTime.now(ZoneOffset.UTC).plus(shift).minusSeconds(10));

        ProcessHandle.of(ahead.process().pid()).orElseThrow().destroyForcibly();
        Pod b = pod("b");
        await("the next one leads").atMost(TIMEOUT).ignoreExceptions().until(() -> bind(next, b, "n"), String::isEmpty);
        assertThat(bind(next, pod("c"), "n")).startsWith("NUMA: node n does not fit the pod any more");
    }

    @Test
    void aSuspendedLeaderBindsNothingAfterwards() throws Exception {
        node("n");
        Replica suspended = startReplica("suspended");
        Replica other = startReplica("other");
        Pod a = pod("a");
        await("it binds").atMost(TIMEOUT).ignoreExceptions().until(() -> bind(other, a, "n"), String::isEmpty);
        assertThat(leads(suspended)).isTrue();

        signal("STOP", suspended);
        Pod b = pod("b");
        await("the other one leads")
                .atMost(TIMEOUT)
                .ignoreExceptions()
                .until(() -> bind(other, b, "n"), String::isEmpty);
        signal("CONT", suspended);

        Pod c = pod("c");
        await("it answers")
                .atMost(TIMEOUT)
                .ignoreExceptions()
                .untilAsserted(() ->
                        assertThat(bind(suspended, c, "n")).startsWith("NUMA: node n does not fit the pod any more"));
        assertThat(leads(other)).isTrue();
        assertThat(held()).containsOnly(Map.entry("n/0", 3000L), Map.entry("n/1", 3000L));
    }
}

package io.numaledger.bridge.run;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.real.FreePort;
import io.numaledger.bridge.extender.BindVerb;
import io.numaledger.bridge.extender.CandidateLimit;
import io.numaledger.bridge.extender.FilterVerb;
import io.numaledger.bridge.extender.NoListener;
import io.numaledger.bridge.extender.PreemptVerb;
import io.numaledger.bridge.extender.PrioritizeVerb;
import io.numaledger.bridge.extender.ZoneRefusals;
import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.replica.Leadership;
import io.numaledger.bridge.watch.ApiBinder;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.evaluation.facts.PodGroupName.Kind;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.audit.PredictionAudit;
import io.numaledger.scheduling.gang.Gangs;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.pool.NodePools;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.queue.PendingPodQueue;
import io.numaledger.scheduling.scheduler.SchedulerCalls;
import io.numaledger.tls.CertificateAuthority;
import io.numaledger.tls.CertificateAuthority.Issued;
import io.numaledger.tls.CertificateAuthority.Purpose;
import io.numaledger.tls.Pem;
import io.numaledger.tls.ReloadableKeys;
import io.numaledger.tls.TrustedAuthority;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Two replicas as the chart runs them, with TLS and a Lease, and groups. The decoder of each {@code filter} body counts. */
class DecodedOnceTest {

    private static final Duration SOON = Duration.ofMinutes(3);
    private static final Duration DAY = Duration.ofDays(1);

    @TempDir
    private Path directory;

    private final TestCluster cluster = new TestCluster();
    private final PodGroups groups = new PodGroups();
    private final AtomicInteger decoded = new AtomicInteger();
    private EmbeddedApiServer server;
    private KubernetesClient client;
    private ReloadableKeys keys;
    private SSLContext trusting;
    private Replica first;
    private Replica second;

    private record Replica(Leadership leadership, BridgeEndpoints endpoints) {}

    @BeforeEach
    void start() throws IOException {
        cluster.apply(ClusterYaml.node("a"));
        groups.watched(Kind.NATIVE);
        server = EmbeddedApiServer.start();
        try (KubernetesClient any =
                ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))))) {
            client = new KubernetesClientBuilder()
                    .withConfig(new ConfigBuilder(any.getConfiguration())
                            .withNamespace("default")
                            .build())
                    .build();
        }
        CertificateAuthority authority = CertificateAuthority.create("ca", Instant.now(), DAY);
        Issued issued = authority.issue("bridge", Purpose.PEER, List.of(), List.of("127.0.0.1"), Instant.now(), DAY);
        Path certificate = Files.writeString(directory.resolve("tls.crt"), Pem.of(List.of(issued.certificate())));
        keys = ReloadableKeys.read(certificate, Files.writeString(directory.resolve("tls.key"), Pem.of(issued.key())));
        trusting = keys.clientContext(
                new TrustedAuthority("ca", () -> Pem.of(List.of(authority.certificate()))).serverNamed("bridge"));
        first = replica("first");
        second = replica("second");
    }

    @AfterEach
    void stop() {
        List.of(first, second).forEach(replica -> {
            replica.leadership().close();
            replica.endpoints().close();
        });
        client.close();
        server.close();
    }

    private Replica replica(String name) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePort.next());
        String text = "127.0.0.1:" + address.getPort();
        Leadership leadership = new Leadership(client, "bridge", name, text, () -> {});
        Security security = new Security(keys, Optional.empty(), false, Optional.of(trusting));
        Readiness readiness = new Readiness();
        readiness.ready();
        BridgeEndpoints endpoints = new BridgeEndpoints(
                CommandLine.populateCommand(new EndpointOptions(), "--listen=" + text),
                Optional.of(security),
                client,
                verbs(),
                cluster.state,
                new Stranded(
                        new Stranded.Options(),
                        cluster.state,
                        new NodePools(""),
                        new BridgeMetrics().stranded(),
                        Optional::of,
                        () -> DisruptionBudgets.NONE),
                new SchedulerCalls(Set.of(), InstantSource.system()),
                new PredictionAudit(InstantSource.system(), cluster.state::snapshot),
                new BridgeMetrics(),
                readiness,
                Optional.of(leadership));
        endpoints.start();
        return new Replica(leadership, endpoints);
    }

    private BridgeEndpoints.Verbs verbs() {
        NoListener listener = new NoListener();
        Gangs gangs = new Gangs(
                cluster.state,
                groups,
                new PlanReservations(cluster.state),
                new GroupListener() {},
                System::nanoTime,
                cluster.state.changes()::await,
                pod -> {});
        PendingPodQueue queue = new PendingPodQueue(
                cluster.state, cluster.evaluator, Duration.ZERO, System::nanoTime, (pod, node) -> {});
        Function<byte[], FilterVerb.Call> decoder = new FilterVerb(
                cluster.state,
                cluster.evaluator,
                queue,
                gangs,
                listener,
                ZoneRefusals.unresolvable,
                CandidateLimit.DEFAULT)::decode;
        return new BridgeEndpoints.Verbs(
                body -> {
                    decoded.incrementAndGet();
                    return decoder.apply(body);
                },
                new PrioritizeVerb(cluster.state, cluster.evaluator),
                new PreemptVerb(cluster.state, any -> false, () -> DisruptionBudgets.NONE, listener),
                new BindVerb(cluster.state, gangs, new ApiBinder(client), listener, System::nanoTime, Set.of()),
                queue,
                true);
    }

    private String filter(Replica replica, String spec) throws IOException, InterruptedException {
        String body = """
                {"Pod": {"metadata": {"name": "p", "namespace": "default", "uid": "u"},
                 "spec": {%s "containers": [{"name": "c"}]}}, "NodeNames": ["a"]}""".formatted(spec);
        URI uri = URI.create("https://127.0.0.1:%d/filter"
                .formatted(replica.endpoints().address().getPort()));
        HttpResponse<String> answer = HttpClient.newBuilder()
                .sslContext(trusting)
                .build()
                .send(
                        HttpRequest.newBuilder(uri)
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    private void lead(Replica replica) {
        replica.leadership().start();
        await().atMost(SOON).until(replica.leadership()::leads);
    }

    @Test
    void theLeaderDecodesABodyOnce() throws Exception {
        lead(first);

        assertThat(filter(first, "")).contains("\"NodeNames\":[\"a\"]");
        assertThat(decoded).hasValue(1);
    }

    @Test
    void aReplicaPassesABodyOnUndecoded() throws Exception {
        lead(first);
        second.leadership().start();
        await().atMost(SOON).until(() -> second.leadership().leaderAddress().isPresent());

        assertThat(filter(second, "")).contains("\"NodeNames\":[\"a\"]");
        assertThat(decoded).hasValue(1);
    }

    @Test
    void withoutALeaderAReplicaDecodesABodyOnce() throws Exception {
        assertThat(filter(second, "")).contains("\"NodeNames\":[\"a\"]");
        assertThat(decoded).hasValue(1);
    }

    @Test
    void thePodOfAGangWaitsForALeaderAndItsBodyIsDecodedOnce() throws Exception {
        assertThat(filter(second, "\"schedulingGroup\": {\"podGroupName\": \"g\"},"))
                .contains("no replica of the bridge leads");
        assertThat(decoded).hasValue(1);
    }
}

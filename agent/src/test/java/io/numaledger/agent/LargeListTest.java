package io.numaledger.agent;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.podresources.server.UnixSocketServer;
import io.numaledger.podresources.v1.AllocatableResourcesRequest;
import io.numaledger.podresources.v1.AllocatableResourcesResponse;
import io.numaledger.podresources.v1.ClaimResource;
import io.numaledger.podresources.v1.ContainerResources;
import io.numaledger.podresources.v1.DynamicResource;
import io.numaledger.podresources.v1.GetPodResourcesRequest;
import io.numaledger.podresources.v1.GetPodResourcesResponse;
import io.numaledger.podresources.v1.ListPodResourcesRequest;
import io.numaledger.podresources.v1.ListPodResourcesResponse;
import io.numaledger.podresources.v1.PodResources;
import io.numaledger.podresources.v1.PodResourcesListerGrpc;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The agent process, with the heap of its image, where a DRA driver that fails lets the kubelet repeat claims without end. */
class LargeListTest {

    private static final int MIB = 1 << 20;

    @TempDir
    private Path directory;

    private EmbeddedApiServer server;

    @BeforeEach
    void start() throws IOException, InterruptedException {
        server = EmbeddedApiServer.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void readsAnAnswerOfEighteenMegabytes() throws Exception {
        assertPublished(18, 0);
    }

    @Test
    void callsGetForEachPodBeyondItsLimit() throws Exception {
        assertPublished(40, 1);
    }

    @Test
    void knowsNothingWhereTheKubeletHasNoGet() throws Exception {
        try (UnixSocketServer kubelet = kubelet(40, false);
                AgentProcess agent = AgentProcess.startAsInImage(server, directory)) {
            agent.awaitLog("the answer is over 25165824 bytes");
            assertThat(agent.log()).doesNotContain("event=nrt.published");
        }
    }

    /** Of the two CPUs of zone 0, pod a holds one. */
    private void assertPublished(int mib, int warnings) throws Exception {
        try (UnixSocketServer kubelet = kubelet(mib, true);
                AgentProcess agent = AgentProcess.startAsInImage(server, directory)) {
            createPod("a");
            createPod("b");
            await().atMost(Duration.ofMinutes(3))
                    .until(() -> topology().contains("\"available\":\"1\"")
                            || !agent.process().isAlive());
            assertThat(agent.process().isAlive()).as(agent.log()).isTrue();
            assertThat(agent.log().lines().filter(line -> line.contains("event=kubelet.list_too_large")))
                    .hasSize(warnings);
        }
    }

    private UnixSocketServer kubelet(int mib, boolean get) {
        return UnixSocketServer.start(
                directory.resolve("kubelet.sock"), List.of(() -> new Answers(mib, get).bindService()));
    }

    private String topology() throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(
                URI.create(server.url() + "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies/w")));
    }

    private void createPod(String name) throws IOException, InterruptedException {
        String pods = server.url() + "/api/v1/namespaces/default/pods";
        send(HttpRequest.newBuilder(URI.create(pods)).POST(HttpRequest.BodyPublishers.ofString("""
                {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s"},
                 "spec":{"nodeName":"w","containers":[{"name":"c","image":"none"}]}}""".formatted(name))));
        send(HttpRequest.newBuilder(URI.create(pods + "/" + name + "/status"))
                .header("Content-Type", "application/merge-patch+json")
                .method(
                        "PATCH",
                        HttpRequest.BodyPublishers.ofString(
                                "{\"status\":{\"phase\":\"Running\",\"startTime\":\"2026-01-01T00:00:00Z\"}}")));
    }

    private static String send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(request.build(), BodyHandlers.ofString())
                .body();
    }

    /** Pod a holds CPU 1 and has nearly all of the claims, pod b holds CPU 2. */
    private static final class Answers extends PodResourcesListerGrpc.PodResourcesListerImplBase {
        private final PodResources a;
        private final PodResources b = pod("b", 3).build();
        private final boolean get;

        Answers(int mib, boolean get) {
            DynamicResource claim = DynamicResource.newBuilder()
                    .setClaimName("claim")
                    .setClaimNamespace("default")
                    .addClaimResources(ClaimResource.newBuilder()
                            .setDriverName("driver.example.com")
                            .setPoolName("x".repeat(900))
                            .setDeviceName("device"))
                    .build();
            PodResources.Builder pod = pod("a", 1);
            for (int bytes = 0; bytes < mib * MIB; bytes += claim.getSerializedSize() + 3) {
                pod.getContainersBuilder(0).addDynamicResources(claim);
            }
            this.a = pod.build();
            this.get = get;
        }

        private static PodResources.Builder pod(String name, long cpu) {
            return PodResources.newBuilder()
                    .setNamespace("default")
                    .setName(name)
                    .addContainers(ContainerResources.newBuilder().setName("c").addCpuIds(cpu));
        }

        @Override
        public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> answer) {
            answer.onNext(ListPodResourcesResponse.newBuilder()
                    .addPodResources(a)
                    .addPodResources(b)
                    .build());
            answer.onCompleted();
        }

        @Override
        public void get(GetPodResourcesRequest request, StreamObserver<GetPodResourcesResponse> answer) {
            if (!get) {
                answer.onError(Status.UNKNOWN
                        .withDescription("PodResources API Get method disabled")
                        .asRuntimeException());
                return;
            }
            PodResources.Builder pod = (request.getPodName().equals("a") ? a : b).toBuilder();
            int last = pod.getContainers(0).getDynamicResourcesCount();
            List<DynamicResource> half =
                    pod.getContainers(0).getDynamicResourcesList().subList(0, last / 2);
            pod.getContainersBuilder(0).clearDynamicResources().addAllDynamicResources(half);
            answer.onNext(
                    GetPodResourcesResponse.newBuilder().setPodResources(pod).build());
            answer.onCompleted();
        }

        @Override
        public void getAllocatableResources(
                AllocatableResourcesRequest request, StreamObserver<AllocatableResourcesResponse> answer) {
            answer.onNext(AllocatableResourcesResponse.newBuilder()
                    .addCpuIds(1)
                    .addCpuIds(2)
                    .addCpuIds(3)
                    .build());
            answer.onCompleted();
        }
    }
}

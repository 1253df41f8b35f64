package io.numaledger.agent;

import io.grpc.stub.StreamObserver;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.podresources.server.UnixSocketServer;
import io.numaledger.podresources.v1.AllocatableResourcesRequest;
import io.numaledger.podresources.v1.AllocatableResourcesResponse;
import io.numaledger.podresources.v1.ContainerResources;
import io.numaledger.podresources.v1.ListPodResourcesRequest;
import io.numaledger.podresources.v1.ListPodResourcesResponse;
import io.numaledger.podresources.v1.PodResources;
import io.numaledger.podresources.v1.PodResourcesListerGrpc;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** The agent process, with the heap of its image, where answers at the kubelet's socket are larger or stranger than any kubelet's. */
class HostileKubeletTest {

    @TempDir
    private Path directory;

    private EmbeddedApiServer server;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void publishesBesideMorePodsThanANodeHas() throws Exception {
        ListPodResourcesResponse.Builder pods = ListPodResourcesResponse.newBuilder();
        IntStream.range(0, 100_000)
                .forEach(i -> pods.addPodResources(PodResources.newBuilder()
                        .setNamespace("default")
                        .setName("p" + i)
                        .addContainers(
                                ContainerResources.newBuilder().setName("c").addCpuIds(i == 0 ? 1 : 2))));
        UnixSocketServer kubelet = UnixSocketServer.start(
                directory.resolve("kubelet.sock"), List.of(() -> new Answer(pods.build()).bindService()));
        try (AgentProcess agent = AgentProcess.startAsInImage(server, directory)) {
            agent.awaitLog("event=nrt.published");
            assertThat(agent.log()).contains("the kubelet's answer is too large: 83616 pods are left out");
        } finally {
            kubelet.close();
        }
    }

    @Test
    void survivesSettingsWithoutEndAndUsesTheNextKubelet() throws Exception {
        Path socket = directory.resolve("kubelet.sock");
        ServerSocketChannel flooding =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
        new Thread(() -> flood(flooding)).start();
        try (AgentProcess agent = AgentProcess.startAsInImage(server, directory)) {
            agent.awaitLog("event=reconciliation.failed");
            flooding.close();
            try (FaultyKubelet kubelet = new FaultyKubelet(socket)) {
                agent.awaitLog("event=nrt.published");
                assertThat(kubelet.gaps()).isNotEmpty();
            }
        } finally {
            flooding.close();
        }
    }

    /** Frames of SETTINGS, each of which the client has to acknowledge; the acknowledgements are not read. */
    private static void flood(ServerSocketChannel listening) {
        ByteBuffer frames = ByteBuffer.allocate(9 * 1000);
        for (int i = 0; i < 1000; i++) {
            frames.put(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
        }
        while (listening.isOpen()) {
            try (SocketChannel client = listening.accept()) {
                while (listening.isOpen()) {
                    frames.rewind();
                    client.write(frames);
                }
            } catch (IOException closed) {
                // the client has closed this connection, or the test is over
            }
        }
    }

    /** Answers with the same pods. */
    private static final class Answer extends PodResourcesListerGrpc.PodResourcesListerImplBase {
        private final ListPodResourcesResponse pods;

        Answer(ListPodResourcesResponse pods) {
            this.pods = pods;
        }

        @Override
        public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> answer) {
            answer.onNext(pods);
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

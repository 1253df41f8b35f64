package io.numaledger.simulator.node;

import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.numaledger.placement.PodAllocation;
import io.numaledger.podresources.PodResources;
import io.numaledger.podresources.PodResourcesException;
import io.numaledger.podresources.v1.AllocatableResourcesRequest;
import io.numaledger.podresources.v1.AllocatableResourcesResponse;
import io.numaledger.podresources.v1.GetPodResourcesRequest;
import io.numaledger.podresources.v1.GetPodResourcesResponse;
import io.numaledger.podresources.v1.ListPodResourcesRequest;
import io.numaledger.podresources.v1.ListPodResourcesResponse;
import io.numaledger.podresources.v1.PodResourcesListerGrpc;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Serves the podresources API on a unix socket, as a kubelet does, from what any {@link PodResources} says. */
public final class PodResourcesServer implements AutoCloseable {

    private final Path socket;
    private final EventLoopGroup group;
    private final Server server;

    /**
     * Starts to listen; a file left at the path is replaced.
     *
     * @throws IOException if the socket cannot be made
     */
    public PodResourcesServer(Path socket, PodResources source) throws IOException {
        this.socket = socket;
        Files.createDirectories(socket.toAbsolutePath().getParent());
        Files.deleteIfExists(socket);
        this.group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("podresources-server", true), NioIoHandler.newFactory());
        this.server = NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelType(NioServerDomainSocketChannel.class)
                .bossEventLoopGroup(group)
                .workerEventLoopGroup(group)
                .addService(new Service(source))
                .build()
                .start();
    }

    @Override
    public void close() throws IOException {
        server.shutdownNow();
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly(2000);
        Files.deleteIfExists(socket);
    }

    private static final class Service extends PodResourcesListerGrpc.PodResourcesListerImplBase {
        private final PodResources source;

        Service(PodResources source) {
            this.source = source;
        }

        @Override
        public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> answer) {
            answer(answer, () -> {
                ListPodResourcesResponse.Builder response = ListPodResourcesResponse.newBuilder();
                for (PodAllocation pod : source.list().pods()) {
                    response.addPodResources(PodResourcesMessages.pod(pod));
                }
                return response.build();
            });
        }

        @Override
        public void getAllocatableResources(
                AllocatableResourcesRequest request, StreamObserver<AllocatableResourcesResponse> answer) {
            answer(answer, () -> PodResourcesMessages.allocatable(source.allocatable()));
        }

        @Override
        public void get(GetPodResourcesRequest request, StreamObserver<GetPodResourcesResponse> answer) {
            answer(
                    answer,
                    () -> GetPodResourcesResponse.newBuilder()
                            .setPodResources(PodResourcesMessages.pod(
                                    source.get(request.getPodNamespace(), request.getPodName())))
                            .build());
        }

        private interface Call<T> {
            T answer() throws PodResourcesException;
        }

        private static <T> void answer(StreamObserver<T> observer, Call<T> call) {
            try {
                observer.onNext(call.answer());
                observer.onCompleted();
            } catch (PodResourcesException e) {
                // The kubelet's own errors carry no gRPC code either.
                observer.onError(Status.UNKNOWN.withDescription(e.getMessage()).asRuntimeException());
            }
        }
    }
}

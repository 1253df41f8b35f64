package io.numaledger.podresources.server;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
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

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/** Serves the podresources API on a unix socket, as a kubelet does, with the values of a {@link PodResources}. */
public final class PodResourcesServer implements AutoCloseable {

    private final UnixSocketServer server;

    /**
     * Starts to listen, and replaces an existing file at the path.
     *
     * @throws UncheckedIOException if the socket cannot be created
     */
    public PodResourcesServer(Path socket, PodResources source) {
        server = UnixSocketServer.start(socket, List.of(new Service(source)));
    }

    @Override
    public void close() {
        server.close();
    }

    private static final class Service extends PodResourcesListerGrpc.PodResourcesListerImplBase {
        private final PodResources source;

        Service(PodResources source) {
            this.source = source;
        }

        @Override
        public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> observer) {
            answer(observer, () -> {
                ListPodResourcesResponse.Builder response = ListPodResourcesResponse.newBuilder();
                for (PodAllocation pod : source.list().pods()) {
                    response.addPodResources(PodResourcesMessages.pod(pod));
                }
                return response.build();
            });
        }

        @Override
        public void getAllocatableResources(
                AllocatableResourcesRequest request, StreamObserver<AllocatableResourcesResponse> observer) {
            answer(observer, () -> PodResourcesMessages.allocatable(source.allocatable()));
        }

        @Override
        public void get(GetPodResourcesRequest request, StreamObserver<GetPodResourcesResponse> observer) {
            answer(
                    observer,
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
                // The errors of the kubelet have no gRPC code either.
                observer.onError(Status.UNKNOWN.withDescription(e.getMessage()).asRuntimeException());
            }
        }
    }
}

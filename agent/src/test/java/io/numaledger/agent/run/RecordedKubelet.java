package io.numaledger.agent.run;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.Message;
import io.grpc.stub.StreamObserver;
import io.numaledger.podresources.server.UnixSocketServer;
import io.numaledger.podresources.v1.AllocatableResourcesRequest;
import io.numaledger.podresources.v1.AllocatableResourcesResponse;
import io.numaledger.podresources.v1.ListPodResourcesRequest;
import io.numaledger.podresources.v1.ListPodResourcesResponse;
import io.numaledger.podresources.v1.PodResourcesListerGrpc;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Serves recorded podresources responses of a real kubelet on a unix socket. */
final class RecordedKubelet extends PodResourcesListerGrpc.PodResourcesListerImplBase implements AutoCloseable {

    private final ListPodResourcesResponse list;
    private final AllocatableResourcesResponse allocatable;
    private final UnixSocketServer server;

    RecordedKubelet(Path machine, Path socket) throws IOException {
        ListPodResourcesResponse.Builder pods = ListPodResourcesResponse.newBuilder();
        fill(pods, machine.resolve("podresources-list.json"));
        list = pods.build();
        AllocatableResourcesResponse.Builder resources = AllocatableResourcesResponse.newBuilder();
        fill(resources, machine.resolve("podresources-allocatable.json"));
        allocatable = resources.build();
        server = UnixSocketServer.start(socket, List.of(this));
    }

    private static void fill(Message.Builder message, Path file) throws IOException {
        ProtobufJson.fill(message, new ObjectMapper().readTree(file.toFile()));
    }

    @Override
    public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> answer) {
        answer.onNext(list);
        answer.onCompleted();
    }

    @Override
    public void getAllocatableResources(
            AllocatableResourcesRequest request, StreamObserver<AllocatableResourcesResponse> answer) {
        answer.onNext(allocatable);
        answer.onCompleted();
    }

    @Override
    public void close() {
        server.close();
    }
}

package io.numaledger.simulator.agent;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.numaledger.podresources.v1.AllocatableResourcesRequest;
import io.numaledger.podresources.v1.AllocatableResourcesResponse;
import io.numaledger.podresources.v1.ContainerResources;
import io.numaledger.podresources.v1.ListPodResourcesRequest;
import io.numaledger.podresources.v1.ListPodResourcesResponse;
import io.numaledger.podresources.v1.PodResources;
import io.numaledger.podresources.v1.PodResourcesListerGrpc;
import io.numaledger.simulator.socket.UnixSocketServer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A podresources server on a real socket that answers, refuses or keeps silent, and remembers when it was called. */
final class MoodyKubelet extends PodResourcesListerGrpc.PodResourcesListerImplBase implements AutoCloseable {

    /** What the kubelet's limiter says (pkg/kubelet/apis/grpc/ratelimit.go). */
    static final Status RATE_LIMITED = Status.RESOURCE_EXHAUSTED.withDescription("rejected by rate limit");

    private final UnixSocketServer server;
    private final List<Long> calls = new ArrayList<>();
    private volatile Status mood = Status.OK;

    MoodyKubelet(Path socket) throws IOException {
        server = UnixSocketServer.start(socket, List.of(this));
    }

    void feels(Status status) {
        synchronized (calls) {
            calls.clear();
        }
        mood = status;
    }

    /** Milliseconds between the calls since the mood changed. */
    List<Long> gaps() {
        synchronized (calls) {
            List<Long> gaps = new ArrayList<>();
            for (int i = 1; i < calls.size(); i++) {
                gaps.add((calls.get(i) - calls.get(i - 1)) / 1_000_000);
            }
            return gaps;
        }
    }

    /** One pod {@code default/p} whose container {@code c} has CPU 1. */
    @Override
    public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> answer) {
        PodResources pod = PodResources.newBuilder()
                .setNamespace("default")
                .setName("p")
                .addContainers(ContainerResources.newBuilder().setName("c").addCpuIds(1))
                .build();
        answer(ListPodResourcesResponse.newBuilder().addPodResources(pod).build(), answer);
    }

    @Override
    public void getAllocatableResources(
            AllocatableResourcesRequest request, StreamObserver<AllocatableResourcesResponse> answer) {
        answer(
                AllocatableResourcesResponse.newBuilder()
                        .addCpuIds(1)
                        .addCpuIds(2)
                        .addCpuIds(3)
                        .build(),
                answer);
    }

    private <T> void answer(T value, StreamObserver<T> answer) {
        synchronized (calls) {
            calls.add(System.nanoTime());
        }
        if (mood.isOk()) {
            answer.onNext(value);
            answer.onCompleted();
        } else {
            answer.onError(mood.asRuntimeException());
        }
    }

    @Override
    public void close() {
        server.close();
    }
}

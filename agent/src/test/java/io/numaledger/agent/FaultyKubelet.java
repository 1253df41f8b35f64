package io.numaledger.agent;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.numaledger.podresources.server.UnixSocketServer;
import io.numaledger.podresources.v1.AllocatableResourcesRequest;
import io.numaledger.podresources.v1.AllocatableResourcesResponse;
import io.numaledger.podresources.v1.ContainerResources;
import io.numaledger.podresources.v1.ListPodResourcesRequest;
import io.numaledger.podresources.v1.ListPodResourcesResponse;
import io.numaledger.podresources.v1.PodResources;
import io.numaledger.podresources.v1.PodResourcesListerGrpc;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A podresources server on a unix socket that answers each call with a given status, and records the times of calls. */
final class FaultyKubelet extends PodResourcesListerGrpc.PodResourcesListerImplBase implements AutoCloseable {

    /** The status of the kubelet's rate limiter (pkg/kubelet/apis/grpc/ratelimit.go). */
    static final Status RATE_LIMITED = Status.RESOURCE_EXHAUSTED.withDescription("rejected by rate limit");

    private final UnixSocketServer server;
    private final List<Long> calls = new ArrayList<>();
    private volatile Status status = Status.OK;

    FaultyKubelet(Path socket) throws IOException {
        server = UnixSocketServer.start(socket, List.of(this));
    }

    /** From now on; also forgets the times of earlier calls. */
    void answersWith(Status newStatus) {
        synchronized (calls) {
            calls.clear();
        }
        status = newStatus;
    }

    /** Milliseconds between the calls since the status was set. */
    List<Long> gaps() {
        synchronized (calls) {
            List<Long> gaps = new ArrayList<>();
            for (int i = 1; i < calls.size(); i++) {
                gaps.add((calls.get(i) - calls.get(i - 1)) / 1_000_000);
            }
            return gaps;
        }
    }

    /** One pod {@code default/p} whose container {@code c} holds CPU 1. */
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
        if (status.isOk()) {
            answer.onNext(value);
            answer.onCompleted();
        } else {
            answer.onError(status.asRuntimeException());
        }
    }

    @Override
    public void close() {
        server.close();
    }
}

package io.numaledger.podresources;

import io.grpc.CallOptions;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.podresources.PodResourcesException.Kind;
import io.numaledger.podresources.v1.AllocatableResourcesRequest;
import io.numaledger.podresources.v1.GetPodResourcesRequest;
import io.numaledger.podresources.v1.ListPodResourcesRequest;
import io.numaledger.podresources.v1.PodResourcesListerGrpc;

import java.io.IOException;
import java.io.InputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The kubelet's podresources API over its unix socket. The socket may be missing, appear later, or be replaced when the
 * kubelet restarts: each call uses the process that listens at the path at that time.
 */
public final class PodResourcesClient implements PodResources, AutoCloseable {

    /**
     * grpc's own 4 MiB are too few: about 300 bytes a pod, and megabytes where claims of a failing driver are repeated. grpc keeps an answer in
     * memory as a whole.
     */
    public static final int LIMIT_BYTES = 24 << 20;

    public static final Duration DEADLINE = Duration.ofSeconds(10);

    /** The end of a connection is noticed at once, unless the machine is overloaded. */
    private static final Duration END_IS_NOTICED = Duration.ofSeconds(5);

    private final Path socket;
    private final Duration deadline;
    private final int limitBytes;
    private final PodResourcesReader reader;
    private final MethodDescriptor<ListPodResourcesRequest, PodResourcesSnapshot> list;
    private final MethodDescriptor<AllocatableResourcesRequest, AllocatableResources> allocatable;
    private final MethodDescriptor<GetPodResourcesRequest, PodResourcesSnapshot> get;
    private final EventLoopGroup eventLoop;
    private final ManagedChannel channel;
    /** Done when the connection that served the last call has ended; done while there was none. */
    private volatile CompletableFuture<Void> ended = CompletableFuture.completedFuture(null);

    private volatile Runnable disconnected = () -> {};

    /**
     * @param deadline of each call
     * @param warnings gets a sentence for each part of an answer that is left out as impossible
     */
    public PodResourcesClient(Path socket, Duration deadline, Consumer<String> warnings) {
        this(socket, deadline, warnings, false, LIMIT_BYTES);
    }

    /**
     * @param keepReports pods keep the kubelet's report, see {@link io.numaledger.placement.PodAllocation#reported}
     * @param limitBytes of an answer
     */
    public PodResourcesClient(
            Path socket, Duration deadline, Consumer<String> warnings, boolean keepReports, int limitBytes) {
        this.socket = socket;
        this.deadline = deadline;
        this.limitBytes = limitBytes;
        this.reader = new PodResourcesReader(warnings, keepReports);
        this.list = reading(PodResourcesListerGrpc.getListMethod(), reader::snapshot);
        this.allocatable = reading(PodResourcesListerGrpc.getGetAllocatableResourcesMethod(), reader::allocatable);
        this.get = reading(PodResourcesListerGrpc.getGetMethod(), reader::snapshot);
        this.eventLoop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("podresources", true), NioIoHandler.newFactory());
        this.channel = NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelFactory(PodResourcesClient::socketChannel, UnixDomainSocketAddress.class)
                .eventLoopGroup(eventLoop)
                .directExecutor()
                // The default would be the socket's path, which a Go server refuses.
                .overrideAuthority("localhost")
                .maxInboundMessageSize(limitBytes)
                .disableRetry()
                .usePlaintext()
                .build();
    }

    @Override
    public PodResourcesSnapshot list() throws PodResourcesException {
        return call("List", () -> answer(list, ListPodResourcesRequest.getDefaultInstance()));
    }

    @Override
    public AllocatableResources allocatable() throws PodResourcesException {
        return call(
                "GetAllocatableResources", () -> answer(allocatable, AllocatableResourcesRequest.getDefaultInstance()));
    }

    @Override
    public PodAllocation get(String namespace, String name) throws PodResourcesException {
        GetPodResourcesRequest request = GetPodResourcesRequest.newBuilder()
                .setPodNamespace(namespace)
                .setPodName(name)
                .build();
        List<PodAllocation> pods = call("Get", () -> answer(get, request)).pods();
        if (pods.isEmpty()) {
            throw new PodResourcesException(
                    Kind.FAILED,
                    "podresources Get failed: socket=%s pod=%s/%s reason='the answer has no pod, or too large a one'; see the kubelet's log"
                            .formatted(socket, namespace, name),
                    null);
        }
        return pods.get(0);
    }

    /**
     * Calls back whenever a connection that served a call ends: a restart of the kubelet shows so at once, and before the next answer of
     * another connection is returned.
     */
    public void onDisconnect(Runnable callback) {
        disconnected = callback;
    }

    private synchronized void watchConnection() {
        if (ended.isDone() && channel.getState(false) == ConnectivityState.READY) {
            CompletableFuture<Void> watched = new CompletableFuture<>();
            ended = watched;
            channel.notifyWhenStateChanged(ConnectivityState.READY, () -> {
                disconnected.run();
                watched.complete(null);
            });
        }
    }

    /** True if this connection ends now: its failure says nothing about the process that listens at the socket. */
    private static boolean ends(CompletableFuture<Void> connection) {
        try {
            connection.get(END_IS_NOTICED.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException | ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private <Q, A> A answer(MethodDescriptor<Q, A> method, Q request) {
        return ClientCalls.blockingUnaryCall(
                channel,
                method,
                CallOptions.DEFAULT.withDeadlineAfter(deadline.toMillis(), TimeUnit.MILLISECONDS),
                request);
    }

    /** The given method, whose answers are read as values. */
    private static <Q, A, T> MethodDescriptor<Q, T> reading(MethodDescriptor<Q, A> method, AnswerReader<T> reader) {
        return method.toBuilder(method.getRequestMarshaller(), new MethodDescriptor.Marshaller<T>() {
                    @Override
                    public InputStream stream(T value) {
                        throw new IllegalStateException("answers are read only");
                    }

                    @Override
                    public T parse(InputStream answer) {
                        try {
                            return reader.read(answer);
                        } catch (IOException e) {
                            throw Status.INTERNAL
                                    .withDescription("the answer is malformed: " + e.getMessage())
                                    .withCause(e)
                                    .asRuntimeException();
                        }
                    }
                })
                .build();
    }

    @FunctionalInterface
    private interface AnswerReader<T> {
        T read(InputStream answer) throws IOException;
    }

    /** A process that does not read what it makes us write, such as acknowledgements of settings, must not fill the heap. */
    private static NioDomainSocketChannel socketChannel() {
        NioDomainSocketChannel created = new NioDomainSocketChannel();
        created.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelWritabilityChanged(ChannelHandlerContext connection) {
                if (!connection.channel().isWritable()) {
                    var unused = connection.close();
                }
            }
        });
        return created;
    }

    /** A call that fails because an earlier connection has ended is made once more, over a new one. */
    private <T> T call(String method, Supplier<T> answer) throws PodResourcesException {
        CompletableFuture<Void> earlier = ended;
        boolean connected = !earlier.isDone();
        try {
            return callOnce(answer);
        } catch (StatusRuntimeException e) {
            if (!connected || !isDisconnected(e.getStatus()) || !ends(earlier)) {
                throw translated(method, e);
            }
        }
        try {
            return callOnce(answer);
        } catch (StatusRuntimeException e) {
            throw translated(method, e);
        }
    }

    /** grpc says UNKNOWN where it writes to a connection that has been closed already (io.grpc.netty.Utils, statusFromThrowable). */
    static boolean isDisconnected(Status status) {
        return status.getCode() == Status.Code.UNAVAILABLE
                || (status.getCode() == Status.Code.UNKNOWN && status.getCause() instanceof ClosedChannelException);
    }

    private <T> T callOnce(Supplier<T> answer) throws PodResourcesException {
        if (!Files.exists(socket)) {
            throw new PodResourcesException(
                    Kind.UNAVAILABLE,
                    "the kubelet's podresources socket is missing: socket=%s; start the kubelet, or mount the socket's directory"
                            .formatted(socket),
                    null);
        }
        // Who calls decides when to try again; grpc's own back-off would keep a restarted kubelet waiting.
        channel.resetConnectBackoff();
        T value = answer.get();
        watchConnection();
        return value;
    }

    private PodResourcesException translated(String method, StatusRuntimeException e) {
        Status status = e.getStatus();
        String why = status.getDescription() == null ? status.getCode().toString() : status.getDescription();
        Kind kind = isDisconnected(status) ? Kind.UNAVAILABLE : kind(method, status.getCode(), why);
        String advice = switch (kind) {
            case UNAVAILABLE -> "no process answers at the socket: check that the kubelet runs";
            case TIMEOUT ->
                "no answer in %d ms: check that the kubelet is not overloaded".formatted(deadline.toMillis());
            case RATE_LIMITED ->
                "all clients of the socket share the kubelet's limit: find the client that polls too often";
            case NOT_SUPPORTED -> "this kubelet does not offer the call, or has it switched off";
            case TOO_LARGE -> "the answer is over %d bytes".formatted(limitBytes);
            case NO_SUCH_POD -> "the kubelet does not know this pod, or it has ended";
            case FAILED -> "see the kubelet's log";
        };
        return new PodResourcesException(
                kind, "podresources %s failed: socket=%s reason='%s'; %s".formatted(method, socket, why, advice), e);
    }

    private static Kind kind(String method, Status.Code code, String why) {
        return switch (code) {
            case DEADLINE_EXCEEDED -> Kind.TIMEOUT;
            case UNIMPLEMENTED -> Kind.NOT_SUPPORTED;
            // The kubelet's limiter and our own receive limit share one code.
            case RESOURCE_EXHAUSTED ->
                why.contains("larger than") || why.contains("exceeds maximum") ? Kind.TOO_LARGE : Kind.RATE_LIMITED;
            default -> {
                if (why.endsWith("disabled")) {
                    yield Kind.NOT_SUPPORTED;
                }
                yield method.equals("Get") && why.endsWith("not found") ? Kind.NO_SUCH_POD : Kind.FAILED;
            }
        };
    }

    @Override
    public void close() {
        channel.shutdownNow();
        eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly(200);
    }
}

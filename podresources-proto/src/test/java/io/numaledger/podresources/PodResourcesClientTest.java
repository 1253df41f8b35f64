package io.numaledger.podresources;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.podresources.PodResourcesException.Kind;
import io.numaledger.podresources.v1.AllocatableResourcesRequest;
import io.numaledger.podresources.v1.AllocatableResourcesResponse;
import io.numaledger.podresources.v1.ContainerDevices;
import io.numaledger.podresources.v1.ContainerMemory;
import io.numaledger.podresources.v1.ContainerResources;
import io.numaledger.podresources.v1.DynamicResource;
import io.numaledger.podresources.v1.GetPodResourcesRequest;
import io.numaledger.podresources.v1.GetPodResourcesResponse;
import io.numaledger.podresources.v1.ListPodResourcesRequest;
import io.numaledger.podresources.v1.ListPodResourcesResponse;
import io.numaledger.podresources.v1.NUMANode;
import io.numaledger.podresources.v1.PodResourcesListerGrpc;
import io.numaledger.podresources.v1.TopologyInfo;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class PodResourcesClientTest {

    @TempDir
    Path directory;

    private final List<String> warnings = new ArrayList<>();
    private Path socket;
    private PodResourcesClient client;

    @BeforeEach
    void open() {
        socket = directory.resolve("kubelet.sock");
        client = new PodResourcesClient(socket, Duration.ofSeconds(60), warnings::add);
    }

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void readsWhatPodsHold() throws Exception {
        ListPodResourcesResponse answer = ListPodResourcesResponse.newBuilder()
                .addPodResources(pod("b", "web"))
                .addPodResources(pod("a", "train")
                        .addContainers(ContainerResources.newBuilder()
                                .setName("main")
                                .addCpuIds(5)
                                .addCpuIds(4)
                                .addMemory(memory("memory", 1 << 30, 1, 0))
                                .addMemory(memory("hugepages-2Mi", 0, 0))
                                .addDevices(device("nvidia.com/gpu", "gpu-1", 0))
                                .addDevices(device("example.com/nic", "nic-0", 1))
                                .addDevices(device("example.com/nic", "nic-0", 0))
                                .addDevices(device("example.com/key", "key-0"))))
                .build();
        try (ScriptedKubelet kubelet = new ScriptedKubelet(socket, new Answers(answer))) {
            assertThat(client.list().pods())
                    .containsExactly(
                            new PodAllocation(
                                    "a",
                                    "train",
                                    List.of(new ContainerAllocation(
                                            "main",
                                            CpuSet.of(4, 5),
                                            List.of(new MemoryBlock("memory", 1 << 30, List.of(0, 1))),
                                            List.of(
                                                    new DeviceAllocation("example.com/key", "key-0", List.of()),
                                                    new DeviceAllocation("example.com/nic", "nic-0", List.of(0, 1)),
                                                    new DeviceAllocation("nvidia.com/gpu", "gpu-1", List.of(0)))))),
                            new PodAllocation("b", "web", List.of()));
            assertThat(kubelet.authorities).containsOnly("localhost");
        }
    }

    @Test
    void readsWhatThePodHoldsAsAWhole() throws Exception {
        ListPodResourcesResponse answer = ListPodResourcesResponse.newBuilder()
                .addPodResources(pod("a", "train").addCpuIds(1).addMemory(memory("memory", 4096, 0)))
                .build();
        try (ScriptedKubelet kubelet = new ScriptedKubelet(socket, new Answers(answer))) {
            assertThat(client.list().pods())
                    .containsExactly(new PodAllocation(
                            "a",
                            "train",
                            List.of(),
                            CpuSet.of(1),
                            List.of(new MemoryBlock("memory", 4096, List.of(0)))));
            assertThat(kubelet.authorities).hasSize(1);
        }
    }

    @Test
    void takesAnEmptyMessageForNumaNodeZero() throws Exception {
        ByteString zero = NUMANode.newBuilder().setID(0).build().toByteString();
        assertThat(zero.isEmpty()).isTrue();
        ListPodResourcesResponse answer = ListPodResourcesResponse.newBuilder()
                .addPodResources(pod("a", "train")
                        .addContainers(ContainerResources.newBuilder()
                                .addDevices(device("nvidia.com/gpu", "gpu-1").toBuilder()
                                        .setTopology(TopologyInfo.newBuilder().addNodes(NUMANode.parseFrom(zero))))))
                .build();
        try (ScriptedKubelet kubelet = new ScriptedKubelet(socket, new Answers(answer))) {
            assertThat(client.list().pods().get(0).containers().get(0).devices())
                    .containsExactly(new DeviceAllocation("nvidia.com/gpu", "gpu-1", List.of(0)));
            assertThat(kubelet.authorities).hasSize(1);
        }
    }

    @Test
    void readsWhatMayBeHandedOutUpToItsLimits() throws Exception {
        Answers answers = new Answers(ListPodResourcesResponse.getDefaultInstance());
        IntStream.range(1, 20_000).forEach(i -> answers.allocatable.addDevices(device("example.com/x", "x-" + i, 0)));
        try (ScriptedKubelet kubelet = new ScriptedKubelet(socket, answers)) {
            AllocatableResources allocatable = client.allocatable();
            assertThat(allocatable.devices()).hasSize(16_384);
            assertThat(allocatable.cpus()).isEqualTo(CpuSet.of(1, 2, 3));
            assertThat(allocatable.memory()).hasSize(1);
            assertThat(warnings)
                    .containsExactly("the kubelet's answer is too large: 3616 devices or lists are left out; "
                            + "it may have 16384, of 262144 bytes each and 4194304 bytes together");
            assertThat(kubelet.authorities).hasSize(1);
        }
    }

    @Test
    void leavesOutWhatIsImpossibleAndSaysSo() throws Exception {
        ListPodResourcesResponse answer = ListPodResourcesResponse.newBuilder()
                .addPodResources(pod("a", "train")
                        .addContainers(ContainerResources.newBuilder()
                                .setName("main")
                                .addCpuIds(-1)
                                .addCpuIds(3)
                                .addMemory(memory("memory", -1, 0))))
                .build();
        try (ScriptedKubelet kubelet = new ScriptedKubelet(socket, new Answers(answer))) {
            assertThat(client.list().pods().get(0).containers())
                    .containsExactly(new ContainerAllocation("main", CpuSet.of(3), List.of(), List.of()));
            assertThat(warnings)
                    .containsExactly(
                            "the kubelet names impossible CPUs: pod=a/train container=main cpu=-1 count=1; they are left out",
                            "the kubelet names an impossible amount of memory: pod=a/train container=main type=memory "
                                    + "bytes=18446744073709551615; it is left out");
            assertThat(kubelet.authorities).hasSize(1);
        }
    }

    /** As of a kubelet whose reservedMemory names 2 GiB of a NUMA node of 1 GiB. */
    @Test
    void saysThatTheKubeletGivesOutMemoryWithoutEnd() throws Exception {
        AllocatableResourcesResponse answer = AllocatableResourcesResponse.newBuilder()
                .addMemory(memory("memory", -1L << 30, 0))
                .addMemory(memory("memory", 1024, 1))
                .build();
        assertThat(new PodResourcesReader(warnings::add, false)
                        .allocatable(answer.toByteString().newInput())
                        .memory())
                .containsExactly(
                        new MemoryBlock("memory", Long.MAX_VALUE, List.of(0)),
                        new MemoryBlock("memory", 1024, List.of(1)));
        assertThat(warnings)
                .containsExactly(
                        "the kubelet may give out more memory than there is: type=memory bytes=18446744072635809792: "
                                + "more is reserved than a NUMA node has; correct reservedMemory in its configuration");
    }

    @Test
    void readsWhatMayBeGivenOut() throws Exception {
        try (ScriptedKubelet kubelet = new ScriptedKubelet(socket, new Answers(null))) {
            assertThat(client.allocatable().cpus()).isEqualTo(CpuSet.range(1, 3));
            assertThat(client.allocatable().memory()).containsExactly(new MemoryBlock("memory", 1024, List.of(2)));
            assertThat(client.allocatable().devices())
                    .containsExactly(new DeviceAllocation("nvidia.com/gpu", "gpu-1", List.of(0)));
            assertThat(kubelet.authorities).hasSize(3);
        }
    }

    @Test
    void asksForOnePod() throws Exception {
        try (ScriptedKubelet kubelet = new ScriptedKubelet(socket, new Answers(null))) {
            assertThat(client.get("a", "train")).isEqualTo(new PodAllocation("a", "train", List.of()));
            assertFails(() -> client.get("a", "gone"), Kind.NO_SUCH_POD, "pod gone in namespace a not found");
            assertThat(kubelet.authorities).hasSize(2);
        }
    }

    @Test
    void saysThatTheSocketIsMissing() {
        assertThatThrownBy(client::list)
                .isInstanceOf(PodResourcesException.class)
                .hasMessage(
                        "the kubelet's podresources socket is missing: socket=%s; "
                                + "start the kubelet, or mount the socket's directory",
                        socket);
    }

    @Test
    void findsTheKubeletThatAppearsLaterAndTheOneThatReplacesIt() throws Exception {
        assertFails(client::list, Kind.UNAVAILABLE, "socket is missing");
        AtomicInteger disconnects = new AtomicInteger();
        client.onDisconnect(disconnects::incrementAndGet);
        ScriptedKubelet first = new ScriptedKubelet(socket, new Answers(list("first")));
        assertThat(client.list())
                .satisfies(s -> assertThat(s.pods().get(0).name()).isEqualTo("first"));

        first.close();
        await().atMost(Duration.ofMinutes(3))
                .untilAsserted(() -> assertThat(disconnects).hasValue(1));
        assertFails(client::list, Kind.UNAVAILABLE, "socket is missing");

        try (ScriptedKubelet second = new ScriptedKubelet(socket, new Answers(list("second")))) {
            assertThat(client.list().pods().get(0).name()).isEqualTo("second");
            assertThat(second.authorities).hasSize(1);
        }
    }

    /** A kubelet that has restarted: the request is written before the client notices. */
    @ParameterizedTest(name = "{0} connections end: {1}")
    @CsvSource({"1, true", "2, false"})
    void callsOnceMoreWhenAnEarlierConnectionHasEnded(int ends, boolean answered) throws Exception {
        Path behind = directory.resolve("behind.sock");
        AtomicInteger disconnects = new AtomicInteger();
        client.onDisconnect(disconnects::incrementAndGet);
        try (ScriptedKubelet kubelet = new ScriptedKubelet(behind, new Answers(list("web")));
                Relay relay = new Relay(socket, behind)) {
            client.list();
            relay.endsConnections(ends);
            if (answered) {
                assertThat(client.list().pods().get(0).name()).isEqualTo("web");
            } else {
                assertFails(client::list, Kind.UNAVAILABLE, "no process answers at the socket");
            }
            assertThat(disconnects).as("the caller is told before the answer").hasValue(1);
            assertThat(relay.connections).hasValue(2);
            assertThat(kubelet.authorities).hasSize(answered ? 2 : 1);
        }
    }

    /** What grpc says depends on when it notices. */
    @Test
    void knowsEachFormOfAnEndedConnection() {
        assertThat(PodResourcesClient.isDisconnected(Status.UNAVAILABLE)).isTrue();
        assertThat(PodResourcesClient.isDisconnected(Status.UNKNOWN.withCause(new ClosedChannelException())))
                .isTrue();
        assertThat(PodResourcesClient.isDisconnected(Status.UNKNOWN)).isFalse();
        assertThat(PodResourcesClient.isDisconnected(Status.DEADLINE_EXCEEDED)).isFalse();
    }

    @Test
    void receivesMoreThanGrpcsFourMebibytesButNotOverItsOwnLimit() throws Exception {
        ListPodResourcesResponse.Builder large = ListPodResourcesResponse.newBuilder();
        IntStream.range(0, 50).forEach(i -> large.addPodResources(pod("a", i + "x".repeat(100_000))));
        try (ScriptedKubelet kubelet = new ScriptedKubelet(socket, new Answers(large.build()))) {
            assertThat(client.list().pods()).hasSize(41);
            assertThat(warnings)
                    .containsExactly("the kubelet's answer is too large: 9 pods are left out; "
                            + "it may have 16384, of 262144 bytes each and 4194304 bytes together");
            assertThat(kubelet.authorities).hasSize(1);
        }
        try (ScriptedKubelet kubelet = new ScriptedKubelet(socket, new Answers(list("x".repeat(25 << 20))))) {
            assertFails(client::list, Kind.TOO_LARGE, "the answer is over 25165824 bytes");
            assertThat(kubelet.authorities).hasSize(1);
        }
    }

    /** 18 MB of claims of one pod, as a failing driver leaves them, and entries that are there twice. */
    @Test
    void readsAPodWhoseClaimsAreRepeatedWithoutEnd() throws Exception {
        DynamicResource claim =
                DynamicResource.newBuilder().setClaimName("x".repeat(1000)).build();
        ContainerResources.Builder container = ContainerResources.newBuilder().setName("c");
        IntStream.range(0, 18_000).forEach(i -> container.addDynamicResources(claim));
        container.addCpuIds(4).addCpuIds(4).addDevices(device("nvidia.com/gpu", "gpu-1", 0));
        container.addDevices(device("nvidia.com/gpu", "gpu-1", 0));
        ListPodResourcesResponse answer = ListPodResourcesResponse.newBuilder()
                .addPodResources(pod("a", "p").addContainers(container))
                .addPodResources(pod("b", "q"))
                .build();
        PodAllocation p = new PodAllocation(
                "a",
                "p",
                List.of(new ContainerAllocation(
                        "c",
                        CpuSet.of(4),
                        List.of(),
                        List.of(new DeviceAllocation("nvidia.com/gpu", "gpu-1", List.of(0))))));
        try (ScriptedKubelet kubelet = new ScriptedKubelet(socket, new Answers(answer))) {
            assertThat(client.list().pods()).containsExactly(p, new PodAllocation("b", "q", List.of()));
            assertThat(warnings).isEmpty();
            assertThat(kubelet.authorities).hasSize(1);
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', textBlock = """
            RESOURCE_EXHAUSTED | rejected by rate limit                     | RATE_LIMITED
            UNIMPLEMENTED      | unknown method List                        | NOT_SUPPORTED
            UNKNOWN            | API GetAllocatableResources disabled       | NOT_SUPPORTED
            UNAVAILABLE        | not yet                                    | UNAVAILABLE
            DEADLINE_EXCEEDED  | too slow                                   | TIMEOUT
            UNKNOWN            | something broke                            | FAILED
            """)
    void tellsFailuresApart(Status.Code code, String text, Kind kind) throws Exception {
        PodResourcesListerGrpc.PodResourcesListerImplBase failing =
                new PodResourcesListerGrpc.PodResourcesListerImplBase() {
                    @Override
                    public void list(
                            ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> observer) {
                        observer.onError(code.toStatus().withDescription(text).asRuntimeException());
                    }
                };
        try (ScriptedKubelet kubelet = new ScriptedKubelet(socket, failing)) {
            assertFails(client::list, kind, "podresources List failed: socket=" + socket + " reason='" + text + "'; ");
            assertThat(kubelet.authorities).hasSize(1);
        }
    }

    @Test
    void givesUpAtTheDeadline() throws Exception {
        PodResourcesListerGrpc.PodResourcesListerImplBase silent =
                new PodResourcesListerGrpc.PodResourcesListerImplBase() {
                    @Override
                    public void list(
                            ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> observer) {}
                };
        try (ScriptedKubelet kubelet = new ScriptedKubelet(socket, silent);
                PodResourcesClient hasty = new PodResourcesClient(socket, Duration.ofMillis(300), warnings::add)) {
            assertFails(hasty::list, Kind.TIMEOUT, "no answer in 300 ms: check that the kubelet is not overloaded");
            assertThat(kubelet.authorities).hasSizeLessThanOrEqualTo(1);
        }
    }

    private static void assertFails(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call, Kind kind, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PodResourcesException.class, e -> assertThat(e.kind()).isEqualTo(kind))
                .hasMessageContaining(message);
    }

    private static ListPodResourcesResponse list(String podName) {
        return ListPodResourcesResponse.newBuilder()
                .addPodResources(pod("a", podName))
                .build();
    }

    private static io.numaledger.podresources.v1.PodResources.Builder pod(String namespace, String name) {
        return io.numaledger.podresources.v1.PodResources.newBuilder()
                .setNamespace(namespace)
                .setName(name);
    }

    private static ContainerMemory memory(String type, long bytes, long... numaNodes) {
        return ContainerMemory.newBuilder()
                .setMemoryType(type)
                .setSize(bytes)
                .setTopology(topology(numaNodes))
                .build();
    }

    private static ContainerDevices device(String resource, String id, long... numaNodes) {
        ContainerDevices.Builder device =
                ContainerDevices.newBuilder().setResourceName(resource).addDeviceIds(id);
        return numaNodes.length == 0
                ? device.build()
                : device.setTopology(topology(numaNodes)).build();
    }

    private static TopologyInfo topology(long... numaNodes) {
        TopologyInfo.Builder topology = TopologyInfo.newBuilder();
        for (long id : numaNodes) {
            topology.addNodes(NUMANode.newBuilder().setID(id));
        }
        return topology.build();
    }

    /** Answers List with the given response, and the other calls with fixed small ones. */
    private static final class Answers extends PodResourcesListerGrpc.PodResourcesListerImplBase {
        private final ListPodResourcesResponse list;
        private final AllocatableResourcesResponse.Builder allocatable = AllocatableResourcesResponse.newBuilder()
                .addAllCpuIds(List.of(3L, 1L, 2L))
                .addMemory(memory("memory", 1024, 2))
                .addDevices(device("nvidia.com/gpu", "gpu-1", 0));

        Answers(ListPodResourcesResponse list) {
            this.list = list;
        }

        @Override
        public void list(ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> observer) {
            observer.onNext(list);
            observer.onCompleted();
        }

        @Override
        public void getAllocatableResources(
                AllocatableResourcesRequest request, StreamObserver<AllocatableResourcesResponse> observer) {
            observer.onNext(allocatable.build());
            observer.onCompleted();
        }

        @Override
        public void get(GetPodResourcesRequest request, StreamObserver<GetPodResourcesResponse> observer) {
            if (request.getPodName().equals("gone")) {
                observer.onError(Status.UNKNOWN
                        .withDescription("pod gone in namespace " + request.getPodNamespace() + " not found")
                        .asRuntimeException());
                return;
            }
            observer.onNext(GetPodResourcesResponse.newBuilder()
                    .setPodResources(pod(request.getPodNamespace(), request.getPodName()))
                    .build());
            observer.onCompleted();
        }
    }
}

package io.numaledger.simulator.cri;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.numaledger.simulator.cri.v1.ContainerConfig;
import io.numaledger.simulator.cri.v1.ContainerMetadata;
import io.numaledger.simulator.cri.v1.ContainerState;
import io.numaledger.simulator.cri.v1.ContainerStatus;
import io.numaledger.simulator.cri.v1.ContainerStatusRequest;
import io.numaledger.simulator.cri.v1.CreateContainerRequest;
import io.numaledger.simulator.cri.v1.ImageServiceGrpc;
import io.numaledger.simulator.cri.v1.ImageSpec;
import io.numaledger.simulator.cri.v1.ImageStatusRequest;
import io.numaledger.simulator.cri.v1.ListPodSandboxRequest;
import io.numaledger.simulator.cri.v1.PodSandboxConfig;
import io.numaledger.simulator.cri.v1.PodSandboxFilter;
import io.numaledger.simulator.cri.v1.PodSandboxMetadata;
import io.numaledger.simulator.cri.v1.PodSandboxState;
import io.numaledger.simulator.cri.v1.PodSandboxStateValue;
import io.numaledger.simulator.cri.v1.RemoveContainerRequest;
import io.numaledger.simulator.cri.v1.RunPodSandboxRequest;
import io.numaledger.simulator.cri.v1.RuntimeServiceGrpc;
import io.numaledger.simulator.cri.v1.RuntimeServiceGrpc.RuntimeServiceBlockingStub;
import io.numaledger.simulator.cri.v1.StartContainerRequest;
import io.numaledger.simulator.cri.v1.StopContainerRequest;
import io.numaledger.simulator.cri.v1.StopPodSandboxRequest;
import io.numaledger.simulator.socket.UnixSocketClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class RuntimeStubTest {

    @TempDir
    private Path directory;

    private final AtomicInteger questions = new AtomicInteger();
    private RuntimeStub stub;
    private UnixSocketClient client;

    @BeforeEach
    void start() {
        stub = RuntimeStub.start(
                directory.resolve("cri.sock"), directory.resolve("records"), directory.resolve("log"), this::end);
        client = new UnixSocketClient(directory.resolve("cri.sock"));
    }

    @AfterEach
    void stop() {
        client.close();
        stub.close();
    }

    /** Containers named "prepare" end, but who asks for the first time is told to ask again. */
    private OptionalInt end(ContainerKey key) throws IOException {
        if (!key.container().equals("prepare")) {
            return OptionalInt.empty();
        }
        if (questions.getAndIncrement() == 0) {
            throw new IOException("nobody knows yet");
        }
        return OptionalInt.of(0);
    }

    private RuntimeServiceBlockingStub runtime() {
        return RuntimeServiceGrpc.newBlockingStub(client.channel());
    }

    private String sandbox() {
        return runtime()
                .runPodSandbox(RunPodSandboxRequest.newBuilder()
                        .setConfig(PodSandboxConfig.newBuilder()
                                .setMetadata(PodSandboxMetadata.newBuilder().setName("pod"))
                                .setLogDirectory("/var/log/pods/default_pod_1"))
                        .build())
                .getPodSandboxId();
    }

    private String running(String sandbox, String name) {
        String id = runtime()
                .createContainer(CreateContainerRequest.newBuilder()
                        .setPodSandboxId(sandbox)
                        .setConfig(ContainerConfig.newBuilder()
                                .setMetadata(ContainerMetadata.newBuilder().setName(name))
                                .setImage(ImageSpec.newBuilder().setImage("example.com/app:1"))
                                .putAllLabels(Map.of(
                                        "io.kubernetes.pod.namespace", "default",
                                        "io.kubernetes.pod.name", "pod",
                                        "io.kubernetes.pod.uid", "1",
                                        "io.kubernetes.container.name", name))
                                .setLogPath(name + "/0.log"))
                        .build())
                .getContainerId();
        assertThat(runtime()
                        .startContainer(StartContainerRequest.newBuilder()
                                .setContainerId(id)
                                .build()))
                .isNotNull();
        return id;
    }

    private ContainerStatus status(String id) {
        return runtime()
                .containerStatus(
                        ContainerStatusRequest.newBuilder().setContainerId(id).build())
                .getStatus();
    }

    @Test
    void runsAContainerWithAnImageAndALogOfItsOwn() {
        ContainerStatus status = status(running(sandbox(), "main"));

        assertThat(status.getState()).isEqualTo(ContainerState.CONTAINER_RUNNING);
        assertThat(status.getStartedAt()).isGreaterThanOrEqualTo(status.getCreatedAt());
        assertThat(status.getLogPath()).isEqualTo("/var/log/pods/default_pod_1/main/0.log");
        assertThat(directory.resolve("log/pods/default_pod_1/main/0.log"))
                .content()
                .endsWith(" stdout F simulated container, nothing runs here\n");
        assertThat(status.getImageId())
                .isEqualTo(ImageServiceGrpc.newBlockingStub(client.channel())
                        .imageStatus(ImageStatusRequest.newBuilder()
                                .setImage(ImageSpec.newBuilder().setImage("example.com/app:1"))
                                .build())
                        .getImage()
                        .getId());
    }

    @Test
    void findsItsContainersRunningAfterARestart() {
        String id = running(sandbox(), "main");
        ContainerStatus before = status(id);

        stop();
        start();

        assertThat(status(id)).isEqualTo(before);
        assertThat(stub.running()).containsExactly(new ContainerKey("default", "pod", "1", "main"));
    }

    @Test
    void endsWhatEndsByItselfAsSoonAsSomebodyKnows() {
        String id = running(sandbox(), "prepare");

        await().atMost(Duration.ofMinutes(3)).until(() -> status(id).getState() == ContainerState.CONTAINER_EXITED);
        assertThat(status(id).getExitCode()).isZero();
        assertThat(status(id).getReason()).isEqualTo("Completed");
        assertThat(questions).hasValue(2);
    }

    @Test
    void endsAContainerThatIsToldTo() {
        String id = running(sandbox(), "main");

        stub.exit("default", "pod", "main", 3);

        assertThat(status(id).getExitCode()).isEqualTo(3);
        assertThat(status(id).getReason()).isEqualTo("Error");
        assertThatThrownBy(() -> stub.exit("default", "pod", "main", 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "no such container runs here: pod=default/pod container=main; wait until the pod is Running");
    }

    @Test
    void stopsTheContainersOfASandboxWithIt() {
        String sandbox = sandbox();
        String id = running(sandbox, "main");

        assertThat(runtime()
                        .stopPodSandbox(StopPodSandboxRequest.newBuilder()
                                .setPodSandboxId(sandbox)
                                .build()))
                .isNotNull();

        assertThat(status(id).getExitCode()).isEqualTo(137);
        assertThat(sandboxes(PodSandboxState.SANDBOX_READY)).isZero();
        assertThat(sandboxes(PodSandboxState.SANDBOX_NOTREADY)).isOne();
    }

    private int sandboxes(PodSandboxState state) {
        return runtime()
                .listPodSandbox(ListPodSandboxRequest.newBuilder()
                        .setFilter(PodSandboxFilter.newBuilder()
                                .setState(PodSandboxStateValue.newBuilder().setState(state)))
                        .build())
                .getItemsCount();
    }

    @Test
    void saysNotFoundForWhatIsGone() {
        String id = running(sandbox(), "main");
        assertThat(runtime()
                        .removeContainer(RemoveContainerRequest.newBuilder()
                                .setContainerId(id)
                                .build()))
                .isNotNull();

        assertThatThrownBy(() -> status(id))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        refusal -> assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND))
                .hasMessageContaining("no such container: id=" + id);
    }

    /** Each container ends by itself when it is asked to. */
    private static final class EndingProcesses implements PodProcesses {

        @Override
        public String startSandbox(String id) {
            return "10.0.0.1";
        }

        @Override
        public void stopSandbox(String id) {}

        @Override
        public boolean runs(String image) {
            return true;
        }

        @Override
        public void start(String id, String sandbox, ContainerConfig config, Path log, IntConsumer exited) {}

        @Override
        public OptionalInt stop(String id, Duration grace) {
            return OptionalInt.of(0);
        }

        @Override
        public void close() {}
    }

    @Test
    void aContainerThatEndsOnSigtermHasItsOwnExitCode() {
        stop();
        stub = RuntimeStub.start(
                directory.resolve("cri.sock"),
                directory.resolve("records"),
                directory.resolve("log"),
                this::end,
                new EndingProcesses(),
                new NodeImages());
        client = new UnixSocketClient(directory.resolve("cri.sock"));
        String id = running(sandbox(), "agent");

        assertThat(runtime()
                        .stopContainer(StopContainerRequest.newBuilder()
                                .setContainerId(id)
                                .setTimeout(30)
                                .build()))
                .isNotNull();

        assertThat(status(id).getExitCode()).isZero();
        assertThat(status(id).getReason()).isEqualTo("Completed");
    }
}

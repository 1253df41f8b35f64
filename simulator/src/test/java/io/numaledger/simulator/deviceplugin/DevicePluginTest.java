package io.numaledger.simulator.deviceplugin;

import io.grpc.stub.StreamObserver;
import io.numaledger.deviceplugin.v1beta1.AllocateRequest;
import io.numaledger.deviceplugin.v1beta1.ContainerAllocateRequest;
import io.numaledger.deviceplugin.v1beta1.Device;
import io.numaledger.deviceplugin.v1beta1.DevicePluginGrpc;
import io.numaledger.deviceplugin.v1beta1.Empty;
import io.numaledger.deviceplugin.v1beta1.ListAndWatchResponse;
import io.numaledger.deviceplugin.v1beta1.NUMANode;
import io.numaledger.deviceplugin.v1beta1.RegisterRequest;
import io.numaledger.deviceplugin.v1beta1.RegistrationGrpc;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.podresources.server.UnixSocketServer;
import io.numaledger.simulator.hardware.DevicePluginSpec;
import io.numaledger.simulator.socket.UnixSocketClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

class DevicePluginTest {

    private static final DevicePluginSpec SPEC = new DevicePluginSpec(
            "example.com/nic",
            List.of(
                    new DeviceAllocation("example.com/nic", "eth0", List.of(0)),
                    new DeviceAllocation("example.com/nic", "eth1", List.of(0, 1)),
                    new DeviceAllocation("example.com/nic", "eth2", List.of())),
            true);

    @TempDir
    private Path plugins;

    private final List<RegisterRequest> registrations = new CopyOnWriteArrayList<>();
    private DevicePlugin plugin;
    private UnixSocketServer kubelet;

    @BeforeEach
    void startBoth() {
        plugin = DevicePlugin.start(SPEC, plugins);
        kubelet = startKubelet();
        await().atMost(Duration.ofMinutes(3)).until(() -> registrations.size() == 1);
    }

    private UnixSocketServer startKubelet() {
        return UnixSocketServer.start(plugins.resolve("kubelet.sock"), List.of(new Registry()));
    }

    private final class Registry extends RegistrationGrpc.RegistrationImplBase {

        @Override
        public void register(RegisterRequest request, StreamObserver<Empty> answer) {
            registrations.add(request);
            answer.onNext(Empty.getDefaultInstance());
            answer.onCompleted();
        }
    }

    @AfterEach
    void stopBoth() {
        plugin.close();
        kubelet.close();
    }

    private UnixSocketClient client() {
        return new UnixSocketClient(plugins.resolve("example.com_nic.sock"));
    }

    @Test
    void registersWithItsResourceAndItsWishToChoose() {
        assertThat(registrations).singleElement().satisfies(request -> {
            assertThat(request.getVersion()).isEqualTo("v1beta1");
            assertThat(request.getResourceName()).isEqualTo("example.com/nic");
            assertThat(request.getEndpoint()).isEqualTo("example.com_nic.sock");
            assertThat(request.getOptions().getGetPreferredAllocationAvailable())
                    .isTrue();
        });
    }

    @Test
    void tellsTheNumaNodesOfItsDevicesAndEachChangeOfHealth() {
        try (UnixSocketClient client = client()) {
            Iterator<ListAndWatchResponse> lists =
                    DevicePluginGrpc.newBlockingStub(client.channel()).listAndWatch(Empty.getDefaultInstance());

            assertThat(lists.next().getDevicesList())
                    .extracting(Device::getID, Device::getHealth, DevicePluginTest::numaNodes)
                    .containsExactly(
                            tuple("eth0", "Healthy", List.of(0L)),
                            tuple("eth1", "Healthy", List.of(0L, 1L)),
                            tuple("eth2", "Healthy", List.of()));

            plugin.setHealthy("eth1", false);
            assertThat(lists.next().getDevicesList())
                    .extracting(Device::getHealth)
                    .containsExactly("Healthy", "Unhealthy", "Healthy");
            plugin.remove("eth1");
            assertThat(lists.next().getDevicesList()).extracting(Device::getID).containsExactly("eth0", "eth2");
            plugin.setHealthy("eth1", true);
            assertThat(lists.next().getDevicesList()).hasSize(3);
            assertThat(plugin.healthy()).isEqualTo(3);
        }
    }

    private static List<Long> numaNodes(Device device) {
        return device.getTopology().getNodesList().stream().map(NUMANode::getID).toList();
    }

    @Test
    void handsItsDevicesOut() {
        try (UnixSocketClient client = client()) {
            AllocateRequest request = AllocateRequest.newBuilder()
                    .addContainerRequests(ContainerAllocateRequest.newBuilder()
                            .addDevicesIds("eth0")
                            .addDevicesIds("eth2"))
                    .build();

            assertThat(DevicePluginGrpc.newBlockingStub(client.channel())
                            .allocate(request)
                            .getContainerResponses(0)
                            .getEnvsMap())
                    .containsEntry("SIMULATED_DEVICES", "eth0,eth2");
        }
    }

    @Test
    void registersAgainWithAKubeletThatStartsAnew() throws IOException {
        kubelet.close();
        Files.delete(plugins.resolve("example.com_nic.sock"));

        kubelet = startKubelet();

        await().atMost(Duration.ofMinutes(3)).until(() -> registrations.size() == 2);
        assertThat(plugins.resolve("example.com_nic.sock")).exists();
    }

    @Test
    void registersAgainWithAKubeletThatWatchesItNoMore() {
        try (UnixSocketClient client = client()) {
            DevicePluginGrpc.newBlockingStub(client.channel())
                    .listAndWatch(Empty.getDefaultInstance())
                    .next();
        }

        await().atMost(Duration.ofMinutes(3)).until(() -> registrations.size() == 2);
        assertThat(plugin.isRegistered()).isTrue();
    }

    @Test
    void knowsOnlyItsOwnDevices() {
        assertThatThrownBy(() -> plugin.setHealthy("eth9", false))
                .hasMessage("no such device: resource=example.com/nic id=eth9; expected one of [eth0, eth1, eth2]; "
                        + "did you mean eth0 or eth1 or eth2?");
    }
}

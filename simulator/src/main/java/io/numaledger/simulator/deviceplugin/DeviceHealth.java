package io.numaledger.simulator.deviceplugin;

import io.grpc.stub.ServerCallStreamObserver;
import io.numaledger.deviceplugin.v1beta1.Device;
import io.numaledger.deviceplugin.v1beta1.ListAndWatchResponse;
import io.numaledger.deviceplugin.v1beta1.NUMANode;
import io.numaledger.deviceplugin.v1beta1.TopologyInfo;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.simulator.hardware.DevicePluginSpec;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** Which devices are listed, and which of them are healthy; everyone who watches gets the whole list at first and after each change. */
final class DeviceHealth {

    private final DevicePluginSpec spec;
    private final Set<String> unhealthy = new HashSet<>();
    private final Set<String> gone = new HashSet<>();
    private final Set<ServerCallStreamObserver<ListAndWatchResponse>> watchers = new HashSet<>();
    private long unwatchedSince = System.nanoTime();

    DeviceHealth(DevicePluginSpec spec) {
        this.spec = spec;
    }

    synchronized void watch(ServerCallStreamObserver<ListAndWatchResponse> watcher) {
        watcher.setOnCancelHandler(() -> forget(watcher));
        watchers.add(watcher);
        watcher.onNext(list());
    }

    private synchronized void forget(ServerCallStreamObserver<ListAndWatchResponse> watcher) {
        if (watchers.remove(watcher) && watchers.isEmpty()) {
            unwatchedSince = System.nanoTime();
        }
    }

    /** Those who watched until now are not waited for. */
    synchronized void startAnew() {
        watchers.clear();
        unwatchedSince = System.nanoTime();
    }

    /** Whether nobody has watched for so long. */
    synchronized boolean isUnwatchedFor(Duration time) {
        return watchers.isEmpty() && System.nanoTime() - unwatchedSince > time.toNanos();
    }

    synchronized void repair(String id) {
        boolean changed = unhealthy.remove(id);
        if (gone.remove(id) || changed) {
            tellAll();
        }
    }

    synchronized void fail(String id) {
        boolean changed = unhealthy.add(id);
        if (gone.remove(id) || changed) {
            tellAll();
        }
    }

    synchronized void remove(String id) {
        boolean changed = unhealthy.add(id);
        if (gone.add(id) || changed) {
            tellAll();
        }
    }

    private void tellAll() {
        ListAndWatchResponse list = list();
        watchers.stream().filter(watcher -> !watcher.isCancelled()).forEach(watcher -> watcher.onNext(list));
    }

    synchronized int healthy() {
        return spec.devices().size() - unhealthy.size();
    }

    private ListAndWatchResponse list() {
        ListAndWatchResponse.Builder list = ListAndWatchResponse.newBuilder();
        spec.devices().stream()
                .filter(device -> !gone.contains(device.deviceId()))
                .forEach(device -> list.addDevices(message(device)));
        return list.build();
    }

    private Device message(DeviceAllocation device) {
        Device.Builder message = Device.newBuilder()
                .setID(device.deviceId())
                .setHealth(unhealthy.contains(device.deviceId()) ? "Unhealthy" : "Healthy");
        if (!device.numaNodes().isEmpty()) {
            TopologyInfo.Builder topology = TopologyInfo.newBuilder();
            device.numaNodes()
                    .forEach(node -> topology.addNodes(NUMANode.newBuilder().setID(node)));
            message.setTopology(topology);
        }
        return message.build();
    }
}

package io.numaledger.simulator.deviceplugin;

import io.grpc.StatusRuntimeException;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.numaledger.podresources.server.UnixSocketServer;
import io.numaledger.simulator.hardware.DevicePluginSpec;
import io.numaledger.text.NearNames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * One device plugin in a kubelet's {@code device-plugins} directory. A kubelet that starts empties that directory and knows
 * no plugin, so the plugin looks at it all the time: whenever the kubelet's socket is a new one, its own is gone, or the
 * kubelet does not watch its devices, it listens and registers anew. The last happens to a plugin that takes the place of
 * another within milliseconds: while the kubelet ends the connection to the old one, it may end the new one's
 * (pkg/kubelet/cm/devicemanager/plugin/v1beta1/server.go, runClient).
 */
public final class DevicePlugin implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DevicePlugin.class);

    private static final long POLL_INTERVAL_MS = 100;

    /** A kubelet watches a plugin as soon as it is registered. */
    private static final Duration UNWATCHED = Duration.ofSeconds(5);

    private final DevicePluginSpec spec;
    private final Path kubeletSocket;
    private final Path ownSocket;
    private final DeviceHealth health;
    private final ScheduledExecutorService poller;

    private Optional<UnixSocketServer> server = Optional.empty();
    private volatile Optional<String> registeredWith = Optional.empty();

    private DevicePlugin(DevicePluginSpec spec, Path pluginsDirectory) {
        this.spec = spec;
        this.kubeletSocket = pluginsDirectory.resolve("kubelet.sock");
        this.ownSocket = pluginsDirectory.resolve(spec.resource().replace('/', '_') + ".sock");
        this.health = new DeviceHealth(spec);
        this.poller = Executors.newSingleThreadScheduledExecutor(
                new DefaultThreadFactory("device-plugin " + spec.resource(), true));
    }

    /** Starts to poll for the kubelet; the directory and the kubelet may come later. */
    @SuppressWarnings("FutureReturnValueIgnored") // looking catches all that it throws
    public static DevicePlugin start(DevicePluginSpec spec, Path pluginsDirectory) {
        DevicePlugin plugin = new DevicePlugin(spec, pluginsDirectory);
        plugin.poller.scheduleWithFixedDelay(plugin::poll, 0, POLL_INTERVAL_MS, TimeUnit.MILLISECONDS);
        return plugin;
    }

    public DevicePluginSpec spec() {
        return spec;
    }

    /**
     * Tells the kubelet that a device has become healthy or unhealthy, now and after each restart.
     *
     * @throws IllegalArgumentException when the plugin has no such device
     */
    public void setHealthy(String deviceId, boolean healthy) {
        requireKnown(deviceId);
        if (healthy) {
            health.repair(deviceId);
        } else {
            health.fail(deviceId);
        }
    }

    /**
     * Lists a device no more, until it is healthy again.
     *
     * @throws IllegalArgumentException when the plugin has no such device
     */
    public void remove(String deviceId) {
        requireKnown(deviceId);
        health.remove(deviceId);
    }

    private void requireKnown(String deviceId) {
        List<String> ids =
                spec.devices().stream().map(device -> device.deviceId()).toList();
        if (!ids.contains(deviceId)) {
            throw new IllegalArgumentException("no such device: resource=%s id=%s; expected one of %s%s"
                    .formatted(spec.resource(), deviceId, ids, NearNames.hint(deviceId, ids)));
        }
    }

    /** The number of healthy devices. */
    public int healthy() {
        return health.healthy();
    }

    /** Whether the kubelet that runs now knows this plugin. */
    public boolean isRegistered() {
        Optional<String> kubelet = identity(kubeletSocket);
        return kubelet.isPresent()
                && kubelet.equals(registeredWith)
                && Files.exists(ownSocket)
                && !health.isUnwatchedFor(UNWATCHED);
    }

    private void poll() {
        try {
            Optional<String> kubelet = identity(kubeletSocket);
            if (kubelet.isPresent() && !isRegistered()) {
                listenAndRegister(kubelet.get());
            }
        } catch (StatusRuntimeException | UncheckedIOException kubeletNotReady) {
            log.debug("event=deviceplugin.not_registered resource={}", spec.resource(), kubeletNotReady);
        } catch (RuntimeException unexpected) {
            log.warn("event=deviceplugin.failed resource={}", spec.resource(), unexpected);
        }
    }

    private void listenAndRegister(String kubelet) {
        stopListening();
        health.startAnew();
        server = Optional.of(UnixSocketServer.start(ownSocket, List.of(new DevicePluginService(spec, health))));
        KubeletRegistration.register(kubeletSocket, ownSocket, spec);
        registeredWith = Optional.of(kubelet);
    }

    /** Tells one socket from the next at the same path; the inode alone may be the same one again. */
    private static Optional<String> identity(Path socket) {
        try {
            return Optional.of(Files.readAttributes(socket, "unix:ino,ctime").toString());
        } catch (IOException missing) {
            return Optional.empty();
        }
    }

    private void stopListening() {
        server.ifPresent(UnixSocketServer::close);
        server = Optional.empty();
        registeredWith = Optional.empty();
    }

    /** Leaves the kubelet, which then counts all devices as unhealthy. */
    @Override
    public void close() {
        poller.shutdownNow();
        try {
            if (!poller.awaitTermination(10, TimeUnit.SECONDS)) {
                log.warn("event=deviceplugin.still_registering resource={}", spec.resource());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        stopListening();
    }
}

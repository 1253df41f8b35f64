package io.numaledger.simulator.dra;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.ResourceNotFoundException;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.numaledger.podresources.server.UnixSocketServer;
import io.numaledger.simulator.hardware.DraDriverSpec;
import io.numaledger.simulator.pluginregistration.v1.RegistrationStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * One DRA driver on one node. The kubelet finds its socket in {@code plugins_registry}. A kubelet deletes the node's ResourceSlices when
 * it starts, and those of a driver half a minute after the driver's socket is gone, so the driver looks all the time whether its own are
 * there. It deletes none.
 */
public final class DraDriver implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DraDriver.class);

    private static final long POLL_INTERVAL_MS = 500;

    private final DraDriverSpec spec;
    private final Path kubeletRoot;
    private final DriverObjects objects;
    private final DraPluginService service;
    private final ScheduledExecutorService poller;

    private List<UnixSocketServer> servers = List.of();
    private volatile boolean running;
    private volatile boolean registered;
    private volatile boolean published;
    private volatile String problem = "";

    private DraDriver(DraDriverSpec spec, String node, Path kubeletRoot, KubernetesClient client) {
        this.spec = spec;
        this.kubeletRoot = kubeletRoot;
        this.objects = new DriverObjects(client, node, spec);
        this.service = new DraPluginService(client, spec.driver(), spec.prepareError());
        this.poller = Executors.newSingleThreadScheduledExecutor(
                new DefaultThreadFactory("dra-driver " + spec.driver(), true));
    }

    /**
     * Starts the driver, after its delay.
     *
     * @param kubeletRoot what the kubelet sees as {@code /var/lib/kubelet}
     */
    @SuppressWarnings("FutureReturnValueIgnored") // polling catches all that it throws
    public static DraDriver start(DraDriverSpec spec, String node, Path kubeletRoot, KubernetesClient client) {
        DraDriver driver = new DraDriver(spec, node, kubeletRoot, client);
        if (spec.startDelay().isZero()) {
            driver.start();
        } else {
            driver.poller.schedule(driver::startLate, spec.startDelay().toMillis(), TimeUnit.MILLISECONDS);
        }
        driver.poller.scheduleWithFixedDelay(driver::poll, POLL_INTERVAL_MS, POLL_INTERVAL_MS, TimeUnit.MILLISECONDS);
        return driver;
    }

    public DraDriverSpec spec() {
        return spec;
    }

    /** Listens, so that the kubelet registers the driver. Does nothing while it runs. */
    public synchronized void start() {
        if (running) {
            return;
        }
        String endpoint = "plugins/%s/dra.sock".formatted(spec.driver());
        UnixSocketServer plugin = UnixSocketServer.start(kubeletRoot.resolve(endpoint), List.of(service));
        try {
            servers = List.of(
                    UnixSocketServer.start(
                            kubeletRoot.resolve("plugins_registry/%s-reg.sock".formatted(spec.driver())),
                            List.of(new RegistrationService(
                                    spec.driver(), "/var/lib/kubelet/" + endpoint, this::registered))),
                    plugin);
        } catch (UncheckedIOException failure) {
            plugin.close();
            throw failure;
        }
        running = true;
    }

    private void startLate() {
        try {
            start();
        } catch (UncheckedIOException failure) {
            log.warn("event=dradriver.failed driver={}", spec.driver(), failure);
        }
    }

    /** Its sockets vanish, and its ResourceSlices stay until the kubelet deletes them. */
    public synchronized void stop() {
        running = false;
        forgetRegistration();
        servers.forEach(UnixSocketServer::close);
        servers = List.of();
    }

    /** The kubelet has ended, and registers the driver anew when it starts again. */
    public void forgetRegistration() {
        registered = false;
        published = false;
        problem = "the kubelet has not registered it";
    }

    private void registered(RegistrationStatus status) {
        registered = status.getPluginRegistered();
        problem = status.getError();
    }

    /** Why the driver has published nothing yet; absent: it has, or does not run. */
    public Optional<String> obstacle() {
        return !running || published
                ? Optional.empty()
                : Optional.of("driver=%s: %s".formatted(spec.driver(), problem));
    }

    private void poll() {
        if (!registered) {
            return;
        }
        try {
            objects.publish();
            published = registered;
        } catch (KubernetesClientException | ResourceNotFoundException refused) {
            problem = String.valueOf(refused.getMessage());
            published = false;
        } catch (RuntimeException unexpected) {
            log.warn("event=dradriver.failed driver={}", spec.driver(), unexpected);
        }
    }

    /** Leaves the kubelet. */
    @Override
    public void close() {
        poller.shutdownNow();
        stop();
    }
}

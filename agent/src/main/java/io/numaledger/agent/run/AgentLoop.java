package io.numaledger.agent.run;

import io.numaledger.agent.api.NodeAllocatable;
import io.numaledger.agent.api.Pods;
import io.numaledger.agent.api.Topologies;
import io.numaledger.podresources.PodResourcesException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Decides when to reconcile. With the right to watch pods, a reconciliation follows each relevant change in the API server, each end of the kubelet's
 * connection, each change of what the kubelet may give out, and otherwise once in a resync period. Without that right the kubelet
 * is polled, and pods are read from the API server only if its answer changed or the drift interval has passed.
 */
public final class AgentLoop {

    private static final Logger log = LoggerFactory.getLogger(AgentLoop.class);

    /** Changes arrive in bursts: one reconciliation handles them all. */
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

    private static final Duration MAX_BACK_OFF = Duration.ofSeconds(5);

    /**
     * The intervals of the loop.
     *
     * @param resync at least this often, with everything read again
     * @param poll how often to ask the kubelet without the right to watch
     * @param drift how often to ask the API server without the right to watch; zero or less: never
     */
    public record Periods(Duration resync, Duration poll, Duration drift) {}

    /** What is followed on the API server. */
    public record Watches(Pods pods, Topologies topologies, NodeAllocatable allocatable) {

        private void start() {
            pods.startWatching();
            topologies.startWatching();
            allocatable.startWatching();
        }

        private void keepAlive() {
            pods.keepAlive();
            topologies.keepAlive();
            allocatable.keepAlive();
        }
    }

    private final NodeAgent agent;
    private final Watches watches;
    private final Pods pods;
    private final Signal signal;
    private final DevicePolls devices;
    private final Periods periods;
    private final InstantSource clock;
    private final Backoff backoff = new Backoff(Duration.ofMillis(250), MAX_BACK_OFF);
    private Instant nextResync = Instant.EPOCH;
    private Optional<Instant> reconcileAt = Optional.empty();
    private boolean succeeding = true;

    public AgentLoop(
            NodeAgent agent,
            Watches watches,
            Signal signal,
            DevicePolls devices,
            Periods periods,
            InstantSource clock) {
        this.agent = agent;
        this.watches = watches;
        this.pods = watches.pods();
        this.signal = signal;
        this.devices = devices;
        this.periods = periods;
        this.clock = clock;
    }

    /** Runs until its thread is interrupted. */
    public void run() throws InterruptedException {
        watches.start();
        while (!pods.known() && !pods.watchRefused()) {
            signal.await(periods.resync());
        }
        while (!pods.watchRefused()) {
            iterate();
        }
        log.warn(
                "event=watch.forbidden effect='polling the kubelet every {} ms' advice='grant watch on pods'",
                periods.poll().toMillis());
        new PollingLoop(agent, pods, signal, periods, clock).run();
    }

    private void iterate() throws InterruptedException {
        Instant now = clock.instant();
        if (!now.isBefore(nextResync)) {
            agent.refresh();
            nextResync = now.plus(periods.resync());
            devices.asked();
        }
        NodeAgent.Reconciliation result = agent.reconcile();
        reconcileAt = result.notBefore();
        boolean succeeds = result.errors().isEmpty();
        if (succeeds && (result.settled() || !succeeding)) {
            backoff.succeeded();
        }
        succeeding = succeeds;
        if (!succeeds || !result.settled()) {
            Instant retry = clock.instant().plus(backoff.failed());
            reconcileAt = Optional.of(reconcileAt.filter(retry::isAfter).orElse(retry));
        }
        if (result.kubeletBusy()) {
            spareKubelet(reconcileAt.get());
        } else {
            awaitCause();
        }
    }

    /** Later events trigger the next reconciliation. */
    private void spareKubelet(Instant until) throws InterruptedException {
        for (Instant now = clock.instant(); now.isBefore(until); now = clock.instant()) {
            signal.await(Duration.between(now, until));
        }
    }

    private void awaitCause() throws InterruptedException {
        Thread.sleep(BETWEEN_LOOKS.toMillis());
        while (true) {
            Instant now = clock.instant();
            Instant due = reconcileAt.filter(nextResync::isAfter).orElse(nextResync);
            if (!now.isBefore(due)) {
                return;
            }
            if (!now.isBefore(devices.next())) {
                devices.asked();
                watches.keepAlive();
                if (devicesChanged()) {
                    agent.refresh();
                    return;
                }
            }
            Instant nextDevices = devices.next();
            Instant until = due.isBefore(nextDevices) ? due : nextDevices;
            if (signal.await(Duration.between(now, until))) {
                return;
            }
        }
    }

    /** The next reconciliation reports a failure, not at once if the kubelet is busy. */
    private boolean devicesChanged() throws InterruptedException {
        try {
            return agent.allocatableChanged();
        } catch (PodResourcesException e) {
            if (NodeAgent.isBusy(e)) {
                spareKubelet(clock.instant().plus(backoff.failed()));
            }
            return true;
        } catch (RuntimeException | Error e) {
            return true;
        }
    }

    /** One reconciliation for {@code agent once}. */
    public static NodeAgent.Reconciliation once(NodeAgent agent, Pods pods) throws IOException {
        pods.refresh();
        return agent.reconcile();
    }
}

package io.numaledger.bridge.replica;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElector;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Leader election among the replicas, by a Lease. The leader alone binds pods, because reservations are in its memory. A new leader binds
 * nothing before it has seen all pods that the one before it has bound.
 */
public final class Leadership implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Leadership.class);

    /** A leader that cannot renew its Lease stops early enough for its last bind to end before another replica leads. */
    private static final Duration LEASE = Duration.ofSeconds(15);

    private static final Duration RENEW_DEADLINE = Duration.ofSeconds(8);
    /** The elector adds up to 120 % at random. */
    private static final Duration RETRY = Duration.ofMillis(600);

    private static final Duration LAST_BINDS = Duration.ofSeconds(5);

    /** Waits until this replica knows what the leader before it has done. */
    @FunctionalInterface
    public interface CatchUp {
        void await() throws IOException, InterruptedException;
    }

    private final KubernetesClient client;
    private final String lease;
    private final String identity;
    private final CatchUp catchUp;
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2, task -> {
        Thread thread = new Thread(task, "bridge-leader");
        thread.setDaemon(true);
        return thread;
    });

    /** Held for reading while a pod is bound, and for writing to end that. */
    private final ReadWriteLock binding = new ReentrantReadWriteLock();

    private volatile boolean leads;
    private volatile boolean closed;
    private volatile Optional<String> leader = Optional.empty();
    private volatile Optional<CompletableFuture<?>> contest = Optional.empty();

    /**
     * Does not contend yet.
     *
     * @param client its namespace is the one of the Lease
     * @param address of this replica, HOST:PORT
     */
    public Leadership(KubernetesClient client, String lease, String name, String address, CatchUp catchUp) {
        this.client = client;
        this.lease = lease;
        this.identity = name + "_" + address;
        this.catchUp = catchUp;
    }

    /** Contends for the Lease until {@link #close}. */
    public void start() {
        LeaderElectionConfig config = new LeaderElectionConfigBuilder()
                .withName(lease)
                .withLock(new LeaseLock(client.getNamespace(), lease, identity))
                .withLeaseDuration(LEASE)
                .withRenewDeadline(RENEW_DEADLINE)
                .withRetryPeriod(RETRY)
                .withReleaseOnCancel(true)
                .withLeaderCallbacks(new LeaderCallbacks(
                        () -> threads.execute(this::takeOver),
                        () -> {
                            leads = false;
                            log.info("event=leader.lost lease={}", lease);
                        },
                        holder -> leader = Optional.ofNullable(holder).filter(any -> !any.isEmpty())))
                .build();
        CompletableFuture<?> running = new LeaderElector(client, config, threads).start();
        contest = Optional.of(running);
        var unused = running.whenComplete((ended, failure) -> contendAgain());
    }

    private void contendAgain() {
        leads = false;
        if (!closed) {
            var unused = threads.schedule(this::start, RETRY.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void takeOver() {
        try {
            catchUp.await();
            leads = !closed && leader.equals(Optional.of(identity));
            log.info("event=leader.elected lease={} identity={}", lease, identity);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException | Error e) { // else nobody would lead
            log.warn("event=leader.delayed error=\"{}\"", e.getMessage());
            if (!closed) {
                var unused = threads.schedule(this::takeOver, RETRY.toMillis(), TimeUnit.MILLISECONDS);
            }
        }
    }

    /** Something that only the leader does. */
    @FunctionalInterface
    public interface Bind<T> {
        T run() throws IOException;
    }

    /** Runs it if this replica leads, and goes on leading until it has ended; absent otherwise. */
    public <T> Optional<T> ifLeading(Bind<T> bind) throws IOException {
        binding.readLock().lock();
        try {
            return leads ? Optional.of(bind.run()) : Optional.empty();
        } finally {
            binding.readLock().unlock();
        }
    }

    /** Whether this replica leads now. It may lose that at any time. */
    public boolean leads() {
        return leads;
    }

    /** The address of the leader, if it is another replica. */
    public Optional<String> leaderAddress() {
        Optional<String> now = closed ? holder() : leader;
        return now.filter(holder -> !holder.equals(identity))
                .map(holder -> holder.substring(holder.lastIndexOf('_') + 1));
    }

    /** Who has the Lease now. */
    private Optional<String> holder() {
        try {
            return Optional.ofNullable(client.leases()
                            .inNamespace(client.getNamespace())
                            .withName(lease)
                            .get())
                    .map(known -> known.getSpec().getHolderIdentity())
                    .filter(any -> !any.isEmpty());
        } catch (KubernetesClientException e) {
            return Optional.empty();
        }
    }

    /** Ends the last binds, then lets another replica lead. */
    @Override
    public void close() {
        closed = true;
        leads = false;
        try {
            if (binding.writeLock().tryLock(LAST_BINDS.toMillis(), TimeUnit.MILLISECONDS)) {
                binding.writeLock().unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        contest.ifPresent(running -> running.cancel(true));
        threads.shutdown();
        try {
            if (!threads.awaitTermination(LAST_BINDS.toMillis(), TimeUnit.MILLISECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

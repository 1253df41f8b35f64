package io.numaledger.bridge.replica;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.replica.Election.Limits;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongSupplier;

/**
 * Leader election among the replicas, by a Lease. The leader alone binds pods, because reservations are in its memory. A new leader binds
 * nothing before it has seen all pods that the one before it has bound.
 */
public final class Leadership implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Leadership.class);

    /** A leader that cannot renew its Lease stops early enough for its last bind to end before another replica leads. */
    static final Limits LIMITS = new Limits(Duration.ofSeconds(15), Duration.ofSeconds(8));

    /** Longest request of the client with which the leader writes. */
    public static final Duration WRITE_TIMEOUT = Duration.ofSeconds(6);

    private static final Duration RETRY = Duration.ofMillis(600);
    /** Replicas should not write at the same time. */
    private static final double JITTER = 1.2;

    private static final Duration LAST_BINDS = WRITE_TIMEOUT.plusSeconds(1);

    /** Waits until this replica knows what the leader before it has done. */
    @FunctionalInterface
    public interface CatchUp {
        void await() throws IOException, InterruptedException;
    }

    private final Election election;
    private final String lease;
    private final String identity;
    private final CatchUp catchUp;
    /** Renews the Lease, and never waits for anything else. */
    private final ScheduledExecutorService renewals = thread("bridge-leader");

    /** Catching up waits for the API server and the watch. */
    private final ScheduledExecutorService takeOvers = thread("bridge-take-over");

    /** Held for reading while a pod is bound, and for writing to end that. */
    private final ReadWriteLock binding = new ReentrantReadWriteLock();

    /** The term in which this replica may bind: it knows all that was bound before. */
    private final AtomicLong caughtUp = new AtomicLong();

    private volatile boolean closed;
    private Optional<Long> lastTerm = Optional.empty();
    private volatile long begunTerm;
    private boolean failing;

    /**
     * Does not contend yet.
     *
     * @param client repeats no request; its namespace is the one of the Lease
     * @param address of this replica, HOST:PORT
     */
    public Leadership(KubernetesClient client, String lease, String name, String address, CatchUp catchUp) {
        this(
                new ApiLease(client, lease, LIMITS.lease(), InstantSource.system()),
                lease,
                name + "_" + address,
                catchUp,
                System::nanoTime);
    }

    /** @param nanos a clock that does not jump */
    Leadership(ElectionLease store, String lease, String identity, CatchUp catchUp, LongSupplier nanos) {
        this.election = new Election(store, identity, LIMITS, nanos);
        this.lease = lease;
        this.identity = identity;
        this.catchUp = catchUp;
    }

    private static ScheduledExecutorService thread(String name) {
        return Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Contends for the Lease until {@link #close}. */
    public void start() {
        renewals.execute(this::contend);
    }

    private void contend() {
        try {
            election.attempt();
            if (failing) {
                failing = false;
                log.info("event=leader.lease_recovered lease={}", lease);
            }
        } catch (IOException | RuntimeException | Error e) {
            if (!failing && !closed) {
                failing = true;
                log.warn("event=leader.lease_failed lease={} error=\"{}\"", lease, e.getMessage());
            }
        } finally {
            followTerm();
            later(renewals, this::contend, (long)
                    (RETRY.toMillis() * (1 + ThreadLocalRandom.current().nextDouble(JITTER))));
        }
    }

    private void followTerm() {
        Optional<Long> term = election.term();
        if (term.isPresent() && term.get() != begunTerm) {
            long begun = term.get();
            begunTerm = begun;
            later(takeOvers, () -> takeOver(begun), 0);
        } else if (term.isPresent() && lastTerm.isEmpty()) {
            log.info("event=leader.elected lease={} identity={}", lease, identity);
        }
        if (term.isEmpty() && lastTerm.isPresent() && !closed) {
            log.info("event=leader.lost lease={}", lease);
        }
        lastTerm = term;
    }

    private void takeOver(long term) {
        try {
            catchUp.await();
            caughtUp.accumulateAndGet(term, Math::max);
            if (leads()) {
                log.info("event=leader.elected lease={} identity={}", lease, identity);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException | Error e) { // else nobody would lead
            log.warn("event=leader.delayed error=\"{}\"", e.getMessage());
            if (term == begunTerm) {
                later(takeOvers, () -> takeOver(term), RETRY.toMillis());
            }
        }
    }

    private void later(ScheduledExecutorService thread, Runnable task, long millis) {
        if (!closed) {
            var unused = thread.schedule(task, millis, TimeUnit.MILLISECONDS);
        }
    }

    /** Something that only the leader does. */
    @FunctionalInterface
    public interface Bind<T> {
        T run() throws IOException;
    }

    /**
     * Runs it if this replica leads; absent otherwise. When it is closed, no other replica leads before it has ended. It may lose the Lease
     * meanwhile: see {@link #mayWrite}.
     */
    public <T> Optional<T> ifLeading(Bind<T> bind) throws IOException {
        binding.readLock().lock();
        try {
            return leads() ? Optional.of(bind.run()) : Optional.empty();
        } finally {
            binding.readLock().unlock();
        }
    }

    /** Whether this replica leads now. It may lose that at any time, such as while its process is suspended. */
    public boolean leads() {
        return !closed && mayWrite();
    }

    /**
     * Whether a write of at most {@link #WRITE_TIMEOUT} that begins now ends before another replica leads. Ask right before each write. It
     * holds for the last binds, too, after this has begun to close.
     */
    public boolean mayWrite() {
        return election.term().filter(held -> held == caughtUp.get()).isPresent();
    }

    /** The address of the leader, if it is another replica. */
    public Optional<String> leaderAddress() {
        return (closed ? currentHolder() : election.holder())
                .filter(holder -> !holder.equals(identity))
                .map(holder -> holder.substring(holder.lastIndexOf('_') + 1));
    }

    private Optional<String> currentHolder() {
        try {
            return election.currentHolder();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Ends the last binds, then lets another replica lead. If they do not end, the Lease expires. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            boolean ended = binding.writeLock().tryLock(LAST_BINDS.toMillis(), TimeUnit.MILLISECONDS);
            renewals.shutdownNow();
            takeOvers.shutdownNow();
            if (ended) {
                binding.writeLock().unlock();
                election.release();
            }
        } catch (IOException e) {
            log.warn("event=leader.not_released lease={} error=\"{}\"", lease, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

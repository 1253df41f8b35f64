package io.numaledger.scheduling.queue;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.state.NodeNames;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Other threads use the queue while one evaluates nodes. Each evaluation of a pod reads the clock of the cluster state, which keeps the
 * evaluating thread until the others are done. The node has two zones of 4 CPUs; one is free.
 */
@Timeout(120)
class QueueLockTest {

    private static final Duration HOLD_AFTER = Duration.ofSeconds(2);
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(20);
    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";

    private final EvaluationClock clock = new EvaluationClock();
    private final TestCluster cluster = new TestCluster((pod, reservation) -> {}, clock);
    private final AtomicLong nanos = new AtomicLong();
    private final List<String> requeued = Collections.synchronizedList(new ArrayList<>());
    private final PendingPodQueue queue = new PendingPodQueue(
            cluster.state, cluster.evaluator, HOLD_AFTER, nanos::get, (pod, node) -> requeued.add(pod.name()));
    private final PodFacts old = ClusterYaml.pending("old", CPUS_4);
    private final PodFacts young = ClusterYaml.pending("young", "cpu: \"2\", memory: 1Gi");
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** Stops a thread when it evaluates. */
    private static final class EvaluationClock implements InstantSource {

        private final AtomicReference<Optional<Thread>> stopping = new AtomicReference<>(Optional.empty());
        private final CountDownLatch stopped = new CountDownLatch(1);
        private final CountDownLatch goingOn = new CountDownLatch(1);

        @Override
        public Instant instant() {
            if (stopping.get().equals(Optional.of(Thread.currentThread()))) {
                stopped.countDown();
                try {
                    goingOn.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            return Instant.EPOCH;
        }
    }

    @BeforeEach
    void anOldPodIsPendingAndFitsNow() {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.running("a", "n", CPUS_4, "1-4"),
                ClusterYaml.running("b", "n", CPUS_4, "5-8"));
        cluster.state.podChanged(old);
        cluster.state.podChanged(young);
        refuse(old);
        cluster.deletePod("b");
        nanos.addAndGet(HOLD_AFTER.toNanos());
    }

    @AfterEach
    void end() {
        clock.goingOn.countDown();
        threads.shutdownNow();
    }

    private void refuse(PodFacts pod) {
        queue.record(new FilterOutcome(
                pod,
                NodeNames.of(cluster.state.index(), List.of("n")),
                Map.of(),
                false,
                cluster.state.versions().last(),
                Optional.empty(),
                Optional.empty(),
                List.of()));
    }

    private CompletableFuture<Void> stopped(Runnable call) throws InterruptedException {
        CompletableFuture<Void> running = CompletableFuture.runAsync(
                () -> {
                    clock.stopping.set(Optional.of(Thread.currentThread()));
                    call.run();
                },
                threads);
        clock.stopped.await();
        return running;
    }

    private <T> T answered(Supplier<T> call) {
        CompletableFuture<T> answer = CompletableFuture.supplyAsync(call, threads);
        assertThat(answer).succeedsWithin(ANSWER_LIMIT);
        return answer.join();
    }

    private Map<String, PendingPod> reservedFor(PodFacts pod) {
        return queue.reservedForOlder(pod, List.of("n"), 1, cluster.state.budget(pod, 1));
    }

    private void assertOtherCallsAreAnswered() {
        assertThat(answered(queue::size)).isEqualTo(1);
        assertThat(answered(() -> reservedFor(young))).containsOnlyKeys("n");
        answered(() -> {
            refuse(young);
            return "recorded";
        });
        assertThat(answered(queue::waiting)).containsExactly(old);
        assertThat(answered(() -> queue.isToBeNominated(young))).isFalse();
        answered(() -> {
            queue.remove(young);
            return "removed";
        });
    }

    @Test
    void answersOtherPodsWhilePendingPodsAreChecked() throws InterruptedException {
        CompletableFuture<Void> check = stopped(queue::checkPending);

        assertOtherCallsAreAnswered();

        clock.goingOn.countDown();
        assertThat(check).succeedsWithin(ANSWER_LIMIT);
    }

    @Test
    void answersOtherPodsWhileAFilterCallEvaluatesOlderOnes() throws InterruptedException {
        CompletableFuture<Void> call = stopped(() -> reservedFor(young));

        assertOtherCallsAreAnswered();

        clock.goingOn.countDown();
        assertThat(call).succeedsWithin(ANSWER_LIMIT);
    }

    /** Events are made of the refusal, which takes longer than a call. */
    @Test
    void answersOtherPodsWhileARefusalIsReported() throws InterruptedException {
        PodFacts late = ClusterYaml.pending("late", CPUS_4);
        queue.whenShown(late, clock::instant);
        cluster.state.podChanged(late);
        CompletableFuture<Void> check = stopped(queue::checkPending);

        assertOtherCallsAreAnswered();

        clock.goingOn.countDown();
        assertThat(check).succeedsWithin(ANSWER_LIMIT);
    }

    /** The queue ends nominations under its lock. */
    @Test
    void endsANominationWhileABindHoldsTheLockOfTheNode() {
        cluster.state.nominated().nominate(old, "n");
        long version = cluster.state.versions().last();

        synchronized (cluster.state.index().node(0)) {
            answered(() -> {
                cluster.state.endNomination(old, "n");
                return "ended";
            });
        }

        assertThat(cluster.state.reserved().isEmpty()).isTrue();
        assertThat(cluster.state.versions().last()).isGreaterThan(version);
    }

    /** A scrape of metrics reads both. */
    @Test
    void countsPodsWhileABindHoldsTheLockOfTheNode() {
        synchronized (cluster.state.index().node(0)) {
            assertThat(answered(queue::size)).isEqualTo(1);
            assertThat(answered(cluster.state::reservations)).isZero();
        }
    }

    /** A pod that could run for so long is requeued, unless it has been tried or bound since the check began. */
    private void checkWhile(Runnable change) throws InterruptedException {
        queue.checkPending();
        nanos.addAndGet(PendingPodQueue.REQUEUE_AFTER.toNanos());
        CompletableFuture<Void> check = stopped(queue::checkPending);
        answered(() -> {
            change.run();
            return "changed";
        });
        clock.goingOn.countDown();
        assertThat(check).succeedsWithin(ANSWER_LIMIT);
    }

    @Test
    void requeuesAPodThatCouldRunThroughoutTheCheck() throws InterruptedException {
        checkWhile(() -> refuse(young));

        assertThat(requeued).containsExactly("old");
        assertThat(cluster.state.reserved().isEmpty()).isFalse();
    }

    @Test
    void leavesAPodAloneThatIsTriedDuringTheCheck() throws InterruptedException {
        checkWhile(() -> refuse(old));

        assertThat(requeued).isEmpty();
        assertThat(cluster.state.reserved().isEmpty()).isTrue();
    }

    @Test
    void leavesAPodAloneThatIsBoundDuringTheCheck() throws InterruptedException {
        checkWhile(() -> queue.remove(old));

        assertThat(requeued).isEmpty();
        assertThat(cluster.state.reserved().isEmpty()).isTrue();
    }

    @Test
    void leavesAPodAloneThatLeavesTheQueueAndComesBackDuringTheCheck() throws InterruptedException {
        checkWhile(() -> {
            queue.remove(old);
            refuse(old);
        });

        assertThat(requeued).isEmpty();
    }
}

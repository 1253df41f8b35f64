package io.numaledger.bridge.replica;

import io.numaledger.bridge.replica.Election.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ElectionTest {

    private static final Limits LIMITS = Leadership.LIMITS;
    private static final long WRITE = Leadership.WRITE_TIMEOUT.toNanos();

    private final LeaseInMemory lease = new LeaseInMemory();
    private long now;

    private Election replica(String identity) {
        return new Election(lease, identity, LIMITS, () -> now);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void takesALeaseThatIsMissing() throws IOException {
        Election a = replica("a");
        a.attempt();
        assertThat(a.term()).contains(1L);
        assertThat(a.holder()).contains("a");
    }

    @Test
    void takesALeaseThatDidNotChangeForItsDuration() throws IOException {
        replica("a").attempt();
        Election b = replica("b");
        b.attempt();
        pass(LIMITS.lease().minusNanos(1));
        b.attempt();
        assertThat(b.term()).isEmpty();
        pass(Duration.ofNanos(1));
        b.attempt();
        assertThat(b.term()).contains(1L);
    }

    @Test
    void doesNotTakeALeaseThatChanges() throws IOException {
        Election a = replica("a");
        Election b = replica("b");
        for (int i = 0; i < 10; i++) {
            a.attempt();
            b.attempt();
            pass(LIMITS.lease().minusNanos(1));
        }
        assertThat(b.term()).isEmpty();
        assertThat(b.holder()).contains("a");
    }

    @Test
    void leadsNoLongerAfterTheRenewalIsDue() throws IOException {
        Election a = replica("a");
        a.attempt();
        pass(LIMITS.renewal().minusNanos(1));
        assertThat(a.term()).isPresent();
        pass(Duration.ofNanos(1));
        assertThat(a.term()).isEmpty();
    }

    @Test
    void goesOnInItsTermIfNobodyTookTheLeaseMeanwhile() throws IOException {
        Election a = replica("a");
        a.attempt();
        pass(Duration.ofHours(1));
        a.attempt();
        assertThat(a.term()).contains(1L);
    }

    @Test
    void beginsAnotherTermAfterAnotherLeader() throws IOException {
        Election a = replica("a");
        Election b = replica("b");
        a.attempt();
        b.attempt();
        pass(LIMITS.lease());
        b.attempt();
        a.attempt();
        assertThat(a.term()).isEmpty();
        b.release();
        a.attempt();
        assertThat(a.term()).contains(2L);
    }

    @Test
    void aReplicaThatWasSuspendedDoesNotLead() throws IOException {
        Election suspended = replica("a");
        Election b = replica("b");
        suspended.attempt();
        b.attempt();
        pass(LIMITS.lease());
        b.attempt();
        assertThat(suspended.term()).isEmpty();
        suspended.attempt();
        assertThat(suspended.term()).isEmpty();
        assertThat(suspended.holder()).contains("b");
    }

    @Test
    void aDeletedLeaseIsHeldUntilItWouldHaveExpired() throws IOException {
        Election a = replica("a");
        Election b = replica("b");
        a.attempt();
        b.attempt();
        lease.stored = Optional.empty();
        b.attempt();
        assertThat(b.term()).as("a does not know yet").isEmpty();
        a.attempt();
        a.attempt();
        assertThat(a.term()).contains(2L);
    }

    @Test
    void aRenewalWhoseAnswerWasLostIsNoReasonToStop() throws IOException {
        Election a = replica("a");
        a.attempt();
        lease.loseAnswers = true;
        assertThatThrownBy(a::attempt).isInstanceOf(IOException.class);
        lease.loseAnswers = false;
        a.attempt();
        a.attempt();
        assertThat(a.term()).contains(1L);
    }

    @Test
    void countsItsTermFromBeforeTheWrite() throws IOException {
        Election a = replica("a");
        lease.beforeWrite = () -> pass(LIMITS.renewal());
        a.attempt();
        assertThat(a.term()).isEmpty();
    }

    @Test
    void anApiServerThatTakesFiveSecondsACallIsNoReasonToStop() throws IOException {
        Election a = replica("a");
        lease.beforeWrite = () -> pass(Duration.ofSeconds(5));
        for (int i = 0; i < 10; i++) {
            a.attempt();
            assertThat(a.term()).contains(1L);
            pass(Duration.ofSeconds(1));
        }
    }

    @Test
    void conflictsEndATermOnlyWhenTheRenewalIsDue() throws IOException {
        Election a = replica("a");
        a.attempt();
        lease.conflicts = true;
        a.attempt();
        assertThat(a.term()).contains(1L);
        pass(LIMITS.renewal());
        a.attempt();
        assertThat(a.term()).isEmpty();
        lease.conflicts = false;
        a.attempt();
        assertThat(a.term()).contains(1L);
    }

    static LongStream seeds() {
        return LongStream.range(0, 50);
    }

    /**
     * Three replicas with clocks of their own, up to 1 % faster or slower, whose requests take up to 6 s, fail, or come through without an
     * answer; which are suspended, started again and stopped. No write of one ever meets the term of another.
     */
    @ParameterizedTest
    @MethodSource("seeds")
    void twoReplicasNeverWriteAtTheSameTime(long seed) {
        Schedule schedule = new Schedule(new Random(seed));
        schedule.run(2_000);
        assertThat(schedule.terms).as("terms").isGreaterThan(5);
        schedule.calm();
        assertThat(schedule.replicas.stream()
                        .filter(each -> each.election.term().isPresent()))
                .hasSize(1);
    }

    /** A Lease with optimistic locking. */
    private static final class LeaseInMemory implements ElectionLease {

        private Optional<Seen> stored = Optional.empty();
        private long versions;
        private boolean loseAnswers;
        private boolean conflicts;
        private Runnable beforeWrite = () -> {};

        @Override
        public Optional<Seen> read() {
            return stored;
        }

        @Override
        public Optional<Seen> write(Optional<Seen> last, String holder) throws IOException {
            beforeWrite.run();
            if (conflicts || !stored.map(Seen::version).equals(last.map(Seen::version))) {
                return Optional.empty();
            }
            stored = Optional.of(new Seen(holder, Long.toString(++versions), 0));
            if (loseAnswers) {
                throw new IOException("no answer");
            }
            return stored;
        }
    }

    /** A random order of events. Each replica does one thing at a time, and others go on while it waits for an answer. */
    private static final class Schedule {

        private final Random random;
        private final LeaseInMemory lease = new LeaseInMemory();
        private final List<Replica> replicas = new ArrayList<>();
        private long time;
        private long terms;
        private boolean faults = true;
        private Optional<Replica> lastWriter = Optional.empty();
        private long lastWriteEnds;
        private boolean releasedSince;

        Schedule(Random random) {
            this.random = random;
            for (int i = 0; i < 3; i++) {
                replicas.add(new Replica(i));
            }
        }

        void run(int events) {
            for (int i = 0; i < events; i++) {
                pass(random.nextInt(3_000), 0);
            }
        }

        /** One minute without faults. */
        void calm() {
            faults = false;
            replicas.forEach(replica -> replica.suspendedUntil = time);
            for (int i = 0; i < 120; i++) {
                pass(500, 0);
            }
        }

        /** Replicas that are not busy go on meanwhile. */
        private void pass(int millis, int depth) {
            long end = time + Duration.ofMillis(millis).toNanos();
            while (time < end) {
                time = Math.min(end, time + Duration.ofMillis(250).toNanos());
                replicas.forEach(Replica::check);
                if (depth < 3) {
                    replicas.forEach(replica -> replica.act(depth + 1));
                }
            }
        }

        private boolean chance(int percent) {
            return faults && random.nextInt(100) < percent;
        }

        private final class Replica {

            private final String name;
            private final double rate;
            private final long offset;
            private Election election;
            private boolean busy;
            private int depth;
            private long suspendedUntil;
            private long lastTerm;

            Replica(int number) {
                this.name = "replica-" + number;
                this.rate = 0.99 + random.nextDouble() * 0.02;
                this.offset = random.nextLong() >> 8;
                this.election = begin();
            }

            private Election begin() {
                return new Election(new SlowLease(this), name, LIMITS, () -> offset + (long) (time * rate));
            }

            void act(int depth) {
                if (busy || time < suspendedUntil || random.nextInt(4) != 0) {
                    return;
                }
                busy = true;
                try {
                    if (chance(1)) {
                        suspendedUntil =
                                time + Duration.ofSeconds(random.nextInt(60)).toNanos();
                    } else if (chance(1)) {
                        election.release();
                    } else if (chance(1) && lastWriteEnds < time) {
                        election = begin();
                        lastTerm = 0;
                    } else {
                        this.depth = depth;
                        election.attempt();
                    }
                } catch (IOException e) {
                    assertThat(faults).isTrue();
                } finally {
                    busy = false;
                }
            }

            /** It writes whenever it may. */
            void check() {
                Optional<Long> term = time < suspendedUntil ? Optional.empty() : election.term();
                if (term.isEmpty()) {
                    return;
                }
                if (term.get() != lastTerm) {
                    lastTerm = term.get();
                    terms++;
                }
                if (!lastWriter.equals(Optional.of(this))) {
                    assertThat(releasedSince || lastWriteEnds <= time)
                            .as("%s leads while %s writes", name, lastWriter.map(any -> any.name))
                            .isTrue();
                    lastWriter = Optional.of(this);
                }
                releasedSince = false;
                lastWriteEnds = time + WRITE;
            }
        }

        private final class SlowLease implements ElectionLease {

            private final Replica replica;

            SlowLease(Replica replica) {
                this.replica = replica;
            }

            private void delay() {
                if (chance(20)) {
                    pass(random.nextInt((int) (WRITE / 2_000_000)), replica.depth);
                }
            }

            @Override
            public Optional<Seen> read() throws IOException {
                delay();
                Optional<Seen> now = lease.read();
                delay();
                fail();
                return now;
            }

            @Override
            public Optional<Seen> write(Optional<Seen> last, String holder) throws IOException {
                delay();
                fail();
                Optional<Seen> written = lease.write(last, holder);
                if (holder.isEmpty() && written.isPresent()) {
                    releasedSince = true; // Leadership releases when the last write has ended
                }
                delay();
                fail();
                return written;
            }

            private void fail() throws IOException {
                if (chance(10)) {
                    throw new IOException("no answer");
                }
            }
        }
    }
}

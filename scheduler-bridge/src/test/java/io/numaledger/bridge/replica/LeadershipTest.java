package io.numaledger.bridge.replica;

import io.numaledger.apiservers.wait.Wait;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

class LeadershipTest {

    private final CountDownLatch answer = new CountDownLatch(1);
    private final AtomicInteger catchUps = new AtomicInteger();
    private final Lease lease = new Lease();
    private final Leadership leadership = new Leadership(lease, "l", "a", this::catchUp, System::nanoTime);

    private void catchUp() throws InterruptedException {
        catchUps.incrementAndGet();
        answer.await();
    }

    @AfterEach
    void close() {
        answer.countDown();
        leadership.close();
    }

    /** Another replica leads between two terms of this one, which catches up for neither. */
    @Test
    void renewsTheLeaseWhileCatchingUpHasNoAnswer() {
        leadership.start();
        Wait.until("the first term begins").holds(() -> catchUps.get() > 0);
        lease.take("b");
        Wait.until("the other leader is seen")
                .holds(() -> leadership.leaderAddress().isPresent());
        lease.take("");
        int before = lease.renewals();

        Wait.until("the Lease is renewed").holds(() -> lease.renewals() >= before + 5);
    }

    private static final class Lease implements ElectionLease {

        private Optional<Seen> stored = Optional.empty();
        private int versions;
        private int renewals;

        synchronized void take(String holder) {
            stored = Optional.of(new Seen(holder, Integer.toString(++versions), 0));
        }

        synchronized int renewals() {
            return renewals;
        }

        @Override
        public synchronized Optional<Seen> read() {
            return stored;
        }

        @Override
        public synchronized Optional<Seen> write(Optional<Seen> last, String holder) {
            if (!stored.equals(last)) {
                return Optional.empty();
            }
            renewals++;
            take(holder);
            return stored;
        }
    }
}

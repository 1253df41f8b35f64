package io.numaledger.scheduling.state;

import java.util.concurrent.CountDownLatch;

/**
 * Orders the writes of binds to one node: the kubelet should meet pods in the order in which they were reserved, because the
 * predicted placement of each depends on those before it.
 */
final class BindOrder {

    private CountDownLatch last = new CountDownLatch(0);

    /** One place in the order. */
    record Ticket(CountDownLatch before, CountDownLatch own) {

        /** Waits until all earlier tickets are done. */
        void await() throws InterruptedException {
            before.await();
        }

        void done() {
            own.countDown();
        }
    }

    /** The next place. */
    synchronized Ticket next() {
        Ticket ticket = new Ticket(last, new CountDownLatch(1));
        last = ticket.own();
        return ticket;
    }

    /** A place outside the order, for a pod that holds nothing. */
    static Ticket unordered() {
        return new Ticket(new CountDownLatch(0), new CountDownLatch(0));
    }
}

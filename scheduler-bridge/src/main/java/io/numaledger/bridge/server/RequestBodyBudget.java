package io.numaledger.bridge.server;

import java.util.concurrent.Semaphore;

/** The share of one connection in the bytes that all request bodies together may take. */
final class RequestBodyBudget {

    private final Semaphore longBodies;
    private final Semaphore shortBodies;
    private Semaphore bytes;
    private int arriving;
    private boolean ended;

    /**
     * One permit stands for each byte that is left.
     *
     * @param longBodies for routes with bodies as long as the server allows
     * @param shortBodies for all others: their callers keep no scheduler waiting
     */
    RequestBodyBudget(Semaphore longBodies, Semaphore shortBodies) {
        this.longBodies = longBodies;
        this.shortBodies = shortBodies;
        this.bytes = shortBodies;
    }

    /** A request begins; the one before has been answered. Call it on the connection's thread. */
    void begin(boolean isLong) {
        bytes = isLong ? longBodies : shortBodies;
    }

    /** Takes bytes for a part of a body. False if too few are left, or after {@link #end}. Call it on the connection's thread. */
    boolean take(int count) {
        boolean taken = !ended && bytes.tryAcquire(count);
        arriving += taken ? count : 0;
        return taken;
    }

    /** A body is complete: its handler gives the bytes back. Call it on the connection's thread. */
    void handOver(int count) {
        arriving -= count;
    }

    void giveBack(int count) {
        bytes.release(count);
    }

    /** The connection is closed. Parts that were read with the last one may still follow. Call it on the connection's thread. */
    void end() {
        ended = true;
        bytes.release(arriving);
        arriving = 0;
    }
}

package io.numaledger.bridge.server;

import java.util.concurrent.Semaphore;

/** The share of one connection in the bytes that all request bodies together may take. */
final class RequestBodyBudget {

    private final Semaphore bytes;
    private int arriving;
    private boolean ended;

    /** @param bytes one permit for each byte that is left */
    RequestBodyBudget(Semaphore bytes) {
        this.bytes = bytes;
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

    /** The connection is closed. WorkSplitter that were read with the last one may still follow. Call it on the connection's thread. */
    void end() {
        ended = true;
        bytes.release(arriving);
        arriving = 0;
    }
}

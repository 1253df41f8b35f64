package io.numaledger.bridge.server;

import java.util.concurrent.Semaphore;

/** What the bodies of one connection take of the bytes that all have together. */
final class BodyShare {

    private final Semaphore bytes;
    private int arriving;
    private boolean ended;

    /** @param bytes a permit for each that is left */
    BodyShare(Semaphore bytes) {
        this.bytes = bytes;
    }

    /** For a part that has come. False if not as many bytes are left, or at the end. By the connection's thread only. */
    boolean take(int count) {
        boolean taken = !ended && bytes.tryAcquire(count);
        arriving += taken ? count : 0;
        return taken;
    }

    /** A body is whole: whoever has it gives it back. By the connection's thread only. */
    void handOver(int count) {
        arriving -= count;
    }

    void giveBack(int count) {
        bytes.release(count);
    }

    /** The connection is closed; parts that came in one read with the last one may still follow. By the connection's thread only. */
    void end() {
        ended = true;
        bytes.release(arriving);
        arriving = 0;
    }
}

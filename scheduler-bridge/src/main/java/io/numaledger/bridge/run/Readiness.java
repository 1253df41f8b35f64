package io.numaledger.bridge.run;

/** What the bridge is ready for. */
final class Readiness {

    private volatile boolean ready;
    private volatile boolean leaving;

    /** The cluster is known. */
    void ready() {
        ready = true;
    }

    /** Callers should go to another replica. */
    void leave() {
        leaving = true;
    }

    /** Whether calls can be answered. */
    boolean answers() {
        return ready;
    }

    /** Whether new callers may come. */
    boolean callers() {
        return ready && !leaving;
    }
}

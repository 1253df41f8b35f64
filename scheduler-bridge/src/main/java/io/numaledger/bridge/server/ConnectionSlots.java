package io.numaledger.bridge.server;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * Limits how many connections unknown callers may have open, in all and from one address. Callers that have shown a known client
 * certificate take no slot, so that nobody else keeps them out. Thread-safe.
 */
final class ConnectionSlots {

    private final int most;
    private final int mostPerAddress;
    private final Map<InetAddress, Integer> taken = new HashMap<>();
    private int all;

    ConnectionSlots(int most, int mostPerAddress) {
        this.most = most;
        this.mostPerAddress = mostPerAddress;
    }

    /** False if no slot is free. */
    synchronized boolean take(InetAddress address) {
        if (all >= most || taken.getOrDefault(address, 0) >= mostPerAddress) {
            return false;
        }
        all++;
        taken.merge(address, 1, Integer::sum);
        return true;
    }

    synchronized void giveBack(InetAddress address) {
        all--;
        taken.computeIfPresent(address, (any, count) -> count > 1 ? count - 1 : null);
    }
}

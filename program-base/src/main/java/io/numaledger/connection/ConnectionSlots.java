package io.numaledger.connection;

import java.net.InetAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Limits how many connections callers have open, in all and from one address. A new connection beyond a limit replaces another one, so
 * that silent connections keep nobody out. A connection is replaced in this order:
 *
 * <ol>
 *   <li>never while the server works on its request
 *   <li>connections of the address that has the most; beyond the limit of an address, its own
 *   <li>the one that has been without a complete request for the longest time. Bytes of an incomplete request or TLS handshake do not
 *       make it younger: otherwise half a request would keep others out
 * </ol>
 *
 * Thread-safe.
 */
public final class ConnectionSlots {

    private final int most;
    private final int mostPerAddress;
    private final Set<Slot> taken = new HashSet<>();
    private final Map<InetAddress, Integer> perAddress = new HashMap<>();
    private long events;

    public ConnectionSlots(int most, int mostPerAddress) {
        this.most = most;
        this.mostPerAddress = mostPerAddress;
    }

    /** The slot of one connection. */
    public final class Slot {

        private final InetAddress address;
        private final Runnable close;
        private long waitsSince = events++;
        private boolean answering;

        private Slot(InetAddress address, Runnable close) {
            this.address = address;
            this.close = close;
        }

        /** The server works on a request of the connection. */
        public void answering() {
            synchronized (ConnectionSlots.this) {
                answering = true;
            }
        }

        /** The connection waits for its next request. */
        public void waiting() {
            synchronized (ConnectionSlots.this) {
                answering = false;
                waitsSince = events++;
            }
        }

        /** The connection is closed, or its caller is known and needs no slot. Later calls change nothing. */
        public void giveBack() {
            release(this);
        }

        /** False after {@link #giveBack}. */
        public boolean isTaken() {
            synchronized (ConnectionSlots.this) {
                return taken.contains(this);
            }
        }

        private int ofItsAddress() {
            return perAddress.getOrDefault(address, 0);
        }
    }

    /**
     * Takes a slot for a new connection, and closes another connection if there are too many.
     *
     * @param close closes the new connection when its slot is needed for another one
     * @return empty if the server works on requests of all others
     */
    public Optional<Slot> take(InetAddress address, Runnable close) {
        Optional<Slot> replaced;
        Slot slot;
        synchronized (this) {
            slot = new Slot(address, close);
            perAddress.merge(address, 1, Integer::sum);
            boolean tooMany = slot.ofItsAddress() > mostPerAddress || taken.size() >= most;
            replaced = tooMany ? replaceable(slot) : Optional.empty();
            taken.add(slot);
            if (tooMany) {
                release(replaced.orElse(slot));
            }
            if (tooMany && replaced.isEmpty()) {
                return Optional.empty();
            }
        }
        replaced.ifPresent(other -> other.close.run());
        return Optional.of(slot);
    }

    private Optional<Slot> replaceable(Slot added) {
        boolean onlyItsAddress = added.ofItsAddress() > mostPerAddress;
        return taken.stream()
                .filter(slot -> !slot.answering && (!onlyItsAddress || slot.address.equals(added.address)))
                .min(Comparator.comparing(Slot::ofItsAddress, Comparator.reverseOrder())
                        .thenComparing(slot -> slot.waitsSince));
    }

    private synchronized void release(Slot slot) {
        if (taken.remove(slot)) {
            perAddress.computeIfPresent(slot.address, (any, count) -> count > 1 ? count - 1 : null);
        }
    }
}

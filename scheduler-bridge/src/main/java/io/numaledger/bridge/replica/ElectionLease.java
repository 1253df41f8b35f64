package io.numaledger.bridge.replica;

import java.io.IOException;
import java.util.Optional;

/** Port: the Lease by which replicas elect a leader. */
interface ElectionLease {

    /**
     * One version of the Lease.
     *
     * @param holder empty: nobody leads
     * @param version differs after each write
     */
    record Seen(String holder, String version, int transitions) {}

    /**
     * Reads the newest version.
     *
     * @return absent if there is no Lease
     * @throws IOException if the API server gives no answer
     */
    Optional<Seen> read() throws IOException;

    /**
     * Makes an instance the holder, or notes that it still is.
     *
     * @param last the version to be replaced; absent: the Lease is created
     * @param holder empty: gives the Lease away
     * @return the new version; absent, and nothing is written, if the Lease has changed meanwhile
     * @throws IOException if it may or may not be written
     */
    Optional<Seen> write(Optional<Seen> last, String holder) throws IOException;
}

package io.numaledger.simulator.fleet;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/** The watch events of one kind of object. Each watch reads them from a resource version on. Thread-safe. */
public final class EventLog {

    /** The resource version of the objects before the first event. */
    public static final long FIRST_VERSION = 1;

    private final List<byte[]> events = new ArrayList<>();

    /** @param object the object's JSON with this resource version */
    public synchronized void add(String type, LongFunction<String> object) {
        long version = FIRST_VERSION + 1 + events.size();
        events.add("{\"type\":\"%s\",\"object\":%s}\n"
                .formatted(type, object.apply(version))
                .getBytes(StandardCharsets.UTF_8));
        notifyAll();
    }

    /** The first event after this version. Waits until there is one. */
    public synchronized byte[] after(long version) throws InterruptedException {
        while (events.size() <= version - FIRST_VERSION) {
            wait();
        }
        return events.get(Math.toIntExact(version - FIRST_VERSION));
    }
}

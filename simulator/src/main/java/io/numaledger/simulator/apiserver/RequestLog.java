package io.numaledger.simulator.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Every request that reached the server, in order of arrival, the refused ones too. */
public final class RequestLog {

    private final List<RecordedRequest> requests = new ArrayList<>();

    synchronized void add(RecordedRequest request) {
        requests.add(request);
    }

    public synchronized List<RecordedRequest> all() {
        return List.copyOf(requests);
    }

    public List<RecordedRequest> matching(Predicate<RecordedRequest> wanted) {
        return all().stream().filter(wanted).toList();
    }

    public long count(Predicate<RecordedRequest> wanted) {
        return matching(wanted).size();
    }

    /** What could have changed an object. */
    public List<RecordedRequest> writes() {
        return matching(RecordedRequest::isWrite);
    }

    public synchronized void clear() {
        requests.clear();
    }
}

package io.numaledger.apiservers.fake.request;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** All requests in order of arrival, including refused requests. */
public final class RequestLog {

    private final List<RecordedRequest> requests = new ArrayList<>();

    public synchronized void add(RecordedRequest request) {
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

    /** The requests that can change an object. */
    public List<RecordedRequest> writes() {
        return matching(RecordedRequest::isWrite);
    }

    public synchronized void clear() {
        requests.clear();
    }
}

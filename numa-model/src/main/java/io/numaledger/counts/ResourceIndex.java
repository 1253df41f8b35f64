package io.numaledger.counts;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Small numbers for resource names, shared by all nodes and pods that are to be compared. Grows only; for any thread. */
public final class ResourceIndex {

    private final Map<String, Integer> numbers = new ConcurrentHashMap<>();
    private final List<String> names = new CopyOnWriteArrayList<>();

    public int number(String resource) {
        Integer known = numbers.get(resource);
        return known != null ? known : numbers.computeIfAbsent(resource, this::next);
    }

    private synchronized int next(String resource) {
        names.add(resource);
        return names.size() - 1;
    }

    public String name(int number) {
        return names.get(number);
    }

    public int size() {
        return names.size();
    }
}

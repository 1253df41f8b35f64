package io.numaledger.fastpath;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers for resource names, shared by all nodes and pods that are compared. It only grows. Thread-safe. */
public final class ResourceIndex {

    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> names = new ArrayList<>();

    public synchronized int number(String resource) {
        Integer known = numbers.get(resource);
        if (known != null) {
            return known;
        }
        numbers.put(resource, names.size());
        names.add(resource);
        return names.size() - 1;
    }

    public synchronized String name(int number) {
        return names.get(number);
    }

    public synchronized int size() {
        return names.size();
    }
}

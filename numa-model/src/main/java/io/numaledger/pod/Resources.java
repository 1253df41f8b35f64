package io.numaledger.pod;

import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

import static io.numaledger.topology.Sorted.sorted;

/** Requests and limits by resource name. The kubelet reads CPU and memory from the requests, devices from the limits. */
public record Resources(SortedMap<String, RequestedAmount> requests, SortedMap<String, RequestedAmount> limits) {

    public static final Resources NONE = equalTo(Map.of());

    public Resources {
        boolean equal = limits.equals(requests);
        requests = sorted(requests);
        limits = equal ? requests : sorted(limits);
    }

    /** Limits equal to the requests. */
    public static Resources equalTo(Map<String, RequestedAmount> requests) {
        return new Resources(sorted(requests), sorted(requests));
    }

    Resources without(Set<String> names) {
        SortedMap<String, RequestedAmount> requested = new TreeMap<>(requests);
        SortedMap<String, RequestedAmount> limited = new TreeMap<>(limits);
        requested.keySet().removeAll(names);
        limited.keySet().removeAll(names);
        return new Resources(requested, limited);
    }

    boolean isEmpty() {
        return requests.isEmpty() && limits.isEmpty();
    }

    /** CPU and memory are requested, and their limits equal the requests (cm/qos, IsContainerEquivalentQOSGuaranteed). */
    public boolean isGuaranteedByItself() {
        return isFixed("cpu") && isFixed("memory");
    }

    private boolean isFixed(String name) {
        RequestedAmount request = requests.getOrDefault(name, RequestedAmount.ZERO);
        return !request.isZero() && request.compareTo(limits.getOrDefault(name, RequestedAmount.ZERO)) == 0;
    }
}

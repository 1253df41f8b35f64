package io.numaledger.evaluation.claim;

import io.numaledger.evaluation.facts.Toleration;
import io.numaledger.pod.RequestedAmount;

import java.util.List;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * One request of a claim.
 *
 * @param alternatives the first one that a node can meet is allocated; a request with {@code exactly} has one without a name; none: it has
 *     a form that is not known
 */
public record DeviceRequest(String name, List<Alternative> alternatives) {

    /** How many devices are allocated. */
    public enum AllocationMode {
        EXACT_COUNT,
        ALL,
        /** One of a later Kubernetes. */
        UNKNOWN
    }

    /**
     * What would meet the request.
     *
     * @param name empty for the only one
     * @param selectors expressions in CEL, each of which a device has to meet, beside those of the class
     * @param count with EXACT_COUNT
     * @param adminAccess it takes no device from others
     * @param capacity what it takes of devices that are shared, by qualified name, or by one without a domain
     */
    public record Alternative(
            String name,
            String deviceClass,
            List<String> selectors,
            AllocationMode mode,
            long count,
            boolean adminAccess,
            List<Toleration> tolerations,
            SortedMap<String, RequestedAmount> capacity) {

        public Alternative {
            selectors = List.copyOf(selectors);
            tolerations = List.copyOf(tolerations);
            capacity = sorted(capacity);
        }

        /** The devices that match, whatever the name and however many of them are wanted. */
        public Alternative unnamed() {
            return new Alternative("", deviceClass, selectors, mode, 1, adminAccess, tolerations, capacity);
        }
    }

    public DeviceRequest {
        alternatives = List.copyOf(alternatives);
    }
}

package io.numaledger.evaluation.claim;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Devices that claims and pods request by one name (DeviceClass, resource.k8s.io/v1).
 *
 * @param selectors expressions in CEL, each of which a device has to meet
 * @param extendedResource by which name pods may request them instead of a device plugin's; absent: by the implicit one only
 * @param created of several classes with one extended resource, the newest counts
 */
public record DeviceClass(
        String name, List<String> selectors, Optional<String> extendedResource, Optional<Instant> created) {

    /** Each class has an extended resource of this prefix and its name. */
    public static final String IMPLICIT = "deviceclass.resource.kubernetes.io/";

    /** kube-scheduler's order of classes with one extended resource. */
    public static final Comparator<DeviceClass> NEWEST = Comparator.comparing(
                    (DeviceClass each) -> each.created().orElse(Instant.MIN), Comparator.reverseOrder())
            .thenComparing(DeviceClass::name);

    public DeviceClass {
        selectors = List.copyOf(selectors);
    }

    /** The names by which pods may request its devices as an extended resource. */
    public List<String> extendedResources() {
        String implicit = IMPLICIT + name;
        return extendedResource.map(own -> List.of(own, implicit)).orElse(List.of(implicit));
    }
}

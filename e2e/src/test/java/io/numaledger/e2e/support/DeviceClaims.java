package io.numaledger.e2e.support;

import io.fabric8.kubernetes.api.model.resource.v1.DeviceConstraint;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceConstraintBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceSelector;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceSelectorBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplateBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The ResourceClaims in the namespace default of one cluster. */
public final class DeviceClaims {

    private final KubernetesClient client;

    public DeviceClaims(KubernetesClient client) {
        this.client = client;
    }

    /** One device of a class. The request is named after the class, up to its first dot. */
    public static DeviceRequest request(String deviceClass, String... selectors) {
        List<DeviceSelector> cel = Stream.of(selectors)
                .map(each -> new DeviceSelectorBuilder().withNewCel(each).build())
                .toList();
        return new DeviceRequestBuilder()
                .withName(deviceClass.substring(0, deviceClass.indexOf('.')))
                .withNewExactly()
                .withDeviceClassName(deviceClass)
                .withSelectors(cel)
                .endExactly()
                .build();
    }

    /** The devices of these requests are on one NUMA node. */
    public static DeviceConstraint sameNumaNode(String... requests) {
        return new DeviceConstraintBuilder()
                .withRequests(requests)
                .withMatchAttribute("resource.kubernetes.io/numaNode")
                .build();
    }

    public void create(String name, DeviceRequest... requests) {
        create(name, List.of(), requests);
    }

    public void create(String name, List<DeviceConstraint> constraints, DeviceRequest... requests) {
        client.resource(new ResourceClaimBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace("default")
                        .endMetadata()
                        .withNewSpec()
                        .withNewDevices()
                        .withRequests(requests)
                        .withConstraints(constraints)
                        .endDevices()
                        .endSpec()
                        .build())
                .create();
    }

    public void createTemplate(String name, DeviceRequest... requests) {
        client.resource(new ResourceClaimTemplateBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace("default")
                        .endMetadata()
                        .withNewSpec()
                        .withNewSpec()
                        .withNewDevices()
                        .withRequests(requests)
                        .endDevices()
                        .endSpec()
                        .endSpec()
                        .build())
                .create();
    }

    /** What a claim has; nothing: it is not allocated. */
    public List<DeviceRequestAllocationResult> devices(String claim) {
        return Optional.ofNullable(client.resources(ResourceClaim.class)
                        .inNamespace("default")
                        .withName(claim)
                        .get()
                        .getStatus())
                .map(status -> status.getAllocation())
                .map(allocation -> allocation.getDevices().getResults())
                .orElse(List.of());
    }

    public void deleteAll() {
        client.resources(ResourceClaim.class).inNamespace("default").delete();
    }
}

package io.numaledger.e2e.install;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.numaledger.simulator.workload.SimplePod;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Devices of an administrator, and pods of the namespace {@code tenant} whose claims take long to evaluate. */
final class CostlyClaims implements AutoCloseable {

    private static final int DEVICES_OF_SLICE = 120;
    private static final int DEVICES_OF_CARD = 8;

    private final KubernetesClient client;

    /**
     * Publishes devices, every second of which is on the other NUMA node.
     *
     * @param slices of each node
     * @param shared whether several claims may hold a device
     */
    CostlyClaims(KubernetesClient client, List<String> nodes, int slices, boolean shared) {
        this.client = client;
        client.resource(Serialization.unmarshal("""
                        {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "costly"},
                         "spec": {"selectors": [{"cel": {"expression": "device.driver == 'costly.example.com'"}}]}}
                        """, DeviceClass.class)).create();
        nodes.forEach(node -> IntStream.range(0, slices)
                .forEach(slice -> client.resource(
                                Serialization.unmarshal(slice(node, slice, slices, shared), ResourceSlice.class))
                        .create()));
    }

    private static String slice(String node, int index, int count, boolean shared) {
        String devices = IntStream.range(index * DEVICES_OF_SLICE, (index + 1) * DEVICES_OF_SLICE)
                .mapToObj(at -> """
                        {"name": "d-%d", "allowMultipleAllocations": %s,
                         "attributes": {"card": {"int": %d}, "resource.kubernetes.io/numaNode": {"int": %d}}}
                        """.formatted(at, shared, at / DEVICES_OF_CARD, at % 2))
                .collect(Collectors.joining(","));
        return """
                {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "costly-%1$s-%2$d"},
                 "spec": {"driver": "costly.example.com", "nodeName": "%1$s", "devices": [%4$s],
                          "pool": {"name": "costly-%1$s", "generation": 1, "resourceSliceCount": %3$d}}}
                """.formatted(node, index, count, devices);
    }

    /**
     * Creates a pod that requires alignment, and its claims.
     *
     * @param claims how many
     * @param requests of each claim
     * @param devices of each request; several are of one card
     */
    void pod(String name, int claims, int requests, int devices) {
        SimplePod pod = SimplePod.named(name)
                .scheduledBy("numaledger")
                .annotated("numaledger.io/claim-alignment", "required")
                .with("c", "cpu=1", "memory=64Mi");
        for (int at = 0; at < claims; at++) {
            String claim = name + "-" + at;
            client.resource(Serialization.unmarshal(claim(claim, requests, devices), ResourceClaim.class))
                    .create();
            pod = pod.claiming(claim);
        }
        Pod built = pod.build();
        built.getMetadata().setNamespace("tenant");
        client.resource(built).create();
    }

    private static String claim(String name, int requests, int devices) {
        String all = IntStream.range(0, requests)
                .mapToObj(at -> """
                        {"name": "r%d", "exactly": {"deviceClassName": "costly", "count": %d,
                         "selectors": [{"cel": {"expression": "device.driver.matches('^costly')"}}]}}
                        """.formatted(at, devices))
                .collect(Collectors.joining(","));
        return """
                {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "%s", "namespace": "tenant"},
                 "spec": {"devices": {"requests": [%s], "constraints": [%s]}}}
                """.formatted(name, all, devices > 1 ? "{\"matchAttribute\": \"costly.example.com/card\"}" : "");
    }

    /** Deletes what was created. */
    @Override
    public void close() {
        client.pods().inNamespace("tenant").withGracePeriod(0).delete();
        client.resources(ResourceClaim.class).inNamespace("tenant").delete();
        client.resources(ResourceSlice.class).delete();
        client.resources(DeviceClass.class).withName("costly").delete();
    }
}

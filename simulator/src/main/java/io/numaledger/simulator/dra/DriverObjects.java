package io.numaledger.simulator.dra;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.resource.v1.Device;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClassBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSliceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.simulator.hardware.DraDevice;
import io.numaledger.simulator.hardware.DraDriverSpec;

import java.net.HttpURLConnection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The objects of a DRA driver in the API server: its ResourceSlices for one node, and its DeviceClass. */
public final class DriverObjects {

    /** As many as a ResourceSlice may have. */
    static final int MAX_DEVICES = 128;

    private final KubernetesClient client;
    private final String node;
    private final DraDriverSpec spec;

    DriverObjects(KubernetesClient client, String node, DraDriverSpec spec) {
        this.client = client;
        this.node = node;
        this.spec = spec;
    }

    /** Creates the DeviceClass of a driver, unless there is one of that name. */
    public static void createDeviceClass(KubernetesClient client, DraDriverSpec spec) {
        try {
            client.resource(new DeviceClassBuilder()
                            .withNewMetadata()
                            .withName(spec.deviceClass())
                            .endMetadata()
                            .withNewSpec()
                            .withExtendedResourceName(
                                    spec.extendedResourceName().orElse(null))
                            .addNewSelector()
                            .withNewCel("device.driver == \"%s\"".formatted(spec.driver()))
                            .endSelector()
                            .endSpec()
                            .build())
                    .create();
        } catch (KubernetesClientException refused) {
            if (refused.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                throw refused;
            }
        }
    }

    /**
     * Creates the ResourceSlices that are not there.
     *
     * @throws KubernetesClientException when the API server refuses one, such as one with lists while their feature gate is off
     */
    void publish() {
        Set<String> there = client
                .resources(ResourceSlice.class)
                .withField("spec.nodeName", node)
                .withField("spec.driver", spec.driver())
                .list()
                .getItems()
                .stream()
                .map(slice -> slice.getMetadata().getName())
                .collect(Collectors.toSet());
        int count = sliceCount();
        if (there.size() >= count) {
            return;
        }
        Node owner = client.nodes().withName(node).require();
        for (int i = 0; i < count; i++) {
            if (!there.contains(sliceName(i))) {
                client.resource(slice(i, count, owner)).create();
            }
        }
    }

    private int sliceCount() {
        return Math.max(1, (spec.devices().size() + MAX_DEVICES - 1) / MAX_DEVICES);
    }

    private String sliceName(int index) {
        return "%s-%s-%d".formatted(node, spec.driver(), index);
    }

    private ResourceSlice slice(int index, int count, Node owner) {
        int from = index * MAX_DEVICES;
        List<DraDevice> devices = spec.devices()
                .subList(from, Math.min(from + MAX_DEVICES, spec.devices().size()));
        return new ResourceSliceBuilder()
                .withNewMetadata()
                .withName(sliceName(index))
                .addNewOwnerReference()
                .withApiVersion("v1")
                .withKind("Node")
                .withName(node)
                .withUid(owner.getMetadata().getUid())
                .withController(true)
                .endOwnerReference()
                .endMetadata()
                .withNewSpec()
                .withDriver(spec.driver())
                .withNodeName(node)
                .withNewPool()
                .withName(spec.pool())
                .withGeneration(1L)
                .withResourceSliceCount((long) count)
                .endPool()
                .withDevices(devices.stream().map(this::device).toList())
                .endSpec()
                .build();
    }

    private Device device(DraDevice device) {
        Map<String, Object> fields = Map.of(
                "name", device.name(),
                "attributes", device.attributes(),
                "capacity", device.capacity());
        Device message = client.getKubernetesSerialization().convertValue(fields, Device.class);
        if (device.allowMultipleAllocations()) {
            message.setAllowMultipleAllocations(true);
        }
        return message;
    }
}

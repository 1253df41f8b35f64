package io.numaledger.simulator.node;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.QosClass;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** From a Pod object to what it asks for. */
public final class PodRequests {

    private PodRequests() {}

    /** Named by the pod's UID. */
    public static PodRequest of(Pod pod) {
        List<ContainerRequest> init = new ArrayList<>();
        for (Container container : pod.getSpec().getInitContainers()) {
            init.add(
                    request(container, "Always".equals(container.getRestartPolicy()) ? Kind.SIDECAR : Kind.PLAIN_INIT));
        }
        List<ContainerRequest> apps = pod.getSpec().getContainers().stream()
                .map(container -> request(container, Kind.APP))
                .toList();
        Optional<Resources> podLevel =
                Optional.ofNullable(pod.getSpec().getResources()).map(PodRequests::resources);
        QosClass qos = pod.getStatus() != null && pod.getStatus().getQosClass() != null
                ? QosClass.parse(pod.getStatus().getQosClass())
                : QosClass.compute(
                        podLevel, Stream.concat(init.stream(), apps.stream()).toList());
        return new PodRequest(pod.getMetadata().getUid(), qos, podLevel, init, apps);
    }

    private static ContainerRequest request(Container container, Kind kind) {
        Resources resources = container.getResources() == null ? Resources.NONE : resources(container.getResources());
        return new ContainerRequest(container.getName(), kind, resources);
    }

    /** A limit without a request is the request, as the API server fills it in. */
    private static Resources resources(ResourceRequirements requirements) {
        SortedMap<String, RequestedAmount> limits = amounts(requirements.getLimits());
        SortedMap<String, RequestedAmount> requests = new TreeMap<>(limits);
        requests.putAll(amounts(requirements.getRequests()));
        return new Resources(requests, limits);
    }

    private static SortedMap<String, RequestedAmount> amounts(Map<String, Quantity> quantities) {
        SortedMap<String, RequestedAmount> amounts = new TreeMap<>();
        if (quantities != null) {
            quantities.forEach((name, quantity) -> amounts.put(name, RequestedAmount.parse(quantity.toString())));
        }
        return amounts;
    }
}

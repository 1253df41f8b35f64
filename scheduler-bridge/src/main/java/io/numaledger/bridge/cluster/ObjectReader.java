package io.numaledger.bridge.cluster;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.numaledger.annotation.Annotations;
import io.numaledger.bridge.span.SpanCeiling;
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
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** From Kubernetes objects to what matters of them. */
public final class ObjectReader {

    private static final Set<String> KEPT = Set.of(
            Annotations.OBSERVED,
            Annotations.PREDICTED,
            Annotations.PLACEMENT,
            SpanCeiling.ANNOTATION,
            SpanCeiling.RESOURCES_ANNOTATION);

    private ObjectReader() {}

    public static NodeFacts node(Node node) {
        var status = Optional.ofNullable(node.getStatus());
        return new NodeFacts(
                node.getMetadata().getName(),
                status.map(known -> known.getNodeInfo())
                        .map(info -> info.getKubeletVersion())
                        .filter(version -> !version.isEmpty()),
                extended(status.map(known -> known.getCapacity()).orElse(null)),
                extended(status.map(known -> known.getAllocatable()).orElse(null)));
    }

    private static SortedMap<String, Long> extended(Map<String, Quantity> quantities) {
        SortedMap<String, Long> amounts = new TreeMap<>();
        if (quantities != null) {
            quantities.forEach((name, quantity) -> {
                if (name.contains("/")) {
                    amounts.put(name, RequestedAmount.parse(quantity.toString()).whole());
                }
            });
        }
        return amounts;
    }

    /**
     * Also a manifest that no API server has seen: requests default to limits, and the QoS class follows from them.
     *
     * @throws IllegalArgumentException naming the quantity or the container that cannot be read
     */
    public static PodFacts pod(Pod pod) {
        ObjectMeta meta = pod.getMetadata();
        PodStatus status = pod.getStatus() == null ? new PodStatus() : pod.getStatus();
        String namespace = Optional.ofNullable(meta.getNamespace()).orElse("default");
        String name = Optional.ofNullable(meta.getName())
                .or(() -> Optional.ofNullable(meta.getGenerateName()))
                .orElse("pod");
        return new PodFacts(
                namespace,
                name,
                Optional.ofNullable(meta.getUid()).orElse(""),
                Optional.ofNullable(pod.getSpec().getNodeName()).filter(node -> !node.isEmpty()),
                Optional.ofNullable(status.getPhase()).orElse(""),
                Optional.ofNullable(status.getReason()),
                meta.getDeletionTimestamp() != null,
                Optional.ofNullable(status.getStartTime())
                        .or(() -> Optional.ofNullable(meta.getCreationTimestamp()))
                        .orElse(""),
                kept(meta.getAnnotations()),
                request(namespace + "/" + name, pod, status));
    }

    private static SortedMap<String, String> kept(Map<String, String> annotations) {
        SortedMap<String, String> kept = new TreeMap<>();
        if (annotations != null) {
            annotations.forEach((name, text) -> {
                if (KEPT.contains(name)) {
                    kept.put(name, text);
                }
            });
        }
        return kept;
    }

    private static PodRequest request(String key, Pod pod, PodStatus status) {
        Optional<Resources> podLevel =
                Optional.ofNullable(pod.getSpec().getResources()).map(ObjectReader::resources);
        List<ContainerRequest> inits = new ArrayList<>();
        for (Container container : pod.getSpec().getInitContainers()) {
            Kind kind = "Always".equals(container.getRestartPolicy()) ? Kind.SIDECAR : Kind.PLAIN_INIT;
            inits.add(new ContainerRequest(container.getName(), kind, resources(container.getResources())));
        }
        List<ContainerRequest> apps = pod.getSpec().getContainers().stream()
                .map(container ->
                        new ContainerRequest(container.getName(), Kind.APP, resources(container.getResources())))
                .toList();
        List<ContainerRequest> all = new ArrayList<>(inits);
        all.addAll(apps);
        QosClass qos = Optional.ofNullable(status.getQosClass())
                .filter(text -> !text.isEmpty())
                .map(QosClass::parse)
                .orElseGet(() -> QosClass.compute(podLevel, all));
        return new PodRequest(key, qos, podLevel, inits, apps);
    }

    private static Resources resources(ResourceRequirements requirements) {
        if (requirements == null) {
            return Resources.NONE;
        }
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

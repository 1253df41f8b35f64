package io.numaledger.bridge.cluster;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Quantity;
import io.numaledger.annotation.Annotations;
import io.numaledger.bridge.cluster.PodObject.PodContainer;
import io.numaledger.bridge.cluster.PodObject.Requirements;
import io.numaledger.bridge.cluster.PodObject.Spec;
import io.numaledger.bridge.cluster.PodObject.Status;
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

    private static final Seen<String> TEXTS = new Seen<>(text -> text);
    private static final Seen<RequestedAmount> AMOUNTS = new Seen<>(RequestedAmount::parse);

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
    public static PodFacts pod(PodObject pod) {
        ObjectMeta meta = pod.getMetadata();
        Status status = pod.getStatus();
        String namespace = TEXTS.of(Optional.ofNullable(meta.getNamespace()).orElse("default"));
        String name = Optional.ofNullable(meta.getName())
                .or(() -> Optional.ofNullable(meta.getGenerateName()))
                .orElse("pod");
        return new PodFacts(
                namespace,
                name,
                Optional.ofNullable(meta.getUid()).orElse(""),
                known(TEXTS.of(pod.getSpec().nodeName())),
                TEXTS.of(status.phase()),
                known(status.reason()),
                meta.getDeletionTimestamp() != null,
                known(status.startTime())
                        .or(() -> Optional.ofNullable(meta.getCreationTimestamp()))
                        .orElse(""),
                kept(meta.getAnnotations()),
                request(namespace + "/" + name, pod.getSpec(), status));
    }

    private static Optional<String> known(String text) {
        return Optional.of(text).filter(any -> !any.isEmpty());
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

    private static PodRequest request(String key, Spec spec, Status status) {
        Optional<Resources> podLevel = Optional.ofNullable(spec.resources()).map(ObjectReader::resources);
        List<ContainerRequest> inits = new ArrayList<>();
        for (PodContainer container : spec.initContainers()) {
            Kind kind = container.restartPolicy().equals("Always") ? Kind.SIDECAR : Kind.PLAIN_INIT;
            inits.add(request(container, kind));
        }
        List<ContainerRequest> apps = spec.containers().stream()
                .map(container -> request(container, Kind.APP))
                .toList();
        List<ContainerRequest> all = new ArrayList<>(inits);
        all.addAll(apps);
        QosClass qos = known(status.qosClass()).map(QosClass::parse).orElseGet(() -> QosClass.compute(podLevel, all));
        return new PodRequest(key, qos, podLevel, inits, apps);
    }

    private static ContainerRequest request(PodContainer container, Kind kind) {
        return new ContainerRequest(TEXTS.of(container.name()), kind, resources(container.resources()));
    }

    private static Resources resources(Requirements requirements) {
        SortedMap<String, RequestedAmount> limits = amounts(requirements.limits());
        SortedMap<String, RequestedAmount> requests = new TreeMap<>(limits);
        requests.putAll(amounts(requirements.requests()));
        return new Resources(requests, limits);
    }

    private static SortedMap<String, RequestedAmount> amounts(Map<String, String> quantities) {
        SortedMap<String, RequestedAmount> amounts = new TreeMap<>();
        quantities.forEach((name, quantity) -> amounts.put(TEXTS.of(name), AMOUNTS.of(quantity)));
        return amounts;
    }
}

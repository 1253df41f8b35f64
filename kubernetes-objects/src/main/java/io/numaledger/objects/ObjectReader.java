package io.numaledger.objects;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSpec;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Quantity;
import io.numaledger.annotation.Annotations;
import io.numaledger.evaluation.facts.NodeConstraints;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PlacementRecords;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodIdentity;
import io.numaledger.evaluation.facts.PodLifecycle;
import io.numaledger.evaluation.facts.PodLifecycle.AgentPod;
import io.numaledger.evaluation.facts.PodPhase;
import io.numaledger.evaluation.facts.PodPriority;
import io.numaledger.evaluation.facts.PodScheduling;
import io.numaledger.evaluation.facts.TopologyAnnotations;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.PciNumaNodes;
import io.numaledger.nrt.gpu.GpuTopologyText;
import io.numaledger.nrt.gpu.NodeAnnotations;
import io.numaledger.objects.PodObject.ContainerStatus;
import io.numaledger.objects.PodObject.PodContainer;
import io.numaledger.objects.PodObject.Requirements;
import io.numaledger.objects.PodObject.Spec;
import io.numaledger.objects.PodObject.Status;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.QosClass;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Reads what matters from Kubernetes objects. Equal names and quantities become one object, because the pods of a cluster repeat
 * them. Thread-safe.
 */
public final class ObjectReader {

    private static final Set<String> KEPT = Set.of(
            Annotations.MAX_NUMA_SPREAD,
            Annotations.MAX_NUMA_SPREAD_RESOURCES,
            Annotations.GPU_LINKS,
            Annotations.GPU_LINKS_MIN,
            Annotations.CLAIM_ALIGNMENT,
            PodFacts.PLANNED_NODE,
            PodFacts.MIRROR);

    /** Longer annotations are cut, which makes them invalid. None that means anything is as long: not a label, and not a list of them. */
    private static final int MAX_ANNOTATION = 4096;

    /** How many different values of each kind are kept once. */
    private static final int MAX_SHARED = 20_000;

    /** The most containers of a list that is shared: longer lists are not, because of their size. */
    private static final int MAX_SHARED_CONTAINERS = 8;

    /** Larger sets are not kept once: the owner of a pod may give it other ones all the time. */
    private static final int MAX_LABELS = 24;

    private static final int MAX_LABEL_CHARACTERS = 1024;

    private final Interner<String> texts = new Interner<>(text -> text);
    private final Interner<RequestedAmount> amounts = new Interner<>(RequestedAmount::parse);
    private final Map<SortedMap<String, String>, SortedMap<String, String>> labels = new ConcurrentHashMap<>();

    private final Map<PodScheduling, PodScheduling> schedulings = new ConcurrentHashMap<>();
    private final Map<List<ContainerRequest>, List<ContainerRequest>> containers = new ConcurrentHashMap<>();

    private final Optional<String> agentNamespace;
    private final boolean keepsConstraints;

    /** Believes the labels of agents in every namespace. */
    public ObjectReader() {
        this(Optional.empty(), false);
    }

    /** @param agentNamespace where agents run; pods elsewhere that have their labels are none */
    public ObjectReader(String agentNamespace) {
        this(Optional.of(agentNamespace), false);
    }

    private ObjectReader(Optional<String> agentNamespace, boolean keepsConstraints) {
        this.agentNamespace = agentNamespace;
        this.keepsConstraints = keepsConstraints;
    }

    /** Reads also what pods demand of their node that have one: a lot in a large cluster, where it is kept for long. */
    public static ObjectReader keepingConstraints() {
        return new ObjectReader(Optional.empty(), true);
    }

    public NodeFacts node(Node node) {
        var status = Optional.ofNullable(node.getStatus());
        Gpus gpus = Gpus.of(node.getMetadata().getAnnotations());
        return new NodeFacts(
                node.getMetadata().getName(),
                status.map(known -> known.getNodeInfo())
                        .map(info -> info.getKubeletVersion())
                        .filter(version -> !version.isEmpty()),
                extended(status.map(known -> known.getCapacity()).orElse(null)),
                extended(status.map(known -> known.getAllocatable()).orElse(null)),
                gpus.topology(),
                gpus.unusable(),
                pciNumaNodes(node.getMetadata().getAnnotations()),
                constraints(node));
    }

    private static Optional<PciNumaNodes> pciNumaNodes(@Nullable Map<String, String> annotations) {
        try {
            return Optional.ofNullable(annotations)
                    .map(all -> all.get(NodeAnnotations.PCI_NUMA_NODES))
                    .map(PciNumaNodes::parse);
        } catch (IllegalArgumentException unusable) {
            return Optional.empty();
        }
    }

    private record Gpus(Optional<GpuTopology> topology, Optional<String> unusable) {

        static Gpus of(@Nullable Map<String, String> annotations) {
            try {
                Optional<GpuTopology> topology = Optional.ofNullable(annotations)
                        .map(all -> all.get(GpuTopologyText.KEY))
                        .map(GpuTopologyText::read);
                return new Gpus(topology, Optional.empty());
            } catch (IllegalArgumentException unusable) {
                return new Gpus(Optional.empty(), Optional.of(String.valueOf(unusable.getMessage())));
            }
        }
    }

    private NodeConstraints constraints(Node node) {
        SortedMap<String, Long> allocatable = new TreeMap<>();
        Optional.ofNullable(node.getStatus())
                .map(status -> status.getAllocatable())
                .ifPresent(all -> all.forEach((name, quantity) -> {
                    RequestedAmount amount = RequestedAmount.parse(quantity.toString());
                    allocatable.put(texts.of(name), name.equals("cpu") ? amount.millis() : amount.whole());
                }));
        List<NodeConstraints.Taint> taints = new ArrayList<>();
        Optional<NodeSpec> spec = Optional.ofNullable(node.getSpec());
        spec.map(NodeSpec::getTaints).orElse(List.of()).forEach(taint -> {
            if (!"PreferNoSchedule".equals(taint.getEffect())) {
                taints.add(new NodeConstraints.Taint(
                        taint.getKey(), Optional.ofNullable(taint.getValue()).orElse(""), taint.getEffect()));
            }
        });
        SortedMap<String, String> labels = new TreeMap<>();
        Optional.ofNullable(node.getMetadata().getLabels())
                .ifPresent(all -> all.forEach((name, value) -> labels.put(texts.of(name), texts.of(value))));
        return new NodeConstraints(
                allocatable,
                spec.map(NodeSpec::getUnschedulable).orElse(false),
                ready(node),
                taints,
                labels,
                Collections.emptySortedSet());
    }

    private static Optional<Boolean> ready(Node node) {
        return Optional.ofNullable(node.getStatus()).stream()
                .flatMap(status -> status.getConditions().stream())
                .filter(condition -> "Ready".equals(condition.getType()))
                .map(condition -> "True".equals(condition.getStatus()))
                .findFirst();
    }

    private static SortedMap<String, Long> extended(@Nullable Map<String, Quantity> quantities) {
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
     * Reads a Pod, or a manifest that was never created: requests default to limits, and the QoS class is computed if it is missing.
     *
     * @throws IllegalArgumentException naming the quantity, time or container that cannot be read
     */
    public PodFacts pod(PodObject pod) {
        ObjectMeta meta = pod.getMetadata();
        PodIdentity identity = identity(pod);
        PodRequest spec = request(pod.key(), pod.getSpec(), pod.getStatus());
        ResizedRequest request = ResizedRequest.of(
                spec, reported(pod.getStatus()), pod.getStatus().isResizeInfeasible());
        return new PodFacts(
                identity,
                lifecycle(pod, identity),
                pod.getSpec().nodeName().isEmpty() || meta.getAnnotations() == null
                        ? PlacementRecords.NONE
                        : PlacementRecords.of(
                                meta.getAnnotations(),
                                identity.namespace(),
                                identity.name(),
                                request.held(),
                                texts::of),
                scheduling(pod.getSpec(), pod.getStatus()),
                GroupMembershipReader.of(identity.namespace(), meta, pod.getSpec()),
                aligned(pod, request.allocated()),
                request.nodeLevel());
    }

    /** What the kubelet takes from its zones. A pod without a node may still get an extended resource from a device plugin. */
    private static PodRequest aligned(PodObject pod, PodRequest request) {
        Set<String> draBacked =
                pod.getSpec().nodeName().isEmpty() ? Set.of() : PodClaimsReader.draBacked(pod.getStatus());
        return draBacked.isEmpty() ? request : request.without(draBacked);
    }

    private PodIdentity identity(PodObject pod) {
        ObjectMeta meta = pod.getMetadata();
        return new PodIdentity(
                texts.of(pod.namespace()),
                pod.name(),
                Optional.ofNullable(meta.getUid()),
                labels(meta.getLabels()),
                kept(meta.getAnnotations()));
    }

    private PodLifecycle lifecycle(PodObject pod, PodIdentity identity) {
        ObjectMeta meta = pod.getMetadata();
        Status status = pod.getStatus();
        return new PodLifecycle(
                known(texts.of(pod.getSpec().nodeName())),
                PodPhase.of(known(status.phase())),
                known(status.reason()),
                FailureMessage.of(status, identity.namespace(), identity.name()),
                meta.getDeletionTimestamp() != null,
                known(status.startTime())
                        .or(() -> Optional.ofNullable(meta.getCreationTimestamp()))
                        .map(ObjectReader::time),
                isAgent(meta) ? (status.isReady() ? AgentPod.READY : AgentPod.NOT_READY) : AgentPod.NONE,
                PodClaimsReader.of(pod.getSpec(), status));
    }

    private PodScheduling scheduling(Spec spec, Status status) {
        boolean pending = spec.nodeName().isEmpty();
        PodScheduling scheduling = new PodScheduling(
                priority(spec, status),
                known(texts.of(spec.schedulerName())).orElse(PodFacts.DEFAULT_SCHEDULER),
                keepsConstraints || pending ? ConstraintReader.of(spec) : ConstraintReader.ofBound(spec),
                status.attempt());
        return pending ? scheduling : shared(schedulings, scheduling);
    }

    /** The pods of a workload have one object. */
    private static <T> T shared(Map<T, T> all, T read) {
        T known = all.get(read);
        if (known == null && all.size() < MAX_SHARED) {
            all.put(read, read);
        }
        return known == null ? read : known;
    }

    private PodPriority priority(Spec spec, Status status) {
        PodPriority priority = new PodPriority(
                spec.priority() == null ? 0 : spec.priority(),
                !spec.preemptionPolicy().equals("Never"),
                known(texts.of(status.nominatedNodeName())));
        return priority.equals(PodPriority.DEFAULT) ? PodPriority.DEFAULT : priority;
    }

    /** The pods of a workload share their labels. */
    private SortedMap<String, String> labels(@Nullable Map<String, String> all) {
        if (all == null || all.isEmpty()) {
            return Collections.emptySortedMap();
        }
        SortedMap<String, String> sorted = new TreeMap<>();
        all.forEach((name, value) -> sorted.put(texts.of(name), texts.of(value)));
        SortedMap<String, String> known = labels.get(sorted);
        if (known != null) {
            return known;
        }
        SortedMap<String, String> made = Collections.unmodifiableSortedMap(sorted);
        if (labels.size() < MAX_SHARED && isSmall(made)) {
            labels.put(made, made);
        }
        return made;
    }

    private static boolean isSmall(SortedMap<String, String> labels) {
        return labels.size() <= MAX_LABELS
                && labels.entrySet().stream()
                                .mapToInt(each ->
                                        each.getKey().length() + each.getValue().length())
                                .sum()
                        <= MAX_LABEL_CHARACTERS;
    }

    /** Whether a pod is an agent, by the labels of the chart. */
    private boolean isAgent(ObjectMeta meta) {
        Map<String, String> labels = meta.getLabels();
        return labels != null
                && agentNamespace
                        .filter(namespace -> !namespace.equals(meta.getNamespace()))
                        .isEmpty()
                && "numaledger".equals(labels.get("app.kubernetes.io/name"))
                && "agent".equals(labels.get("app.kubernetes.io/component"));
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("invalid time: %s".formatted(text), e);
        }
    }

    private static Optional<String> known(String text) {
        return Optional.of(text).filter(any -> !any.isEmpty());
    }

    private static SortedMap<String, String> kept(Map<String, String> annotations) {
        SortedMap<String, String> kept = new TreeMap<>();
        if (annotations != null) {
            annotations.forEach((name, text) -> {
                if (KEPT.contains(name) || TopologyAnnotations.ALL.contains(name)) {
                    kept.put(name, text.length() > MAX_ANNOTATION ? text.substring(0, MAX_ANNOTATION) + "…" : text);
                }
            });
        }
        return kept;
    }

    private PodRequest request(String key, Spec spec, Status status) {
        Optional<Resources> podLevel = Optional.ofNullable(spec.resources()).map(this::resources);
        List<ContainerRequest> inits = requests(
                spec.initContainers(),
                container -> container.restartPolicy().equals("Always") ? Kind.SIDECAR : Kind.PLAIN_INIT);
        List<ContainerRequest> apps = requests(spec.containers(), container -> Kind.APP);
        List<ContainerRequest> all = new ArrayList<>(inits);
        all.addAll(apps);
        QosClass qos = known(status.qosClass()).map(QosClass::parse).orElseGet(() -> QosClass.compute(podLevel, all));
        return new PodRequest(
                key,
                qos,
                podLevel,
                inits,
                apps,
                amounts(Optional.ofNullable(spec.overhead()).orElse(Map.of())));
    }

    private List<ContainerRequest> requests(List<PodContainer> all, Function<PodContainer, Kind> kind) {
        List<ContainerRequest> read = List.copyOf(
                all.stream().map(each -> request(each, kind.apply(each))).toList());
        return read.size() > MAX_SHARED_CONTAINERS ? read : shared(containers, read);
    }

    private ResizedRequest.Reported reported(Status status) {
        Map<String, ReportedResources> containers = new TreeMap<>();
        for (ContainerStatus each : status.allContainerStatuses()) {
            if (each.allocatedResources() != null || each.resources() != null) {
                containers.put(each.name(), reported(each.allocatedResources(), each.resources()));
            }
        }
        return new ResizedRequest.Reported(containers, reported(status.allocatedResources(), status.resources()));
    }

    private ReportedResources reported(@Nullable Map<String, String> allocated, @Nullable Requirements actual) {
        return new ReportedResources(
                Optional.ofNullable(allocated).map(this::amounts),
                Optional.ofNullable(actual)
                        .map(known -> new Resources(amounts(known.requests()), amounts(known.limits()))));
    }

    private ContainerRequest request(PodContainer container, Kind kind) {
        return new ContainerRequest(texts.of(container.name()), kind, resources(container.resources()));
    }

    private Resources resources(Requirements requirements) {
        SortedMap<String, RequestedAmount> limits = amounts(requirements.limits());
        SortedMap<String, RequestedAmount> requests = new TreeMap<>(limits);
        requests.putAll(amounts(requirements.requests()));
        return new Resources(requests, limits);
    }

    private SortedMap<String, RequestedAmount> amounts(Map<String, String> quantities) {
        SortedMap<String, RequestedAmount> byName = new TreeMap<>();
        quantities.forEach((name, quantity) -> byName.put(texts.of(name), amounts.of(quantity)));
        return byName;
    }
}

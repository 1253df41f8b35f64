package io.numaledger.objects;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import io.numaledger.evaluation.facts.SchedulingAttempt;
import io.numaledger.evaluation.facts.SchedulingAttempt.Result;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A Pod, as far as anything here reads it: the rest of the text, most of it, is skipped. */
@JsonDeserialize(using = JsonDeserializer.None.class) // not the client's own, which makes its Pod of it
@Group("")
@Version("v1")
@Kind("Pod")
@Plural("pods")
@JsonIgnoreProperties(ignoreUnknown = true)
public final class PodObject implements HasMetadata, Namespaced {

    /**
     * The pod's specification. Absent texts are empty.
     *
     * @param resources those of the whole pod; null: it has none
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Spec(
            String nodeName,
            String schedulerName,
            @Nullable Requirements resources,
            @Nullable JsonNode nodeSelector,
            @Nullable JsonNode affinity,
            @Nullable JsonNode tolerations,
            @Nullable Integer priority,
            String preemptionPolicy,
            @Nullable JsonNode topologySpreadConstraints,
            @Nullable JsonNode resourceClaims,
            @Nullable JsonNode volumes,
            @Nullable Map<String, String> overhead,
            @Nullable Boolean hostNetwork,
            @Nullable Boolean hostUsers,
            SchedulingGroup schedulingGroup,
            List<SchedulingGate> schedulingGates,
            List<PodContainer> initContainers,
            List<PodContainer> containers) {

        static final Spec NONE = new Spec(
                "",
                "",
                null,
                null,
                null,
                null,
                null,
                "",
                null,
                null,
                null,
                null,
                null,
                null,
                SchedulingGroup.NONE,
                List.of(),
                List.of(),
                List.of());

        public Spec {
            nodeName = text(nodeName);
            schedulerName = text(schedulerName);
            preemptionPolicy = text(preemptionPolicy);
            schedulingGroup = schedulingGroup == null ? SchedulingGroup.NONE : schedulingGroup;
            schedulingGates = schedulingGates == null ? List.of() : List.copyOf(schedulingGates);
            initContainers = initContainers == null ? List.of() : List.copyOf(initContainers);
            containers = containers == null ? List.of() : List.copyOf(containers);
        }
    }

    /** The PodGroup to which it belongs; an empty name: none. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record SchedulingGroup(String podGroupName) {

        static final SchedulingGroup NONE = new SchedulingGroup("");

        public SchedulingGroup {
            podGroupName = text(podGroupName);
        }
    }

    /** Keeps schedulers from trying it. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record SchedulingGate(String name) {

        public SchedulingGate {
            name = text(name);
        }
    }

    /** One container, plain or init. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record PodContainer(
            String name,
            String restartPolicy,
            Requirements resources,
            @Nullable JsonNode ports,
            @Nullable JsonNode restartPolicyRules) {

        public PodContainer {
            restartPolicy = text(restartPolicy);
            resources = resources == null ? Requirements.NONE : resources;
        }
    }

    /** Quantities by resource name. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Requirements(Map<String, String> limits, Map<String, String> requests) {

        static final Requirements NONE = new Requirements(Map.of(), Map.of());

        public Requirements {
            limits = limits == null ? Map.of() : limits;
            requests = requests == null ? Map.of() : requests;
        }
    }

    /**
     * The pod's status. Absent texts are empty.
     *
     * @param allocatedResources those of the whole pod; null: its kubelet has not reported them
     * @param resources the same
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Status(
            String phase,
            String reason,
            String message,
            String startTime,
            String qosClass,
            String nominatedNodeName,
            @Nullable Map<String, String> allocatedResources,
            @Nullable Requirements resources,
            List<ContainerStatus> initContainerStatuses,
            List<ContainerStatus> containerStatuses,
            List<Condition> conditions,
            @Nullable JsonNode resourceClaimStatuses,
            @Nullable JsonNode extendedResourceClaimStatus) {

        static final Status NONE =
                new Status("", "", "", "", "", "", null, null, List.of(), List.of(), List.of(), null, null);

        public Status {
            phase = text(phase);
            reason = text(reason);
            message = text(message);
            startTime = text(startTime);
            qosClass = text(qosClass);
            nominatedNodeName = text(nominatedNodeName);
            initContainerStatuses = initContainerStatuses == null ? List.of() : List.copyOf(initContainerStatuses);
            containerStatuses = containerStatuses == null ? List.of() : List.copyOf(containerStatuses);
            conditions = conditions == null ? List.of() : List.copyOf(conditions);
        }

        /** The message of kube-scheduler has what this bridge, or another replica, answered. */
        SchedulingAttempt attempt() {
            return conditions.stream()
                    .filter(each -> each.type().equals("PodScheduled")
                            && each.status().equals("False")
                            && !each.reason().equals("SchedulingGated"))
                    .map(each -> new SchedulingAttempt(
                            each.message().contains(REFUSED_FOR_ZONES) ? Result.REFUSED_FOR_ZONES : Result.REFUSED,
                            each.since()))
                    .findFirst()
                    .orElse(SchedulingAttempt.NONE);
        }

        List<ContainerStatus> allContainerStatuses() {
            return Stream.concat(initContainerStatuses.stream(), containerStatuses.stream())
                    .toList();
        }

        /** The kubelet will not do a resize of the spec. */
        boolean isResizeInfeasible() {
            return conditions.stream()
                    .anyMatch(each -> each.type().equals("PodResizePending")
                            && each.reason().equals("Infeasible"));
        }

        boolean isReady() {
            return conditions.stream()
                    .anyMatch(
                            each -> each.type().equals("Ready") && each.status().equals("True"));
        }
    }

    /** What its kubelet reports of one container. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record ContainerStatus(
            String name,
            @Nullable Map<String, String> allocatedResources,
            @Nullable Requirements resources) {

        public ContainerStatus {
            name = text(name);
        }
    }

    /** One of the pod's conditions. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Condition(String type, String status, String reason, String message, String lastTransitionTime) {

        public Condition {
            type = text(type);
            status = text(status);
            reason = text(reason);
            message = text(message);
            lastTransitionTime = text(lastTransitionTime);
        }

        private Optional<Instant> since() {
            try {
                return Optional.of(Instant.parse(lastTransitionTime));
            } catch (DateTimeParseException unknown) {
                return Optional.empty();
            }
        }
    }

    /** How refusals for zones begin. */
    public static final String REFUSED_FOR_ZONES = "NUMA: ";

    private static String text(String text) {
        return text == null ? "" : text;
    }

    private String apiVersion = "v1";

    @JsonIgnoreProperties({"managedFields", "ownerReferences", "finalizers"})
    private @Nullable ObjectMeta metadata;

    private Supplier<ObjectMeta> unread = ObjectMeta::new;

    private Spec spec = Spec.NONE;
    private Status status = Status.NONE;
    private String key = "";

    /** A pod of which no more is known than {@code namespace/name}, and metadata that are made when they are read. */
    public static PodObject known(String key, Supplier<ObjectMeta> metadata) {
        PodObject pod = new PodObject();
        pod.key = key;
        pod.unread = metadata;
        return pod;
    }

    /** The namespace of a manifest's pod, the default one if it names none. */
    String namespace() {
        return Optional.ofNullable(getMetadata().getNamespace()).orElse("default");
    }

    /** The name of a manifest's pod, the beginning of one, or any. */
    String name() {
        return Optional.ofNullable(getMetadata().getName())
                .or(() -> Optional.ofNullable(getMetadata().getGenerateName()))
                .orElse("pod");
    }

    /** {@code namespace/name}, one object for all callers: each pod of a cluster has it in several maps. */
    public String key() {
        if (key.isEmpty()) {
            key = namespace() + "/" + name();
        }
        return key;
    }

    @Override
    public ObjectMeta getMetadata() {
        ObjectMeta read = metadata == null ? unread.get() : metadata;
        metadata = read;
        return read;
    }

    @Override
    public void setMetadata(ObjectMeta metadata) {
        this.metadata = metadata;
        this.key = "";
    }

    @Override
    public String getApiVersion() {
        return apiVersion;
    }

    @Override
    public void setApiVersion(String version) {
        this.apiVersion = version;
    }

    public Spec getSpec() {
        return spec;
    }

    public void setSpec(Spec spec) {
        this.spec = spec;
    }

    public Status getStatus() {
        return status;
    }

    public void setStatus(Status status) {
        this.status = status;
    }
}

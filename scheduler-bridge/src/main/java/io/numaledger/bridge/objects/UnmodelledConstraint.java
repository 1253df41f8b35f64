package io.numaledger.bridge.objects;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.bridge.objects.PodObject.PodContainer;
import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Why kube-scheduler may refuse a node for a pod, beside what is modelled here. The plugins that refuse are those of
 * {@code getDefaultPlugins}, apis/config/v1/default_plugins.go.
 */
public enum UnmodelledConstraint {
    /** InterPodAffinity. */
    POD_AFFINITY("required pod affinity"),
    /** InterPodAffinity. */
    POD_ANTI_AFFINITY("required pod anti-affinity"),
    /** PodTopologySpread. */
    TOPOLOGY_SPREAD("topology spread constraints"),
    /** VolumeBinding, VolumeZone, VolumeRestrictions, NodeVolumeLimits. */
    VOLUMES("volumes"),
    /** DynamicResources. */
    RESOURCE_CLAIMS("resource claims"),
    /** NodePorts. */
    HOST_PORTS("host ports"),
    /** NodeDeclaredFeatures. */
    NODE_FEATURES("features that nodes declare");

    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

    /** No plugin examines these volumes. */
    private static final Set<String> UNEXAMINED_VOLUMES = Set.of(
            "name",
            "emptyDir",
            "configMap",
            "secret",
            "downwardAPI",
            "projected",
            "hostPath",
            "image",
            "csi",
            "nfs",
            "gitRepo");

    private final String text;

    UnmodelledConstraint(String text) {
        this.text = text;
    }

    /** For people. */
    public static String text(Collection<UnmodelledConstraint> constraints) {
        return constraints.stream().sorted().map(each -> each.text).collect(Collectors.joining(", "));
    }

    static Set<UnmodelledConstraint> of(PodObject.Spec spec) {
        Set<UnmodelledConstraint> found = EnumSet.noneOf(UnmodelledConstraint.class);
        for (UnmodelledConstraint each : values()) {
            if (each.isSet(spec)) {
                found.add(each);
            }
        }
        return found.isEmpty() ? Set.of() : Collections.unmodifiableSet(found);
    }

    boolean isSet(PodObject.Spec spec) {
        return switch (this) {
            case POD_AFFINITY -> hasRequired(spec.affinity(), "podAffinity");
            case POD_ANTI_AFFINITY -> hasRequired(spec.affinity(), "podAntiAffinity");
            case TOPOLOGY_SPREAD ->
                each(spec.topologySpreadConstraints())
                        .anyMatch(constraint ->
                                !constraint.path("whenUnsatisfiable").asText().equals("ScheduleAnyway"));
            case VOLUMES -> each(spec.volumes()).anyMatch(UnmodelledConstraint::isExamined);
            case RESOURCE_CLAIMS -> each(spec.resourceClaims()).findAny().isPresent();
            case HOST_PORTS ->
                containers(spec)
                        .flatMap(container -> each(container.ports()))
                        .anyMatch(port -> port.path("hostPort").asInt() != 0);
            case NODE_FEATURES ->
                (Boolean.TRUE.equals(spec.hostNetwork()) && Boolean.FALSE.equals(spec.hostUsers()))
                        || containers(spec)
                                .flatMap(container -> each(container.restartPolicyRules()))
                                .anyMatch(rule -> rule.path("action").asText().equals("RestartAllContainers"));
        };
    }

    private static boolean hasRequired(@Nullable JsonNode affinity, String kind) {
        return affinity != null && !affinity.path(kind).path(REQUIRED).isEmpty();
    }

    private static boolean isExamined(JsonNode volume) {
        return volume.properties().stream().anyMatch(field -> !UNEXAMINED_VOLUMES.contains(field.getKey()));
    }

    private static Stream<PodContainer> containers(PodObject.Spec spec) {
        return Stream.concat(spec.initContainers().stream(), spec.containers().stream());
    }

    private static Stream<JsonNode> each(@Nullable JsonNode list) {
        return list == null ? Stream.empty() : StreamSupport.stream(list.spliterator(), false);
    }
}

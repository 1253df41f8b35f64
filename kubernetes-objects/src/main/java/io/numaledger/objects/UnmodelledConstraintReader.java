package io.numaledger.objects;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.evaluation.facts.UnmodelledConstraint;
import io.numaledger.objects.PodObject.PodContainer;
import org.jspecify.annotations.Nullable;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Reads from a pod's specification for which reasons that are not modelled kube-scheduler may refuse a node. */
final class UnmodelledConstraintReader {

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

    private UnmodelledConstraintReader() {}

    static Set<UnmodelledConstraint> of(PodObject.Spec spec) {
        Set<UnmodelledConstraint> found = EnumSet.noneOf(UnmodelledConstraint.class);
        for (UnmodelledConstraint each : UnmodelledConstraint.values()) {
            if (isSet(each, spec)) {
                found.add(each);
            }
        }
        return found.isEmpty() ? Set.of() : Collections.unmodifiableSet(found);
    }

    private static boolean isSet(UnmodelledConstraint kind, PodObject.Spec spec) {
        return switch (kind) {
            case POD_AFFINITY -> hasRequired(spec.affinity(), "podAffinity");
            case POD_ANTI_AFFINITY -> hasRequired(spec.affinity(), "podAntiAffinity");
            case TOPOLOGY_SPREAD ->
                each(spec.topologySpreadConstraints())
                        .anyMatch(constraint ->
                                !constraint.path("whenUnsatisfiable").asText().equals("ScheduleAnyway"));
            case VOLUMES -> each(spec.volumes()).anyMatch(UnmodelledConstraintReader::isExamined);
            case RESOURCE_CLAIMS -> each(spec.resourceClaims()).findAny().isPresent();
            case HOST_PORTS ->
                containers(spec)
                                .flatMap(container -> each(container.ports()))
                                .filter(port -> port.path("hostPort").asInt() != 0)
                                .limit(ConstraintReader.MAX_HOST_PORTS + 1L)
                                .count()
                        > ConstraintReader.MAX_HOST_PORTS;
            case NODE_FEATURES ->
                (Boolean.TRUE.equals(spec.hostNetwork()) && Boolean.FALSE.equals(spec.hostUsers()))
                        || containers(spec)
                                .flatMap(container -> each(container.restartPolicyRules()))
                                .anyMatch(rule -> rule.path("action").asText().equals("RestartAllContainers"));
        };
    }

    private static boolean hasRequired(@Nullable JsonNode affinity, String kind) {
        return affinity != null
                && !affinity.path(kind).path(ConstraintReader.REQUIRED).isEmpty();
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

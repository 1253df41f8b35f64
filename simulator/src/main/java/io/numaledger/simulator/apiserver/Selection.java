package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.simulator.apiserver.selection.FieldSelector;
import io.numaledger.simulator.apiserver.selection.LabelSelector;
import io.numaledger.simulator.apiserver.selection.SelectorSyntaxException;

import java.util.Set;
import java.util.TreeSet;

/** Which objects of a type a list, a watch or a deletecollection is about. */
record Selection(String namespace, LabelSelector labels, FieldSelector fields) {

    static Selection of(Target target, RecordedRequest request) {
        try {
            return new Selection(
                    target.namespace(),
                    LabelSelector.parse(request.parameter("labelSelector").orElse("")),
                    FieldSelector.parse(
                            request.parameter("fieldSelector").orElse(""), selectableFields(target.type())));
        } catch (SelectorSyntaxException e) {
            throw ApiError.badRequest(e.getMessage());
        }
    }

    boolean matches(ObjectNode object) {
        return (namespace.isEmpty() || ObjectMeta.read(object).namespace().equals(namespace))
                && labels.matches(object)
                && fields.matches(object);
    }

    boolean hasSelectors() {
        return !labels.isEverything() || !fields.isEverything();
    }

    /** As the conversion functions of the core types list them (pkg/apis/core/v1/conversion.go). */
    private static Set<String> selectableFields(ResourceType type) {
        Set<String> fields = new TreeSet<>(Set.of("metadata.name", "metadata.namespace"));
        fields.addAll(
                switch (type.qualifiedName()) {
                    case "pods" ->
                        Set.of(
                                "spec.nodeName",
                                "spec.restartPolicy",
                                "spec.schedulerName",
                                "spec.serviceAccountName",
                                "spec.hostNetwork",
                                "status.phase",
                                "status.podIP",
                                "status.nominatedNodeName");
                    case "nodes" -> Set.of("spec.unschedulable");
                    case "namespaces" -> Set.of("status.phase");
                    case "events" ->
                        Set.of(
                                "involvedObject.kind",
                                "involvedObject.namespace",
                                "involvedObject.name",
                                "involvedObject.uid",
                                "involvedObject.apiVersion",
                                "involvedObject.resourceVersion",
                                "involvedObject.fieldPath",
                                "reason",
                                "reportingComponent",
                                "type");
                    case "services" -> Set.of("spec.clusterIP", "spec.type");
                    default -> Set.of();
                });
        return fields;
    }
}

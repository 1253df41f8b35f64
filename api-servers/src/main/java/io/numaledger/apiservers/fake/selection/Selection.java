package io.numaledger.apiservers.fake.selection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.apiservers.fake.request.Target;
import io.numaledger.apiservers.fake.resource.ObjectMeta;
import io.numaledger.apiservers.fake.resource.ResourceType;
import io.numaledger.apiservers.fake.status.ApiError;

import java.util.Set;
import java.util.TreeSet;

import static java.util.Objects.requireNonNullElse;

/** The namespace and selectors of a list, watch or deletecollection. */
public record Selection(String namespace, LabelSelector labels, FieldSelector fields) {

    public static Selection of(Target target, RecordedRequest request) {
        try {
            return new Selection(
                    target.namespace(),
                    LabelSelector.parse(request.parameter("labelSelector").orElse("")),
                    FieldSelector.parse(
                            request.parameter("fieldSelector").orElse(""), selectableFields(target.type())));
        } catch (SelectorSyntaxException e) {
            throw ApiError.badRequest(requireNonNullElse(e.getMessage(), "invalid selector"));
        }
    }

    public boolean matches(ObjectNode object) {
        return (namespace.isEmpty() || ObjectMeta.read(object).namespace().equals(namespace))
                && labels.matches(object)
                && fields.matches(object);
    }

    public boolean hasSelectors() {
        return !labels.isEverything() || !fields.isEverything();
    }

    /** The supported field labels, as in pkg/apis/core/v1/conversion.go. */
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

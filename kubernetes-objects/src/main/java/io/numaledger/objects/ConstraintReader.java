package io.numaledger.objects;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.numaledger.evaluation.facts.AntiAffinityTerm;
import io.numaledger.evaluation.facts.HostPort;
import io.numaledger.evaluation.facts.LabelSelector;
import io.numaledger.evaluation.facts.NodeSelectorTerm;
import io.numaledger.evaluation.facts.PodConstraints;
import io.numaledger.evaluation.facts.SelectorRequirement;
import io.numaledger.evaluation.facts.Toleration;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Reads what a pod's specification demands of its node beside resources. */
final class ConstraintReader {

    static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

    /** The most host ports that are modelled: more would be as many comparisons with each pod of each node. */
    static final int MAX_HOST_PORTS = 64;

    private ConstraintReader() {}

    static PodConstraints of(PodObject.Spec spec) {
        JsonNode affinity = present(spec.affinity());
        PodConstraints constraints = new PodConstraints(
                texts(present(spec.nodeSelector())),
                Optional.of(affinity.path("nodeAffinity").path(REQUIRED).path("nodeSelectorTerms"))
                        .filter(JsonNode::isArray)
                        .map(terms -> each(terms, ConstraintReader::term)),
                each(present(spec.tolerations()), ConstraintReader::toleration),
                UnmodelledConstraintReader.of(spec),
                antiAffinity(affinity),
                hostPorts(spec));
        return constraints.equals(PodConstraints.NONE) ? PodConstraints.NONE : constraints;
    }

    /** What still counts once the pod has a node. */
    static PodConstraints ofBound(PodObject.Spec spec) {
        return PodConstraints.ofBound(antiAffinity(present(spec.affinity())), hostPorts(spec));
    }

    private static List<HostPort> hostPorts(PodObject.Spec spec) {
        return Stream.concat(
                        spec.initContainers().stream()
                                .filter(container -> container.restartPolicy().equals("Always")),
                        spec.containers().stream())
                .flatMap(container -> each(present(container.ports()), ConstraintReader::hostPort).stream())
                .filter(port -> port.port() > 0)
                .limit(MAX_HOST_PORTS)
                .toList();
    }

    private static HostPort hostPort(JsonNode port) {
        return new HostPort(
                port.path("protocol").asText(),
                port.path("hostPort").asInt(),
                port.path("hostIP").asText());
    }

    private static List<AntiAffinityTerm> antiAffinity(JsonNode affinity) {
        return each(
                affinity.path("podAntiAffinity").path(REQUIRED),
                term -> new AntiAffinityTerm(
                        Optional.of(term.path("labelSelector"))
                                .filter(JsonNode::isObject)
                                .map(ConstraintReader::selector),
                        Set.copyOf(each(term.path("namespaces"), JsonNode::asText)),
                        term.path("namespaceSelector").isObject(),
                        term.path("topologyKey").asText()));
    }

    static LabelSelector selector(JsonNode selector) {
        return new LabelSelector(
                each(selector.path("matchExpressions"), ConstraintReader::requirement),
                texts(selector.path("matchLabels")));
    }

    private static NodeSelectorTerm term(JsonNode term) {
        return new NodeSelectorTerm(
                each(term.path("matchExpressions"), ConstraintReader::requirement),
                each(term.path("matchFields"), ConstraintReader::requirement));
    }

    private static SelectorRequirement requirement(JsonNode expression) {
        return new SelectorRequirement(
                expression.path("key").asText(),
                expression.path("operator").asText(),
                each(expression.path("values"), JsonNode::asText));
    }

    private static Toleration toleration(JsonNode toleration) {
        return new Toleration(
                toleration.path("key").asText(),
                toleration.path("operator").asText(),
                toleration.path("value").asText(),
                toleration.path("effect").asText());
    }

    private static SortedMap<String, String> texts(JsonNode object) {
        SortedMap<String, String> texts = new TreeMap<>();
        object.properties()
                .forEach(each -> texts.put(each.getKey(), each.getValue().asText()));
        return texts;
    }

    private static <T> List<T> each(JsonNode list, Function<JsonNode, T> reader) {
        return StreamSupport.stream(list.spliterator(), false).map(reader).toList();
    }

    private static JsonNode present(@Nullable JsonNode node) {
        return node == null ? MissingNode.getInstance() : node;
    }
}

package io.numaledger.kubectl.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.annotation.Annotations;
import io.numaledger.cli.Documentation;
import io.numaledger.cli.Finding;
import io.numaledger.objects.FailureMessage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Whether the pods of the chart are ready, and whether kubelets refuse pods. */
final class PodChecks {

    private static final String COMPONENT = "app.kubernetes.io/component";

    /** What kubelets write into the status of a pod that they do not admit for its zones. */
    private static final Set<String> REFUSALS =
            Set.of("TopologyAffinityError", "UnexpectedAdmissionError", "SMTAlignmentError", "EmptyPodSharedPoolError");

    private PodChecks() {}

    /** @param pods of the cluster; others than the chart's do not matter */
    static List<Finding> components(List<JsonNode> pods) {
        List<Finding> found = new ArrayList<>();
        for (String component : List.of("agent", "bridge", "scheduler")) {
            List<JsonNode> members =
                    pods.stream().filter(pod -> isOf(pod, component)).toList();
            members.stream()
                    .filter(pod -> !isReady(pod))
                    .forEach(pod -> found.add(Finding.fail(component, notReady(pod, component))));
            long ready = members.stream().filter(PodChecks::isReady).count();
            if (ready > 0 && ready == members.size()) {
                found.add(Finding.ok(component, "all pods are ready: pods=" + ready));
            } else if (members.isEmpty() && component.equals("agent")) {
                found.add(
                        Finding.warn(
                                component,
                                "the cluster has no pod of the chart's agent: zones are published by another exporter, or by nobody; install the chart"));
            }
        }
        return found;
    }

    private static boolean isOf(JsonNode pod, String component) {
        return component(pod).equals(component);
    }

    /** Which part of the chart the pod is; empty: none. */
    static String component(JsonNode pod) {
        JsonNode labels = pod.at("/metadata/labels");
        boolean isOfChart = labels.path("app.kubernetes.io/name").asText().equals("numaledger")
                || labels.path("helm.sh/chart").asText().startsWith("numaledger-");
        return isOfChart ? labels.path(COMPONENT).asText() : "";
    }

    private static boolean isReady(JsonNode pod) {
        for (JsonNode condition : pod.at("/status/conditions")) {
            if (condition.path("type").asText().equals("Ready")) {
                return condition.path("status").asText().equals("True");
            }
        }
        return false;
    }

    private static String notReady(JsonNode pod, String component) {
        String namespace = pod.at("/metadata/namespace").asText();
        String name = pod.at("/metadata/name").asText();
        String state = pod.at("/status/phase").asText("Pending");
        boolean runs = false;
        boolean restarted = false;
        for (JsonNode container : pod.at("/status/containerStatuses")) {
            state = container.at("/state/waiting/reason").asText(state);
            runs |= container.at("/state").has("running");
            restarted |= container.path("restartCount").asInt() > 0;
        }
        String text = "pod=%s/%s node=%s is not ready: %s; see kubectl -n %s describe pod %s"
                .formatted(namespace, name, pod.at("/spec/nodeName").asText("-"), state, namespace, name);
        if (restarted) {
            text += ", and why it ended: kubectl -n %s logs --previous %s".formatted(namespace, name);
        } else if (runs) {
            text += ", and kubectl -n %s logs %s".formatted(namespace, name);
        }
        // Nothing can be run in a container that does not run.
        return runs && component.equals("agent")
                ? text + "; kubectl -n %s exec %s -- agent doctor checks its node".formatted(namespace, name)
                : text;
    }

    /** The condition of a resize that its kubelet has not accepted: {@code Infeasible} or {@code Deferred}. */
    static Optional<JsonNode> pendingResize(JsonNode pod) {
        for (JsonNode condition : pod.at("/status/conditions")) {
            if (condition.path("type").asText().equals("PodResizePending")
                    && condition.path("status").asText().equals("True")) {
                return Optional.of(condition);
            }
        }
        return Optional.empty();
    }

    /** @param pods of the cluster; only those whose resize is pending matter */
    static List<Finding> resizes(List<JsonNode> pods) {
        Map<String, List<String>> pending = new TreeMap<>();
        pods.forEach(pod -> pendingResize(pod)
                .ifPresent(condition -> pending.computeIfAbsent(
                                condition.path("reason").asText(), any -> new ArrayList<>())
                        .add(placed(pod))));
        return pending.entrySet().stream()
                .map(each -> Finding.warn("resizes", Names.of("pods", each.getValue()) + ": " + meaning(each.getKey())))
                .toList();
    }

    private static String meaning(String reason) {
        return reason.equals("Infeasible")
                ? "the resize is Infeasible, so that they keep what they have; by default, a kubelet resizes no exclusive CPUs and no memory of the Memory Manager: request what they have, or create them anew"
                : "the resize is %s, so that they keep what they have; it is made when the node has enough"
                        .formatted(reason);
    }

    /** Such as {@code default/a@n}. */
    private static String placed(JsonNode pod) {
        return "%s/%s@%s"
                .formatted(
                        pod.at("/metadata/namespace").asText(),
                        pod.at("/metadata/name").asText(),
                        pod.at("/spec/nodeName").asText("-"));
    }

    /** @param pods of the cluster; only failed ones matter */
    static List<Finding> refusals(List<JsonNode> pods) {
        Map<String, List<String>> predicted = new TreeMap<>();
        Map<String, List<String>> others = new TreeMap<>();
        Map<String, String> sentences = new TreeMap<>();
        for (JsonNode pod : pods) {
            String reason = pod.at("/status/reason").asText();
            if (pod.at("/status/phase").asText().equals("Failed") && REFUSALS.contains(reason)) {
                sentences.computeIfAbsent(reason, any -> sentence(pod));
                boolean isPredicted = pod.at("/metadata/annotations").has(Annotations.PREDICTED);
                (isPredicted ? predicted : others)
                        .computeIfAbsent(reason, any -> new ArrayList<>())
                        .add(placed(pod));
            }
        }
        List<Finding> found = new ArrayList<>();
        predicted.forEach((reason, names) -> found.add(Finding.fail(
                "refusals",
                "%s of pods that the bridge placed: %s%s; see %s"
                        .formatted(
                                reason,
                                Names.of("pods", names),
                                sentences.get(reason),
                                Documentation.page("troubleshoot.md#a-kubelet-refused-a-pod")))));
        others.forEach((reason, names) -> found.add(Finding.warn(
                "refusals",
                "%s of pods that the bridge did not place: %s%s; set their schedulerName to the scheduler that calls the bridge"
                        .formatted(reason, Names.of("pods", names), sentences.get(reason)))));
        if (found.isEmpty()) {
            found.add(Finding.ok("refusals", "no kubelet has refused a pod that still exists"));
        }
        return found;
    }

    /** What the kubelet, or a device plugin, said about the first one. */
    private static String sentence(JsonNode pod) {
        return FailureMessage.of(
                        pod.at("/status/phase").asText(),
                        pod.at("/status/message").asText(),
                        pod.at("/metadata/namespace").asText(),
                        pod.at("/metadata/name").asText())
                .map(text -> "; the kubelet said: " + text)
                .orElse("");
    }
}

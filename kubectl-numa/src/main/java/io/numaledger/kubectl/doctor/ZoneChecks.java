package io.numaledger.kubectl.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.cli.Documentation;
import io.numaledger.cli.Finding;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Whether the zones of all nodes are known, as the bridge sees them. */
final class ZoneChecks {

    private static final String ABOUT = "zones";

    /** Assumptions that only those can judge who know the pods. */
    private static final Set<String> OF_PODS = Set.of("pods-missing");

    /** The assumption ends by itself, unless the kubelet does not come up. */
    private static final String RESTARTING = "kubelet-restarting";

    private ZoneChecks() {}

    /**
     * What is wrong with zones.
     *
     * @param nodes as {@link io.numaledger.apiobjects.view.NodeJson} writes them
     * @param withPods whether pods were read, too; otherwise nothing is said that depends on them
     */
    static List<Finding> of(List<JsonNode> nodes, boolean withPods) {
        Map<String, List<String>> unmodelled = new TreeMap<>();
        Map<String, List<String>> assumed = new TreeMap<>();
        Map<String, List<String>> slow = new TreeMap<>();
        Map<String, List<String>> warned = new TreeMap<>();
        List<String> unaligned = new ArrayList<>();
        for (JsonNode node : nodes) {
            String name = node.path("node").asText();
            node.path("warnings").forEach(each -> add(warned, each.asText(), name));
            if (!node.path("unmodelled").isMissingNode()
                    && !node.path("unmodelled").isNull()) {
                add(unmodelled, node.path("confidenceReason").asText(), name);
                continue;
            }
            if (node.hasNonNull("slowAdmission")) {
                add(slow, node.path("slowAdmission").asText(), name);
            }
            if (node.path("topologyManagerPolicy").asText().equals("none")) {
                unaligned.add(name);
            }
            for (JsonNode each : node.path("assumptions")) {
                String code = each.path("code").asText();
                if (withPods || !OF_PODS.contains(code)) {
                    add(assumed, code + ": " + sentence(code, each.path("text").asText()), name);
                }
            }
        }
        List<Finding> found = new ArrayList<>();
        unmodelled.forEach((why, names) -> found.add(Finding.fail(ABOUT, Names.of("nodes", names) + ": " + why)));
        assumed.forEach((what, names) -> found.add(Finding.warn(ABOUT, Names.of("nodes", names) + ": " + what)));
        warned.forEach((what, names) -> found.add(Finding.warn(ABOUT, Names.of("nodes", names) + ": " + what)));
        slow.forEach((why, names) -> found.add(Finding.warn(ABOUT, Names.of("nodes", names) + ": " + why)));
        if (!unaligned.isEmpty()) {
            found.add(
                    Finding.warn(
                            ABOUT,
                            Names.of("nodes", unaligned)
                                    + ": the policy none aligns nothing; set topologyManagerPolicy in the kubelet's configuration"));
        }
        if (nodes.isEmpty()) {
            found.add(Finding.fail(ABOUT, "the cluster has no nodes; check which cluster this is"));
        } else if (unmodelled.isEmpty()) {
            found.add(Finding.ok(ABOUT, "the zones of all nodes are known: nodes=" + nodes.size()));
        }
        return found;
    }

    private static void add(Map<String, List<String>> names, String reason, String name) {
        List<String> known = names.computeIfAbsent(reason, any -> new ArrayList<>());
        if (!known.contains(name)) {
            known.add(name);
        }
    }

    /** The sentence about an assumption. */
    private static String sentence(String code, String text) {
        return code.equals(RESTARTING)
                ? text + "; if that lasts for more than two minutes, look at the kubelet: systemctl status kubelet"
                : text + "; what publishes it: " + Documentation.page("reference/decisions.md#confidence");
    }
}

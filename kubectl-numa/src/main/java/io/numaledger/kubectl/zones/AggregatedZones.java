package io.numaledger.kubectl.zones;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.view.ApiGroup;
import io.numaledger.kubectl.client.ExistingNames;
import io.numaledger.kubectl.client.Kubectl;
import io.numaledger.kubectl.client.KubectlException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Zones as a bridge knows them, asked through the API server. */
final class AggregatedZones implements Zones {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String GROUP = "/apis/" + ApiGroup.NAME;
    private static final String NODES = ApiGroup.ROOT + "/" + ApiGroup.NODES;
    private static final String AUDITS = ApiGroup.ROOT + "/" + ApiGroup.AUDITS;

    private static final String STRANDED = ApiGroup.ROOT + "/" + ApiGroup.STRANDED;

    private static final Pattern NO_POD = Pattern.compile("pods \"([^\"]+)\" not found");

    private final Kubectl kubectl;
    private final WatchedNodes watched = new WatchedNodes();

    AggregatedZones(Kubectl kubectl) {
        this.kubectl = kubectl;
    }

    @Override
    public List<JsonNode> nodes() throws IOException {
        List<JsonNode> nodes = new ArrayList<>();
        answer(() -> kubectl.get(NODES)).path("items").forEach(node -> nodes.add(node.path("status")));
        return nodes;
    }

    @Override
    public boolean watch(NodeListener listener) throws IOException, InterruptedException {
        boolean offered = false;
        for (JsonNode resource : answer(() -> kubectl.get(ApiGroup.ROOT)).path("resources")) {
            offered |= resource.path("name").asText().equals(ApiGroup.NODES)
                    && resource.path("verbs").toString().contains("\"watch\"");
        }
        if (offered) {
            watched.follow(kubectl, NODES, listener);
        }
        return offered;
    }

    /** The labels are not part of the bridge's answers: who may not list Nodes does not see them. */
    @Override
    public Map<String, SortedMap<String, String>> labels() throws IOException {
        Map<String, SortedMap<String, String>> labels = new HashMap<>();
        try {
            kubectl.table("nodes", "--show-labels").lines().forEach(line -> {
                String[] cells = line.split(" +");
                labels.put(cells[0], labels(cells[cells.length - 1]));
            });
        } catch (KubectlException e) {
            if (e.reason() != KubectlException.Reason.FORBIDDEN) {
                throw e;
            }
        }
        return labels;
    }

    /** @param text such as {@code a=b,c=} */
    private static SortedMap<String, String> labels(String text) {
        SortedMap<String, String> labels = new TreeMap<>();
        for (String each : text.split(",")) {
            String[] parts = each.split("=", 2);
            if (parts.length == 2) {
                labels.put(parts[0], parts[1]);
            }
        }
        return labels;
    }

    @Override
    public Optional<JsonNode> node(String name) throws IOException {
        return found(NODES + "/" + name);
    }

    /** The status of an object; absent: the API group is served, and there is no such object. */
    private Optional<JsonNode> found(String path) throws IOException {
        try {
            return Optional.of(kubectl.get(path).path("status"));
        } catch (KubectlException e) {
            if (e.reason() == KubectlException.Reason.NOT_FOUND && isServed()) {
                return Optional.empty();
            }
            throw explained(e);
        }
    }

    @Override
    public List<JsonNode> explain(ExplainedPod pod, List<String> ended) throws IOException {
        String[] key = pod.key().split("/", 2);
        ObjectNode asked = JSON.createObjectNode()
                .put("apiVersion", ApiGroup.GROUP_VERSION)
                .put("kind", "Explanation");
        ObjectNode spec = asked.putObject("spec");
        if (pod.manifest().isPresent()) {
            spec.set("pod", JSON.readTree(pod.manifest().get().json()));
            List<JsonNode> templates = pod.manifest().get().templates();
            if (!templates.isEmpty()) { // bridges of earlier versions do not know the field
                spec.putArray("resourceClaimTemplates").addAll(templates);
            }
        } else {
            spec.put("podName", key[1]);
        }
        ended.forEach(spec.putArray("evict")::add);
        String path = ApiGroup.ROOT + "/namespaces/" + key[0] + "/" + ApiGroup.EXPLANATIONS;
        JsonNode status = created(path, asked, key[0]).path("status");
        List<JsonNode> explanations = new ArrayList<>();
        status.path("nodes").forEach(explanations::add);
        if (status.has("scheduler")) {
            explanations.forEach(each -> ((ObjectNode) each).set("scheduler", status.path("scheduler")));
        }
        return explanations;
    }

    @Override
    public List<JsonNode> audits() throws IOException {
        List<JsonNode> audits = new ArrayList<>();
        answer(() -> kubectl.get(AUDITS)).path("items").forEach(entry -> audits.add(entry.path("status")));
        return audits;
    }

    @Override
    public JsonNode audit(String uid) throws IOException {
        return answer(() -> kubectl.get(AUDITS + "/" + uid)).path("status");
    }

    @Override
    public List<JsonNode> stranded(StrandedSizes sizes) throws IOException {
        requireOfBridge(sizes);
        List<JsonNode> capacities = new ArrayList<>();
        answer(() -> kubectl.get(STRANDED)).path("items").forEach(each -> capacities.add(each.path("status")));
        return capacities;
    }

    @Override
    public Optional<JsonNode> stranded(StrandedSizes sizes, String reference) throws IOException {
        requireOfBridge(sizes);
        return found(STRANDED + "/" + reference);
    }

    private static void requireOfBridge(StrandedSizes sizes) throws IOException {
        if (sizes.areChosen()) {
            throw new IOException(
                    "the bridge counts by its own reference pods and pools: see bridge.referencePods and bridge.nodePoolLabel of the chart; use --reference-pod and --node-pool-label with --without-bridge or --dump");
        }
    }

    private JsonNode created(String path, JsonNode asked, String namespace) throws IOException {
        try {
            return kubectl.create(path, asked);
        } catch (KubectlException e) {
            throw unknownPod(e, namespace).orElseGet(() -> explained(e));
        }
    }

    private interface Call {
        JsonNode answer() throws IOException;
    }

    private JsonNode answer(Call call) throws IOException {
        try {
            return call.answer();
        } catch (KubectlException e) {
            throw explained(e);
        }
    }

    /** @param namespace of a pod that is named without one */
    private Optional<IOException> unknownPod(KubectlException e, String namespace) {
        Matcher pod = NO_POD.matcher(e.text());
        return e.reason() == KubectlException.Reason.NOT_FOUND && pod.matches()
                ? Optional.of(new ExistingNames(kubectl).unknownPod(ExplainedPod.qualified(pod.group(1), namespace)))
                : Optional.empty();
    }

    private IOException explained(KubectlException e) {
        return switch (e.reason()) {
            case NOT_FOUND -> isServed() ? e : notServed(e);
            case FORBIDDEN ->
                isServed()
                        ? new IOException(
                                e.text()
                                        + "; ask for the ClusterRoles view (nodes) and edit (explanations), or for RELEASE-bridge-view and RELEASE-bridge-edit of the chart",
                                e)
                        : notServed(e);
            case UNAVAILABLE ->
                new IOException(
                        "the bridge does not answer: %s; see kubectl numa doctor, or use --without-bridge"
                                .formatted(e.text()),
                        e);
            case EXPIRED, OTHER -> e;
        };
    }

    /** Everybody may ask which API groups there are. */
    private boolean isServed() {
        try {
            kubectl.get(GROUP);
            return true;
        } catch (KubectlException e) {
            return e.reason() != KubectlException.Reason.NOT_FOUND;
        } catch (IOException e) {
            return true;
        }
    }

    private static IOException notServed(KubectlException e) {
        return new IOException(
                "this cluster does not serve the API group numaledger.io; install the chart with mode=scheduler or mode=reconfigured and bridge.aggregatedApi.enabled=true, or use --without-bridge",
                e);
    }
}

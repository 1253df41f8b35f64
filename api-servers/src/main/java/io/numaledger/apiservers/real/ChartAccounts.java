package io.numaledger.apiservers.real;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The service accounts of the Helm chart on a real API server, with the rights and the admission policy that the chart gives
 * them, and kubeconfig files with their tokens.
 */
public final class ChartAccounts {

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final Duration RENDER_TIMEOUT = Duration.ofSeconds(60);
    private static final String NAMESPACE = "numa-system";
    private static final String ACCOUNTS = "/api/v1/namespaces/%s/serviceaccounts".formatted(NAMESPACE);
    private static final String RBAC = "/apis/rbac.authorization.k8s.io/v1/";
    private static final String NAMESPACED = RBAC + "namespaces/{namespace}/";
    private static final String ADMISSION = "/apis/admissionregistration.k8s.io/v1/";

    /** The kinds that are created, with their collections. */
    private static final Map<String, String> COLLECTIONS = Map.of(
            "ServiceAccount", ACCOUNTS,
            "ClusterRole", RBAC + "clusterroles",
            "ClusterRoleBinding", RBAC + "clusterrolebindings",
            "Secret", "/api/v1/namespaces/{namespace}/secrets",
            "Role", NAMESPACED + "roles",
            "RoleBinding", NAMESPACED + "rolebindings",
            "ValidatingAdmissionPolicy", ADMISSION + "validatingadmissionpolicies",
            "ValidatingAdmissionPolicyBinding", ADMISSION + "validatingadmissionpolicybindings",
            "MutatingAdmissionPolicy", ADMISSION + "mutatingadmissionpolicies",
            "MutatingAdmissionPolicyBinding", ADMISSION + "mutatingadmissionpolicybindings");

    private final RealApiServer server;
    private final ApiClient api;
    private final Path directory;

    private ChartAccounts(RealApiServer server, Path directory) {
        this.server = server;
        this.api = new ApiClient(server.url(), server.httpClient());
        this.directory = directory;
    }

    /**
     * Renders the chart and creates its accounts and rights.
     *
     * @param helm the program
     * @param chart the directory of the chart
     * @param directory for kubeconfig files
     * @param values further {@code --set} arguments
     * @throws RealApiServerException if the chart cannot be rendered, or the server rejects an object
     */
    public static ChartAccounts install(RealApiServer server, Path helm, Path chart, Path directory, String... values) {
        try {
            ChartAccounts accounts = new ChartAccounts(server, Files.createDirectories(directory));
            accounts.api.create(
                    "/api/v1/namespaces",
                    "{apiVersion: v1, kind: Namespace, metadata: {name: %s}}".formatted(NAMESPACE));
            for (JsonNode object : accounts.render(helm, chart, values)) {
                String collection = COLLECTIONS.get(object.path("kind").asText());
                if (collection != null) {
                    String namespace = object.at("/metadata/namespace").asText();
                    accounts.api.create(collection.replace("{namespace}", namespace), object.toString());
                }
            }
            return accounts;
        } catch (IOException e) {
            throw new RealApiServerException("cannot install the chart's accounts: chart=%s".formatted(chart), e);
        }
    }

    private List<JsonNode> render(Path helm, Path chart, String... values) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                helm.toString(),
                "template",
                "numaledger",
                chart.toAbsolutePath().toString(),
                "--namespace=" + NAMESPACE,
                "--kube-version=1.36.0",
                "--set=mode=scheduler"));
        List.of(values).forEach(value -> command.add("--set=" + value));
        Path rendered = directory.resolve("chart.yaml");
        ChildProcess process = ChildProcess.startInto("helm", directory, rendered, command);
        if (!process.endsWithin(RENDER_TIMEOUT)) {
            process.close();
        }
        List<JsonNode> objects = new ArrayList<>();
        try (MappingIterator<JsonNode> documents =
                YAML.readerFor(JsonNode.class).readValues(rendered.toFile())) {
            documents.forEachRemaining(objects::add);
        }
        if (!objects.stream().allMatch(JsonNode::isObject) || objects.isEmpty()) {
            throw new RealApiServerException("helm did not render the chart: chart=%s: %s"
                    .formatted(chart, Files.readString(rendered, StandardCharsets.UTF_8)));
        }
        return objects;
    }

    /** The kubeconfig of the agent of a node that exists: its token is bound to the node. */
    public Path agent(String node) {
        return kubeconfig("agent-" + node, "numaledger-agent", bound("Node", "/api/v1/nodes/" + node));
    }

    /** The kubeconfig of the agent in a pod of the chart's namespace: its token is bound to the pod and so to its node. */
    public Path agentPod(String pod) {
        String path = "/api/v1/namespaces/%s/pods/%s".formatted(NAMESPACE, pod);
        return kubeconfig("agent-pod-" + pod, "numaledger-agent", bound("Pod", path));
    }

    /** The kubeconfig of the bridge. */
    public Path bridge() {
        return kubeconfig("bridge", "numaledger-bridge", "");
    }

    private String bound(String kind, String path) {
        try {
            JsonNode metadata = YAML.readTree(api.read(path)).path("metadata");
            return "boundObjectRef: {apiVersion: v1, kind: %s, name: \"%s\", uid: \"%s\"}"
                    .formatted(
                            kind,
                            metadata.path("name").asText(),
                            metadata.path("uid").asText());
        } catch (IOException e) {
            throw new RealApiServerException("cannot read an object: path=%s".formatted(path), e);
        }
    }

    private Path kubeconfig(String name, String account, String bound) {
        try {
            String answer = api.create(
                    ACCOUNTS + "/" + account + "/token",
                    "{apiVersion: authentication.k8s.io/v1, kind: TokenRequest, spec: {%s}}".formatted(bound));
            String token = YAML.readTree(answer).at("/status/token").asText();
            return Files.writeString(
                    directory.resolve(name + ".kubeconfig"),
                    Files.readString(server.kubeconfig())
                            .replace(server.token(), token)
                            .replace("user: admin", "user: admin\n      namespace: " + NAMESPACE));
        } catch (IOException e) {
            throw new RealApiServerException("cannot make a kubeconfig: account=%s".formatted(account), e);
        }
    }
}

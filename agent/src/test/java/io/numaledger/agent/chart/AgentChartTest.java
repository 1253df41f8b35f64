package io.numaledger.agent.chart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The chart as the real helm renders it. */
class AgentChartTest {

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final Path CHART = Path.of(System.getProperty("numaledger.root"), "charts", "numaledger");

    @TempDir
    private static Path helmHome;

    private static Path helm;

    @BeforeAll
    static void findHelm() {
        Optional<Path> found = Stream.concat(
                        Stream.ofNullable(System.getenv("KUBEBUILDER_ASSETS")),
                        Stream.of(System.getenv("PATH").split(File.pathSeparator)))
                .map(directory -> Path.of(directory, "helm"))
                .filter(Files::isExecutable)
                .findFirst();
        assumeTrue(found.isPresent(), "skipped: no helm in KUBEBUILDER_ASSETS or PATH");
        helm = found.orElseThrow();
    }

    @Test
    void lintsClean() throws IOException, InterruptedException {
        assertThat(helm("lint", "--strict", CHART.toString())).contains("0 chart(s) failed");
    }

    @Test
    void grantsEachRightThatIsNeededAndNoOther() throws IOException, InterruptedException {
        List<String> rights = new ArrayList<>();
        rendered("ClusterRole").get("rules").forEach(rule -> rights.add(rule.toString()));

        assertThat(rights)
                .containsExactly(
                        "{\"apiGroups\":[\"\"],\"resources\":[\"pods\"],\"verbs\":[\"list\",\"watch\",\"patch\"]}",
                        "{\"apiGroups\":[\"topology.node.k8s.io\"],\"resources\":[\"noderesourcetopologies\"],"
                                + "\"verbs\":[\"get\",\"list\",\"watch\",\"create\",\"patch\"]}",
                        "{\"apiGroups\":[\"\"],\"resources\":[\"nodes\"],\"verbs\":[\"get\",\"watch\",\"patch\"]}",
                        "{\"apiGroups\":[\"\"],\"resources\":[\"nodes/configz\"],\"verbs\":[\"get\"]}");
    }

    @ParameterizedTest(name = "Kubernetes {0}")
    @CsvSource({"1.26.0, false", "1.29.5-eks-1, false", "1.30.0, true", "1.36.3, true"})
    void rendersTheAdmissionPolicyWhereTheApiServerHasIt(String version, boolean rendered)
            throws IOException, InterruptedException {
        assertThat(helm("template", "numaledger", CHART.toString(), "--kube-version", version)
                        .contains("kind: ValidatingAdmissionPolicy\n"))
                .isEqualTo(rendered);
    }

    @Test
    void bindsTheRightsToTheAgentsAccount() throws IOException, InterruptedException {
        JsonNode binding = rendered("ClusterRoleBinding");
        JsonNode account = rendered("ServiceAccount");

        assertThat(binding.at("/roleRef/name"))
                .isEqualTo(rendered("ClusterRole").at("/metadata/name"));
        assertThat(binding.at("/subjects/0/name")).isEqualTo(account.at("/metadata/name"));
        assertThat(binding.at("/subjects/0/namespace").asText()).isEqualTo("numa-system");
        assertThat(account.at("/metadata/namespace").asText()).isEqualTo("numa-system");
        assertThat(pod().get("serviceAccountName")).isEqualTo(account.at("/metadata/name"));
    }

    @Test
    void runsWithoutPrivileges() throws IOException, InterruptedException {
        assertThat(container().get("securityContext"))
                .hasToString("{\"runAsUser\":0,\"runAsNonRoot\":false,\"allowPrivilegeEscalation\":false,"
                        + "\"readOnlyRootFilesystem\":true,\"capabilities\":{\"drop\":[\"ALL\"]}}");
        assertThat(pod().get("securityContext")).hasToString("{\"seccompProfile\":{\"type\":\"RuntimeDefault\"}}");
        assertThat(pod().has("hostNetwork")).isFalse();
        assertThat(pod().has("hostPID")).isFalse();
    }

    @Test
    void mountsTheSocketsDirectoryAndSysfsReadOnly() throws IOException, InterruptedException {
        assertThat(container().get("volumeMounts"))
                .hasToString(
                        "[{\"name\":\"podresources\",\"mountPath\":\"/var/lib/kubelet/pod-resources\",\"readOnly\":true},"
                                + "{\"name\":\"sysfs\",\"mountPath\":\"/host/sys\",\"readOnly\":true}]");
        assertThat(pod().get("volumes"))
                .hasToString(
                        "[{\"name\":\"podresources\",\"hostPath\":{\"path\":\"/var/lib/kubelet/pod-resources\","
                                + "\"type\":\"Directory\"}},{\"name\":\"sysfs\",\"hostPath\":{\"path\":\"/sys\",\"type\":\"Directory\"}}]");
    }

    @Test
    void tellsTheAgentItsNodeAndWhatItMounted() throws IOException, InterruptedException {
        assertThat(container().at("/env/0"))
                .hasToString("{\"name\":\"NODE_NAME\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"spec.nodeName\"}}}");
        assertThat(container("--set", "agent.podResourcesDirectory=/other,agent.extraArgs={--dry-run}")
                        .get("args"))
                .hasToString(
                        "[\"run\",\"--podresources-socket=/other/kubelet.sock\",\"--sysfs-root=/host/sys\",\"--log-format=key-value\",\"--listen=:9464\",\"--nrt-profile=numaledger\",\"--kubelet-qps=10\",\"--kubelet-burst=5\",\"--dry-run\"]");
    }

    @Test
    void writesPodConditionsWithTheRightToThem() throws IOException, InterruptedException {
        String flag = "agent.podConditions=true";
        assertThat(rendered("ClusterRole", "--set", flag).get("rules").get(4))
                .hasToString("{\"apiGroups\":[\"\"],\"resources\":[\"pods/status\"],\"verbs\":[\"patch\"]}");
        assertThat(container("--set", flag).get("args").toString()).contains("\"--pod-conditions\"");
        assertThat(container("--set", flag).get("env").findValuesAsText("name")).contains("POD_NAME", "POD_NAMESPACE");
        assertThat(container().get("env").findValuesAsText("name")).doesNotContain("POD_NAME", "POD_NAMESPACE");
    }

    @Test
    void mayGetItsOwnNamespaceAndNoOtherInProfileNfd() throws IOException, InterruptedException {
        String profile = "agent.nrtProfile=nfd";
        assertThat(rendered("Role", "--set", profile).get("rules"))
                .hasToString(
                        "[{\"apiGroups\":[\"\"],\"resources\":[\"namespaces\"],\"resourceNames\":[\"numa-system\"],\"verbs\":[\"get\"]}]");
        assertThat(rendered("RoleBinding", "--set", profile).at("/roleRef/name"))
                .isEqualTo(rendered("Role", "--set", profile).at("/metadata/name"));
        assertThat(container("--set", profile).get("env").findValuesAsText("name"))
                .contains("POD_NAMESPACE");
        assertThat(container("--set", profile).get("args").toString()).contains("\"--nrt-profile=nfd\"");
    }

    @Test
    void mountsItsConfigurationAsADirectorySoThatItMayChange() throws IOException, InterruptedException {
        String config = "agent.config={\"podExclude\":[{\"namespacePattern\":\"a\",\"namePattern\":\"*\"}]}";
        assertThat(rendered("ConfigMap", "--set-json", config)
                        .at("/data/config.yaml")
                        .asText())
                .isEqualTo("podExclude:\n- namePattern: '*'\n  namespacePattern: a\n");
        JsonNode container = container("--set-json", config);
        assertThat(container.get("args").toString()).contains("\"--config=/etc/numaledger/config/config.yaml\"");
        assertThat(container.get("volumeMounts").toString())
                .contains("{\"name\":\"config\",\"mountPath\":\"/etc/numaledger/config\",\"readOnly\":true}");
    }

    @Test
    void mountsTheKubeletsStateAndCaOnlyWhenTold() throws IOException, InterruptedException {
        String[] reported = {"--set", "agent.kubelet.stateDirectory=/kubelet,agent.kubelet.caConfigMap=ca"};
        assertThat(container(reported).get("args").toString())
                .contains(
                        "\"--kubelet-state-dir=/host/kubelet\"", "\"--kubelet-ca=/etc/numaledger/kubelet-ca/ca.crt\"");
        assertThat(container(reported).get("volumeMounts").toString())
                .contains("{\"name\":\"kubelet-state\",\"mountPath\":\"/host/kubelet\",\"readOnly\":true}");
        assertThat(pod(reported).get("volumes").toString())
                .contains("{\"name\":\"kubelet-state\",\"hostPath\":{\"path\":\"/kubelet\",\"type\":\"Directory\"}}");
    }

    @Test
    void mountsTheDirectoryOfDevicePluginsOnlyWhenTold() throws IOException, InterruptedException {
        String[] set = {"--set", "agent.kubelet.devicePluginsDirectory=/plugins"};
        assertThat(pod().toString()).doesNotContain("device-plugins");
        assertThat(container(set).get("args").toString()).contains("\"--device-plugins-dir=/host/device-plugins\"");
        assertThat(container(set).get("volumeMounts").toString())
                .contains("{\"name\":\"device-plugins\",\"mountPath\":\"/host/device-plugins\",\"readOnly\":true}");
        assertThat(pod(set).get("volumes").toString())
                .contains("{\"name\":\"device-plugins\",\"hostPath\":{\"path\":\"/plugins\",\"type\":\"Directory\"}}");
    }

    @Test
    void asksTheContainerRuntimeForNvidiasLibraryAlone() throws IOException, InterruptedException {
        assertThat(container().get("env").toString())
                .contains(
                        "{\"name\":\"NVIDIA_VISIBLE_DEVICES\",\"value\":\"all\"}",
                        "{\"name\":\"NVIDIA_DRIVER_CAPABILITIES\",\"value\":\"utility\"}");
        assertThat(pod().has("runtimeClassName")).isFalse();
        assertThat(pod("--set", "agent.gpu.runtimeClassName=nvidia")
                        .get("runtimeClassName")
                        .asText())
                .isEqualTo("nvidia");
        JsonNode without = container("--set", "agent.gpu.topology=false");
        assertThat(without.get("args").toString()).contains("\"--gpu-topology=false\"");
        assertThat(without.get("env").findValuesAsText("name")).doesNotContain("NVIDIA_VISIBLE_DEVICES");
    }

    @Test
    void isProbedAtItsPort() throws IOException, InterruptedException {
        assertThat(container().at("/ports/0/containerPort").asInt()).isEqualTo(9464);
        assertThat(container().at("/startupProbe/httpGet/path").asText()).isEqualTo("/readyz");
        assertThat(container().at("/livenessProbe/httpGet/path").asText()).isEqualTo("/healthz");
        assertThat(container().at("/readinessProbe/httpGet/path").asText()).isEqualTo("/readyz");
        assertThat(container("--set", "agent.port=0").has("readinessProbe")).isFalse();
    }

    @Test
    void anAgentMayChangeOnlyWhatIsOfItsNode() throws IOException, InterruptedException {
        assertThat(rendered("ValidatingAdmissionPolicyBinding", "--set=protectRecords.enabled=false")
                        .at("/spec/policyName"))
                .isEqualTo(rendered("ValidatingAdmissionPolicy", "--set=protectRecords.enabled=false")
                        .at("/metadata/name"));
        assertThat(rendered("ValidatingAdmissionPolicy", "--set=protectRecords.enabled=false")
                        .at("/spec/matchConditions/0/expression")
                        .asText())
                .isEqualTo("request.userInfo.username == 'system:serviceaccount:numa-system:numaledger-agent'");
    }

    @Test
    void runsOnEveryNodeAndIsAmongTheLastToGo() throws IOException, InterruptedException {
        assertThat(pod().get("tolerations")).hasToString("[{\"operator\":\"Exists\"}]");
        assertThat(pod().get("priorityClassName").asText()).isEqualTo("system-node-critical");
    }

    @Test
    void selectsItsOwnPods() throws IOException, InterruptedException {
        JsonNode labels = rendered("DaemonSet").at("/spec/template/metadata/labels");
        for (Map.Entry<String, JsonNode> label :
                rendered("DaemonSet").at("/spec/selector/matchLabels").properties()) {
            assertThat(labels.get(label.getKey())).isEqualTo(label.getValue());
        }
    }

    @Test
    void takesTheImageFromTheValues() throws IOException, InterruptedException {
        String appVersion = YAML.readTree(CHART.resolve("Chart.yaml").toFile())
                .get("appVersion")
                .asText();

        assertThat(container().get("image").asText()).isEqualTo("numaledger/agent:" + appVersion);
        assertThat(container("--set", "image.repository=my/agent,image.tag=v7")
                        .get("image")
                        .asText())
                .isEqualTo("my/agent:v7");
    }

    private static JsonNode container(String... flags) throws IOException, InterruptedException {
        return pod(flags).at("/containers/0");
    }

    private static JsonNode pod(String... flags) throws IOException, InterruptedException {
        return rendered("DaemonSet", flags).at("/spec/template/spec");
    }

    /** The only object of a kind where the agent is alone. */
    private static JsonNode rendered(String kind, String... flags) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("template", "numaledger", CHART.toString(), "--namespace", "numa-system"));
        command.add("--set=mode=kai");
        command.addAll(List.of(flags));
        List<JsonNode> found =
                YAML
                        .readerFor(JsonNode.class)
                        .<JsonNode>readValues(helm(command.toArray(String[]::new)))
                        .readAll()
                        .stream()
                        .filter(object -> object.path("kind").asText().equals(kind))
                        .toList();
        assertThat(found).as("objects of kind %s", kind).hasSize(1);
        return found.get(0);
    }

    private static String helm(String... flags) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                Stream.concat(Stream.of(helm.toString()), Stream.of(flags)).toList());
        for (String home : List.of("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME")) {
            builder.environment().put(home, helmHome.resolve(home).toString());
        }
        Path said = helmHome.resolve("stderr");
        Process process = builder.redirectError(said.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor())
                .as("helm %s: %s", List.of(flags), Files.readString(said))
                .isZero();
        return output;
    }
}

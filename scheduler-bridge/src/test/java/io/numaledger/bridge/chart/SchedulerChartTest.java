package io.numaledger.bridge.chart;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.bridge.cli.SchedulerConfig;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

/** The kube-scheduler of the chart, and what each mode installs. */
class SchedulerChartTest {

    private static final String NAME = "numaledger-scheduler";
    private static final String URL = "https://numaledger-bridge.numa-system.svc:9443";

    private static Helm helm;

    @BeforeAll
    static void find() {
        helm = Helm.find();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"kai, agent", "reconfigured, agent bridge", "scheduler, agent bridge scheduler"})
    void aModeInstallsItsParts(String mode, String parts) throws IOException, InterruptedException {
        TreeSet<String> workloads = new TreeSet<>();
        for (JsonNode object : helm.objects("--set=mode=" + mode)) {
            if (object.at("/spec/template/spec/containers").isArray()) {
                workloads.add(object.at("/metadata/name").asText().replaceFirst("numaledger-", ""));
            }
        }
        assertThat(workloads).containsExactly(parts.split(" "));
    }

    @Test
    void readsTheShippedConfiguration() throws IOException, InterruptedException {
        assertThat(configuration("--set=mode=scheduler"))
                .isEqualTo(SchedulerConfig.text(
                        URL, "numaledger", Optional.empty(), tls("/etc/kubernetes/numaledger"), true));
        assertThat(configuration("--set=scheduler.name=numa,bridge.schedulerNames={numa},scheduler.tlsDirectory=/tls"))
                .isEqualTo(SchedulerConfig.text(URL, "numa", Optional.empty(), tls("/tls"), true));
    }

    @Test
    void setsThePercentageOfNodesIfToldSoOrWhereASampleDoesNotDo() throws IOException, InterruptedException {
        String all = configuration("--set=mode=scheduler,scheduler.percentageOfNodesToScore=100");
        assertThat(all.replace(SchedulerConfig.sample(100), "")).isEqualTo(configuration("--set=mode=scheduler"));
        assertThat(configuration("--set=scheduler.extraArgs={--feature-gates=GenericWorkload=true}"))
                .isEqualTo(all);
        assertThat(configuration("--set=mode=scheduler", "--kube-version=1.31.4"))
                .isEqualTo(all);
        assertThat(
                        configuration(
                                "--set=scheduler.percentageOfNodesToScore=30,scheduler.extraArgs={--feature-gates=GenericWorkload=true}"))
                .contains(SchedulerConfig.sample(30));
    }

    @Test
    void rendersTheConfigurationOfTheClustersOwnScheduler() throws IOException, InterruptedException {
        Optional<Path> kubeconfig = Optional.of(Path.of("/etc/kubernetes/scheduler.conf"));
        assertThat(configuration("--set=mode=reconfigured"))
                .isEqualTo(SchedulerConfig.text(
                        URL, "default-scheduler", kubeconfig, tls("/etc/kubernetes/numaledger"), true));
    }

    private static Optional<SchedulerConfig.TlsFiles> tls(String directory) {
        return Optional.of(SchedulerConfig.TlsFiles.in(Path.of(directory)));
    }

    private static String configuration(String... flags) throws IOException, InterruptedException {
        return helm.object("ConfigMap", NAME, flags).at("/data/scheduler.yaml").asText();
    }

    @ParameterizedTest(name = "Kubernetes {0}")
    @CsvSource({"1.36.2, v1.36.2, /readyz", "v1.31.4+k3s1, v1.31.4, /readyz", "v1.29.15-eks-abc, v1.29.15, /healthz"})
    void followsTheReleaseOfTheCluster(String version, String tag, String ready)
            throws IOException, InterruptedException {
        JsonNode container = container("--kube-version=" + version);
        assertThat(container.get("image").asText()).isEqualTo("registry.k8s.io/kube-scheduler:" + tag);
        assertThat(container.at("/readinessProbe/httpGet/path").asText()).isEqualTo(ready);
        assertThat(container.at("/livenessProbe/httpGet/path").asText()).isEqualTo("/healthz");
    }

    @Test
    void takesTheImageFromTheValues() throws IOException, InterruptedException {
        assertThat(container("--set=scheduler.image.repository=my/scheduler,scheduler.image.tag=v7")
                        .get("image")
                        .asText())
                .isEqualTo("my/scheduler:v7");
    }

    @Test
    void mountsItsConfigurationAndItsCertificate() throws IOException, InterruptedException {
        JsonNode volumes = helm.object("Deployment", NAME).at("/spec/template/spec/volumes");
        assertThat(volumes.at("/0/configMap/name").asText()).isEqualTo(NAME);
        assertThat(volumes.at("/1/secret/secretName").asText()).isEqualTo("numaledger-bridge-client");
        assertThat(container().get("command")).hasToString("[\"kube-scheduler\",\"--config=/config/scheduler.yaml\"]");
    }

    @Test
    void runsWithoutPrivileges() throws IOException, InterruptedException {
        assertThat(container().get("securityContext"))
                .hasToString("{\"allowPrivilegeEscalation\":false,\"readOnlyRootFilesystem\":true,"
                        + "\"capabilities\":{\"drop\":[\"ALL\"]}}");
        assertThat(helm.object("Deployment", NAME)
                        .at("/spec/template/spec/securityContext/runAsNonRoot")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void mayUpdateItsOwnLeaseOnly() throws IOException, InterruptedException {
        assertThat(helm.object("Role", "numaledger-scheduler-numa-system-leader")
                        .get("rules"))
                .hasToString("[{\"apiGroups\":[\"coordination.k8s.io\"],\"resources\":[\"leases\"],"
                        + "\"resourceNames\":[\"numaledger\"],\"verbs\":[\"get\",\"update\"]}]");
    }

    @Test
    void restartsWithANewConfiguration() throws IOException, InterruptedException {
        String checksum = "/spec/template/metadata/annotations/checksum~1config";
        assertThat(helm.object("Deployment", NAME).at(checksum))
                .isNotEqualTo(helm.object("Deployment", NAME, "--set=scheduler.tlsDirectory=/tls")
                        .at(checksum));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            scheduler.name=default-scheduler | use another name, or mode=reconfigured
            scheduler.name=other             | bridge.schedulerNames lacks "other"
            bridge.certificates=secret,bridge.tlsSecret=a,bridge.aggregatedApi.enabled=false | scheduler.clientSecret names a Secret
            """)
    void refusesWhatCannotWork(String values, String message) throws IOException, InterruptedException {
        Helm.Result result = helm.tryTemplate("--set=" + values);
        assertThat(result.status()).isNotZero();
        assertThat(result.output()).contains(message);
    }

    @Test
    void eachNodePoolHasItsDaemonSet() throws IOException, InterruptedException {
        String pools = "--set-json=agent.nodePools=[{\"name\":\"gpu\",\"nodeSelector\":{\"pool\":\"gpu\"},"
                + "\"kubelet\":{\"qps\":50}},{\"name\":\"cpu\",\"gpu\":{\"topology\":false},\"extraArgs\":[\"--once\"]}]";
        JsonNode gpu = helm.object("DaemonSet", "numaledger-agent-gpu", pools).at("/spec/template/spec");
        JsonNode cpu = helm.object("DaemonSet", "numaledger-agent-cpu", pools).at("/spec/template/spec");

        assertThat(gpu.get("nodeSelector")).hasToString("{\"pool\":\"gpu\"}");
        assertThat(gpu.at("/containers/0/args").toString())
                .contains("--kubelet-qps=50", "--kubelet-burst=5")
                .doesNotContain("--once", "--gpu-topology");
        assertThat(cpu.at("/containers/0/args").toString())
                .contains("--once", "--gpu-topology=false", "--kubelet-qps=10");
        assertThat(cpu.get("tolerations")).hasToString("[{\"operator\":\"Exists\"}]");
    }

    @Test
    void lintsClean() throws IOException, InterruptedException {
        for (String mode : List.of("kai", "scheduler", "reconfigured")) {
            Helm.Result result = helm.run(List.of("lint", "--strict", "--set=mode=" + mode, Helm.CHART.toString()));
            assertThat(result.output()).contains("0 chart(s) failed");
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            kai          | kubectl get noderesourcetopologies
            scheduler    | kubectl -n default rollout status deployment/numaledger-scheduler
            reconfigured | kubectl -n default get configmap numaledger-scheduler
            """)
    void namesTheNextThreeCommands(String mode, String command) throws IOException, InterruptedException {
        Helm.Result result = helm.run(List.of(
                "install",
                "numaledger",
                Helm.CHART.toString(),
                "--namespace=default",
                "--dry-run=client",
                "--set=mode=" + mode));
        String notes = result.output().substring(result.output().indexOf("NOTES:"));
        assertThat(notes.lines().filter(line -> line.startsWith("  kubectl "))).hasSize(3);
        assertThat(notes).contains(command);
    }

    private static JsonNode container(String... flags) throws IOException, InterruptedException {
        return helm.object("Deployment", NAME, flags).at("/spec/template/spec/containers/0");
    }
}

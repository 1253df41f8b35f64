package io.numaledger.e2e.cluster;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.annotation.Annotations;
import io.numaledger.apiservers.wait.Wait;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.kubectl.PluginMain;
import io.numaledger.simulator.SimulatorMain;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** What a user does with {@code sim up --with-bridge}: looks, and rehearses what happens to nodes. */
class UpWithBridgeIT {

    private static final ObjectMapper JSON = new ObjectMapper();

    private record Answer(int status, String text) {}

    @TempDir
    private static Path temporary;

    private static Path directory;
    private static KubernetesClient client;

    @BeforeAll
    static void up() throws IOException {
        String assets = RealKubernetes.binaries().directory().toString();
        directory = temporary.resolve("sim");
        Path nodes = Files.writeString(temporary.resolve("nodes.yaml"), """
                nodes:
                - name: gpu
                  numaNodes: [{id: 0, cores: 4, memory: 4Gi}, {id: 1, cores: 4, memory: 4Gi}]
                  devices:
                  - {resource: nvidia.com/gpu, count: 2, numaNodes: [0]}
                  - {resource: nvidia.com/gpu, count: 2, numaNodes: [1]}
                - name: plain
                  kubelet: {topologyManagerPolicy: none, cpuManagerPolicy: none, memoryManagerPolicy: None}
                  numaNodes: [{id: 0, cores: 2, memory: 4Gi}]
                """);
        Answer up = sim("up", "--with-bridge", "--kube-assets", assets, "-f", nodes.toString());
        assertThat(up.status()).as(up.text()).isZero();
        assertThat(up.text()).contains("kubectl get numanodes", "./numaledger numa explain POD");
        client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig().toFile()))
                .build();
    }

    @AfterAll
    static void down() {
        Optional.ofNullable(client).ifPresent(KubernetesClient::close);
        assertThat(sim("down").status()).isZero();
        assertThat(ProcessHandle.allProcesses()
                        .map(process -> process.info().commandLine().orElse(""))
                        .filter(line -> line.contains(directory + "/")))
                .isEmpty();
    }

    private static Path kubeconfig() {
        return directory.resolve("admin.kubeconfig");
    }

    private static Answer sim(String command, String... further) {
        StringWriter said = new StringWriter();
        CommandLine line =
                SimulatorMain.commandLine().setOut(new PrintWriter(said, true)).setErr(new PrintWriter(said, true));
        List<String> arguments = new ArrayList<>(List.of(command));
        arguments.addAll(List.of(further));
        arguments.add("--dir=" + directory);
        return new Answer(line.execute(arguments.toArray(String[]::new)), said.toString());
    }

    private static ProcessBuilder process(String... command) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("KUBECONFIG", kubeconfig().toString());
        builder.environment()
                .merge("PATH", RealKubernetes.binaries().directory().toString(), (path, first) -> first + ":" + path);
        return builder;
    }

    private static ProcessBuilder plugin(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                PluginMain.class.getName()));
        command.addAll(List.of(arguments));
        return process(command.toArray(String[]::new));
    }

    private static String run(String... command) throws IOException, InterruptedException {
        return output(process(command));
    }

    private static String output(ProcessBuilder builder) throws IOException, InterruptedException {
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    private static Pod pod(String name) {
        return client.pods().inNamespace("default").withName(name).get();
    }

    private static long allocatable(String node, String resource) {
        return client.nodes()
                .withName(node)
                .get()
                .getStatus()
                .getAllocatable()
                .get(resource)
                .getNumericalAmount()
                .longValue();
    }

    @Test
    void kubectlAndItsPluginShowNodesOfAnyPolicy() throws IOException, InterruptedException {
        assertThat(run("kubectl", "get", "numanodes"))
                .containsPattern("gpu +Ready +single-numa-node ")
                .containsPattern("plain +Ready +none ");
        assertThat(output(plugin("nodes"))).contains("gpu", "plain");
    }

    /** And the labels that kubectl shows. */
    @Test
    void thePageReadsWhatTheApiAnswers() throws IOException, InterruptedException {
        Process page = plugin("ui").start();
        try (BufferedReader said = page.inputReader(StandardCharsets.UTF_8)) {
            Matcher url = Pattern.compile("(http\\S+)#token=(\\S+)").matcher(String.valueOf(said.readLine()));
            assertThat(url.find()).isTrue();
            URI address = URI.create(url.group(1));
            String token = String.valueOf(url.group(2));
            String session =
                    answer(HttpRequest.newBuilder(address.resolve("/session")).POST(BodyPublishers.noBody()), token);

            JsonNode fleet =
                    JSON.readTree(answer(HttpRequest.newBuilder(address.resolve("/data/nodes")), session.strip()));
            List<String> names = new ArrayList<>();
            fleet.path("nodes").forEach(node -> names.add(node.path("node").asText()));
            assertThat(names).containsExactlyInAnyOrder("gpu", "plain");
            assertThat(fleet.path("labels").toString()).contains("\"kubernetes.io/os=linux\"");
            int gpus = new ArrayList<>(JSON.convertValue(fleet.path("resources"), new TypeReference<List<String>>() {}))
                    .indexOf("nvidia.com/gpu");
            JsonNode answered =
                    JSON.readTree(run("kubectl", "get", "--raw", "/apis/numaledger.io/v1alpha1/numanodes/gpu"));
            int gpuNode = names.indexOf("gpu");
            for (int zone = 0; zone < 2; zone++) {
                assertThat(fleet.at("/nodes/%d/zones/%d/free/%d".formatted(gpuNode, zone, gpus))
                                .asText())
                        .isEqualTo(answered.at("/status/zones/%d/free".formatted(zone))
                                .path("nvidia.com/gpu")
                                .asText());
            }
        } finally {
            page.destroy();
        }
    }

    /** As the page's script asks. */
    private static String answer(HttpRequest.Builder request, String secret) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(request.header("Authorization", "Bearer " + secret).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void podsHavePredictionsAndKeepRunningWhileTheirKubeletRestarts() throws IOException {
        client.resource(SimplePod.named("stays")
                        .with("c", "cpu=1", "memory=1Gi")
                        .build())
                .create();
        Wait.until("the pod is observed")
                .passes(() -> assertThat(pod("stays").getMetadata().getAnnotations())
                        .containsKeys(Annotations.PREDICTED, Annotations.OBSERVED));
        String node = pod("stays").getSpec().getNodeName();

        Answer restarted = sim("restart-kubelet", node);

        assertThat(restarted.text())
                .startsWith("The kubelet has restarted, and the node is Ready: node=%s log=".formatted(node))
                .contains("kubelet-2.log");
        assertThat(restarted.status()).isZero();
        assertThat(directory.resolve("n/%s/kubelet-2.log".formatted(node))).exists();
        assertThat(pod("stays").getStatus().getPhase()).isEqualTo("Running");
        assertThat(pod("stays").getStatus().getContainerStatuses().get(0).getRestartCount())
                .isZero();
    }

    @Test
    void devicesFailAndAreRepaired() {
        Answer failed = sim("fail-device", "gpu", "nvidia.com/gpu", "gpu-1");
        assertThat(failed.text())
                .isEqualTo("The device is unhealthy: node=gpu device=gpu-1; the node has 3 of 4 nvidia.com/gpu%n"
                        .formatted());
        assertThat(allocatable("gpu", "nvidia.com/gpu")).isEqualTo(3);

        assertThat(sim("repair-device", "gpu", "nvidia.com/gpu", "gpu-1").status())
                .isZero();
        assertThat(allocatable("gpu", "nvidia.com/gpu")).isEqualTo(4);
    }

    @Test
    void devicePluginsComeLater() {
        Answer added = sim("add-plugin", "plain", "example.com/nic", "0=2");

        assertThat(added.text())
                .isEqualTo(
                        "The device plugin has registered: node=plain resource=example.com/nic devices=[nic-0, nic-1]%n"
                                .formatted());
        assertThat(allocatable("plain", "example.com/nic")).isEqualTo(2);
        assertThat(sim("add-plugin", "plain", "example.com/nic", "0=2").text())
                .contains("the node has such a device plugin: node=plain resource=example.com/nic");
        assertThat(sim("add-plugin", "plain", "example.com/other", "1=2").text())
                .contains("no such NUMA node: node=plain numaNode=1; expected one of [0]");
    }

    @Test
    void wrongNamesAreErrorsWithNearOnes() {
        assertThat(sim("restart-kubelet", "gup"))
                .isEqualTo(new Answer(
                        1, "no such node: node=gup; expected one of [gpu, plain]; did you mean gpu?%n".formatted()));
        assertThat(sim("fail-device", "gpu", "nvidia.com/gp", "gpu-0").text())
                .contains("resource=nvidia.com/gp", "did you mean nvidia.com/gpu?");
        assertThat(sim("fail-device", "gpu", "nvidia.com/gpu", "gpu0").text())
                .contains("no such device: resource=nvidia.com/gpu id=gpu0", "did you mean gpu-0");
    }

    @Test
    void imagesThatAreNotThereCannotBePulledUntilTheyAreAdded() {
        Pod wanted =
                SimplePod.named("elsewhere").with("c", "cpu=1", "memory=1Gi").build();
        client.resource(new PodBuilder(wanted)
                        .editSpec()
                        .editFirstContainer()
                        .withImage("registry.example.com/x/bridge:1")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
        Wait.until("the image cannot be pulled")
                .value(UpWithBridgeIT::waiting, waiting -> waiting.matches("ErrImagePull|ImagePullBackOff"));

        assertThat(sim("add-image", "registry.example.com/x/bridge").status()).isZero();

        Wait.until("the pod runs")
                .value(() -> pod("elsewhere").getStatus().getPhase(), phase -> phase.equals("Running"));
    }

    private static String waiting() {
        return pod("elsewhere").getStatus().getContainerStatuses().stream()
                .flatMap(container -> Optional.ofNullable(container.getState().getWaiting()).stream())
                .map(ContainerStateWaiting::getReason)
                .findFirst()
                .orElse("");
    }
}

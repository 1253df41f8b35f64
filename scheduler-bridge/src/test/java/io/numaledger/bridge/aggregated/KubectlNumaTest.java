package io.numaledger.bridge.aggregated;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.numaledger.bridge.chart.AggregatedBridge;
import io.numaledger.kubectl.PluginMain;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** {@code kubectl numa} with the real kubectl, a real API server, and a bridge that serves the aggregated API. */
class KubectlNumaTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private static Path directory;

    private static AggregatedBridge cluster;
    private static Path admin;
    private static Path user;
    private static Path stranger;

    @BeforeAll
    static void start() throws IOException {
        cluster = AggregatedBridge.start(directory);
        cluster.awaitApi();
        admin = cluster.kubeconfig("admin", cluster.adminToken());
        user = cluster.kubeconfig("user", cluster.token("default"));
        stranger = cluster.kubeconfig("stranger", cluster.token("secret"));
        Path bin = Files.createDirectory(directory.resolve("bin"));
        program(
                bin.resolve("kubectl-numa"),
                "exec '%s' -XX:+UseSerialGC -cp '%s' %s \"$@\""
                        .formatted(
                                ProcessHandle.current().info().command().orElse("java"),
                                System.getProperty("java.class.path"),
                                PluginMain.class.getName()));
        program(bin.resolve("kubectl_complete-numa"), "exec kubectl-numa __complete \"$@\"");
    }

    private static void program(Path file, String line) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + line + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    /** The plugin, with the kubectl of the tests. */
    private static String numa(Path kubeconfig, String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine line =
                PluginMain.commandLine(Map.of("KUBECTL_PATH", cluster.kubectl().toString()));
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--kubeconfig=" + kubeconfig);
        return line.execute(all.toArray(String[]::new)) + "\n" + out;
    }

    /** kubectl as a user types it, with the plugin on the path. */
    private static String kubectl(Path kubeconfig, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("kubectl"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        command.set(0, cluster.kubectl().toString());
        builder.environment().put("KUBECONFIG", kubeconfig.toString());
        builder.environment()
                .put(
                        "PATH",
                        directory.resolve("bin") + ":" + cluster.kubectl().getParent() + ":" + System.getenv("PATH"));
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + "\n" + output;
    }

    @Test
    void showsNodesThroughTheKubectlThatStartsIt() throws Exception {
        assertThat(kubectl(admin, "numa", "nodes").lines())
                .satisfiesExactly(
                        status -> assertThat(status).isEqualTo("0"),
                        head -> assertThat(head)
                                .matches("NAME  STATUS +POLICY +FREE CPU  FREE MEMORY  FREE DEVICES +CONFIDENCE"),
                        row -> assertThat(row).matches("a     Unknown  single-numa-node  \\d,\\d .*"));
    }

    @Test
    void showsANodeWithThePodsThatTheUserMayList() {
        assertThat(numa(admin, "node", "a"))
                .startsWith("0\na  Unknown  single-numa-node/container  confidence: ")
                .contains("default/holds-default on node-0 (observed-amounts)", "secret/holds-secret on node-0");
        assertThat(numa(user, "node", "a"))
                .contains("default/holds-default on node-0 (observed-amounts)", "1 pods of other namespaces on node-0")
                .doesNotContain("holds-secret");
        assertThat(numa(admin, "node", "b")).isEqualTo("2\nno such node: node=b; kubectl numa nodes lists the nodes\n");
    }

    /** kubectl lists once, and then prints what the API server passes on from the bridge. */
    @Test
    void letsKubectlWatchNodes() throws Exception {
        ProcessBuilder watching = new ProcessBuilder(
                        cluster.kubectl().toString(),
                        "--kubeconfig=" + user,
                        "get",
                        "numanodes",
                        "--watch",
                        "-o",
                        "wide")
                .redirectErrorStream(true);
        Process kubectl = watching.start();
        try (BufferedReader lines = kubectl.inputReader()) {
            assertThat(lines.readLine()).startsWith("NAME ");
            assertThat(lines.readLine()).matches("a +Unknown +single-numa-node +\\d,\\d .*");
            cluster.create(bound("watched", "3"));
            assertThat(lines.readLine()).matches("a +Unknown +single-numa-node +\\d,1 .*");
        } finally {
            kubectl.destroy();
            cluster.admin()
                    .pods()
                    .inNamespace("secret")
                    .withName("watched")
                    .withGracePeriod(0)
                    .delete();
        }
        Process stranger = new ProcessBuilder(
                        cluster.kubectl().toString(),
                        "--kubeconfig=" + KubectlNumaTest.stranger,
                        "get",
                        "--raw",
                        "/apis/numaledger.io/v1alpha1/numanodes?watch=true")
                .redirectErrorStream(true)
                .start();
        assertThat(new String(stranger.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("cannot watch resource \"numanodes\"");
    }

    /** By a watch: nodes would be read again after an hour. */
    @Test
    void keepsThePageLive() throws Exception {
        Process page = new ProcessBuilder(
                        directory.resolve("bin/kubectl-numa").toString(), "ui", "--interval=1h", "--kubeconfig=" + user)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = page.inputReader()) {
            Matcher url = Pattern.compile("(http\\S+)/#token=(\\S+)$").matcher(out.readLine());
            assertThat(url.find()).isTrue();
            HttpClient browser = HttpClient.newHttpClient();
            HttpRequest first = HttpRequest.newBuilder(URI.create(url.group(1) + "/session"))
                    .header("Authorization", "Bearer " + url.group(2))
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build();
            String session = browser.send(first, HttpResponse.BodyHandlers.ofString())
                    .body()
                    .strip();
            var events = browser.send(request(url.group(1) + "/events", session), HttpResponse.BodyHandlers.ofLines());
            await("the watch is open")
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> page.descendants().anyMatch(KubectlNumaTest::watches));
            String nodes = url.group(1) + "/data/nodes";
            int before = pods(browser, nodes, session);
            cluster.create(bound("live", "4"));
            await("the page has the pod")
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> pods(browser, nodes, session) == before + 1);
            events.body().close();
        } finally {
            page.destroy();
            cluster.admin()
                    .pods()
                    .inNamespace("secret")
                    .withName("live")
                    .withGracePeriod(0)
                    .delete();
        }
    }

    private static int pods(HttpClient browser, String url, String session) throws IOException, InterruptedException {
        return JSON.readTree(browser.send(request(url, session), HttpResponse.BodyHandlers.ofString())
                        .body())
                .at("/nodes/0/pods")
                .asInt();
    }

    private static HttpRequest request(String url, String session) {
        return HttpRequest.newBuilder(URI.create(url))
                .header("Authorization", "Bearer " + session)
                .build();
    }

    private static boolean watches(ProcessHandle process) {
        return List.of(process.info().arguments().orElse(new String[0]))
                .toString()
                .contains("watch=true");
    }

    /** One of the namespace secret, on node a, with CPUs of zone 1. */
    private static String bound(String name, String cpus) {
        return """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %1$s
                  namespace: secret
                  annotations:
                    kai.scheduler/numa-placement-observed: '[{"zone":"node-1","amount":{"cpu":"%2$s"}}]'
                spec:
                  nodeName: a
                  containers: [{name: c, image: i, resources: {limits: {cpu: "%2$s", memory: 1Gi}}}]
                """.formatted(name, cpus);
    }

    /** Labels are those of Nodes, which few may list. Without them, the page shows the rest. */
    @Test
    void writesAReportOfWhatTheUserMayRead() throws IOException, InterruptedException {
        Process labelled = new ProcessBuilder(
                        cluster.kubectl().toString(), "--kubeconfig=" + admin, "label", "node", "a", "pool=x")
                .redirectErrorStream(true)
                .start();
        assertThat(labelled.waitFor()).isZero();

        assertThat(reported(admin).at("/nodes/labels").toString()).contains("\"pool=x\"");
        JsonNode ofUser = reported(user);
        assertThat(ofUser.at("/nodes/labels")).isEmpty();
        assertThat(ofUser.at("/nodes/nodes/0/node").asText()).isEqualTo("a");
        assertThat(ofUser.at("/nodes/nodes/0/pods").asInt()).isEqualTo(2);
        assertThat(ofUser.toString()).doesNotContain("holds-secret");
        assertThat(numa(stranger, "ui", "--output=" + directory.resolve("none.html")))
                .startsWith("2\n")
                .contains("cannot list");
    }

    private static JsonNode reported(Path kubeconfig) throws IOException {
        Path report = directory.resolve("report.html");
        assertThat(numa(kubeconfig, "ui", "--output=" + report)).isEqualTo("0\n");
        Matcher data = Pattern.compile("id=\"data\">([^<]*)<").matcher(Files.readString(report));
        assertThat(data.find()).isTrue();
        byte[] zipped = Base64.getDecoder().decode(data.group(1));
        return JSON.readTree(new GZIPInputStream(new ByteArrayInputStream(zipped)));
    }

    @Test
    void showsPodsOfANamespaceAndOfAll() {
        assertThat(numa(user, "pods")).isEqualTo("""
                0
                NAME           NODE  PLACEMENT
                holds-default  a     node-0: 1 cpu
                """);
        assertThat(numa(admin, "pods", "-A").lines())
                .containsExactly(
                        "0",
                        "NAMESPACE  NAME           NODE  PLACEMENT",
                        "default    holds-default  a     node-0: 1 cpu",
                        "secret     holds-secret   a     node-0: 1 cpu");
        assertThat(numa(admin, "pods", "-n", "secret", "-o", "wide"))
                .matches("0\nNAME +NODE +PLACEMENT +SOURCE +TERMINATING\nholds-secret +a .* observed-amounts +false\n");
    }

    @Test
    void showsHowFullZonesAre() {
        assertThat(numa(admin, "top", "--sort-by=devices")).isEqualTo("""
                0
                NODE  ZONE    CPU  CPU%  MEMORY  MEMORY%  DEVICES
                a     node-0  2/4  50%        -        -  nvidia.com/gpu 0/1
                a     node-1  0/4  0%         -        -  nvidia.com/gpu 0/1
                """);
    }

    @Test
    void showsWhatIsStranded() throws Exception {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> numa(user, "stranded").contains("cpu-zone"));
        assertThat(numa(user, "stranded", "cpu-zone").lines())
                .startsWith("0")
                .anySatisfy(line -> assertThat(line).startsWith("REFERENCE"))
                .anySatisfy(line -> assertThat(line).startsWith("cpu-zone"));
        assertThat(kubectl(user, "get", "strandedcapacities", "-o", "name"))
                .contains("strandedcapacity.numaledger.io/cpu-zone\n");
        assertThat(kubectl(user, "get", "strandedcapacity", "cpu-zone", "-o", "jsonpath={.status.reference}"))
                .isEqualTo("0\ncpu-zone");
        assertThat(kubectl(user, "get", "strandedcapacities").lines().limit(3))
                .satisfiesExactly(
                        status -> assertThat(status).isEqualTo("0"),
                        head -> assertThat(head).matches("REFERENCE +NODES +BY SUMS +BY ZONES +STRANDED +FOR LACK OF"),
                        row -> assertThat(row).matches("cpu-zone +1 +\\d+ +\\d+ +\\d+ +.*"));
        assertThat(kubectl(user, "get", "strandedcapacity", "cpu-zone")).contains("FOR LACK OF\ncpu-zone  ");
        assertThat(numa(user, "stranded", "cpu-zon")).startsWith("2\nno such reference pod: reference pod=cpu-zon");
        assertThat(numa(user, "stranded", "--node-pool-label=pool")).startsWith("2\nthe bridge counts by its own");
        assertThat(numa(stranger, "stranded")).contains("cannot list resource \"strandedcapacities\"");
    }

    @Test
    void auditsNothingBeforeAPodIsBound() throws Exception {
        assertThat(numa(user, "audit")).isEqualTo("0\nNo predicted pod was observed since the bridge leads.\n");
        assertThat(numa(user, "audit", "holds-default"))
                .startsWith("0\nno observed prediction is known of this pod: pod=holds-default; ");
        assertThat(numa(user, "audit", "holds-defaut"))
                .isEqualTo("2\nno such pod: pod=default/holds-defaut; did you mean default/holds-default?\n");
        assertThat(kubectl(user, "get", "predictionaudits")).isEqualTo("0\nNo resources found\n");
        assertThat(numa(user, "audit", "--misses")).isEqualTo("0\nNo prediction has missed.\n");
        assertThat(numa(
                        user,
                        "audit",
                        "holds-default",
                        "--save",
                        directory.resolve("miss.zip").toString()))
                .startsWith("2\nno prediction about this pod has missed: pod=holds-default");
        assertThat(numa(user, "audit", "--save", directory.resolve("miss.zip").toString()))
                .startsWith("2\n--save needs a pod");
        assertThat(numa(stranger, "audit")).contains("cannot list resource \"predictionaudits\"");
        assertThat(numa(admin, "audit", "--without-bridge"))
                .isEqualTo("2\nonly a bridge audits predictions; leave out --dump and --without-bridge\n");
    }

    @Test
    void explainsPodsAndWhatIfOthersHadEnded() throws IOException {
        Path five = pod("five", "5");
        Path four = pod("four", "4");

        assertThat(numa(user, "explain", "holds-default"))
                .contains("fits node-0: 1 cpu")
                .startsWith("0\n");
        assertThat(numa(user, "explain", "-f", five.toString()))
                .startsWith(
                        "1\npod=default/five: explained as it is written, without what the cluster adds to it: pods is forbidden: User ")
                .contains("\nNODE ", "no   TopologyAffinityError", "needs 5 cpu");
        JsonNode without = JSON.readTree(
                numa(admin, "whatif", "-f", four.toString(), "--evict=holds-default,secret/holds-secret", "-o=json")
                        .substring(2));
        assertThat(without.path("pod").asText()).isEqualTo("default/four");
        assertThat(without.at("/zones/0").asText()).isEqualTo("node-0");
        assertThat(numa(user, "whatif", "holds-default", "--evict=secret/holds-secret"))
                .startsWith("2\nyou may not list pods in the namespace: pod=secret/holds-secret");
        assertThat(numa(user, "explain", "none"))
                .isEqualTo(
                        "2\nno such pod: pod=default/none; kubectl numa pods -A lists those that hold something of a zone\n");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            explain hold-default                       | no such pod: pod=default/hold-default; did you mean default/holds-default?
            explain holds-secret                       | no such pod: pod=default/holds-secret; did you mean secret/holds-secret?
            explain -n secert holds-secret             | no such namespace: namespace=secert; did you mean secret?
            whatif holds-default --evict=hols-default  | no such pod: pod=default/hols-default; did you mean default/holds-default?
            whatif holds-default --evict=secret/holds  | no such pod: pod=secret/holds; did you mean secret/holds-secret?
            node aa                                    | no such node: node=aa; did you mean a?
            pods -n secert                             | no such namespace: namespace=secert; did you mean secret?
            """)
    void proposesNamesThatExist(String arguments, String error) {
        assertThat(numa(admin, arguments.split(" "))).isEqualTo("2\n" + error + "\n");
        if (!arguments.startsWith("explain -n")) {
            List<String> withoutBridge = new ArrayList<>(List.of(arguments.split(" ")));
            withoutBridge.add("--without-bridge");
            assertThat(numa(admin, withoutBridge.toArray(String[]::new))).isEqualTo("2\n" + error + "\n");
        }
    }

    @Test
    void saysInKubectlsWordsThatANamespaceHasNoPods() {
        assertThat(numa(admin, "pods", "-n", "kube-system"))
                .isEqualTo("0\nNo resources found in kube-system namespace.\n");
    }

    @Test
    void explainsAManifestAsTheClusterWouldCreateIt() throws IOException {
        cluster.create("""
                apiVersion: v1
                kind: Namespace
                metadata: {name: limited}
                """);
        cluster.create("""
                apiVersion: v1
                kind: LimitRange
                metadata: {name: defaults, namespace: limited}
                spec:
                  limits:
                  - {type: Container, default: {cpu: "5", memory: 1Gi}, max: {cpu: "6"}}
                """);
        Path bare = Files.writeString(directory.resolve("bare.yaml"), """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: bare, namespace: limited}
                spec:
                  selector: {matchLabels: {app: bare}}
                  template:
                    metadata: {labels: {app: bare}}
                    spec: {containers: [{name: c, image: i}]}
                """);
        Path seven = Files.writeString(
                directory.resolve("seven.yaml"),
                Files.readString(pod("seven", "7")).replace("{name: seven}", "{name: seven, namespace: limited}"));

        assertThat(numa(admin, "explain", "-f", bare.toString()))
                .startsWith("1\nNODE ")
                .contains("needs 5 cpu");
        assertThat(numa(admin, "explain", "-f", seven.toString()))
                .isEqualTo(
                        "2\ncannot use the manifest: file=%s: not a usable Pod: name=seven: maximum cpu usage per Container is 6, but limit is 7\n"
                                .formatted(seven));
    }

    @Test
    void explainsAManifestWhoseNameIsTakenAndOneThatIsRefused() throws IOException {
        assertThat(numa(admin, "explain", "-f", pod("holds-default", "1").toString()))
                .startsWith("0\nNODE ");
        Path typo = Files.writeString(
                directory.resolve("typo.yaml"),
                Files.readString(pod("typo", "1")).replace("resources", "resorces"));
        assertThat(numa(admin, "explain", "-f", typo.toString()))
                .isEqualTo(
                        "2\ncannot use the manifest: file=%s: not a usable Pod: name=typo: unknown field \"spec.containers[0].resorces\"; did you mean resources?\n"
                                .formatted(typo));
        assertThat(numa(admin, "explain", "-n", "defualt", "-f", pod("new", "1").toString()))
                .isEqualTo("2\nno such namespace: namespace=defualt; did you mean default?\n");
    }

    @Test
    void explainsTheClaimsThatWouldBeMadeForAManifest() throws Exception {
        cluster.create("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: wheel}
                spec: {selectors: [{cel: {expression: device.driver == "wheel.example.com"}}]}
                """);
        cluster.create("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: wheels, namespace: default}
                spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: wheel}}]}}}
                """);
        Path rolls = Files.writeString(
                directory.resolve("rolls.yaml"),
                Files.readString(pod("rolls", "1"))
                        .replace(
                                "spec: {",
                                "spec: {resourceClaims: [{name: w, resourceClaimTemplateName: wheels}, {name: none, resourceClaimTemplateName: no-such}], "));

        assertThat(numa(admin, "explain", "-f", rolls.toString()))
                .startsWith("1\n")
                .contains(
                        "pod=default/rolls: explained without the claim of the ResourceClaimTemplate no-such: resourceclaimtemplates.resource.k8s.io \"no-such\" not found")
                .contains("too few devices for the pod's claims; free devices of class wheel: none");
        assertThat(numa(user, "explain", "-f", rolls.toString()))
                .as("the role view reads templates")
                .contains("too few devices for the pod's claims; free devices of class wheel: none");
    }

    private static Path pod(String name, String cpus) throws IOException {
        return Files.writeString(directory.resolve(name + ".yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s}
                spec: {containers: [{name: c, image: i, resources: {limits: {cpu: "%s", memory: 1Gi}}}]}
                """.formatted(name, cpus));
    }

    /** Nothing calls this bridge. */
    @Test
    void saysThatTheSchedulerDidNotCallTheBridge() {
        cluster.create("""
                apiVersion: v1
                kind: Pod
                metadata: {name: unasked, namespace: default}
                spec: {containers: [{name: c, image: i, resources: {limits: {cpu: "1", memory: 1Gi}}}]}
                """);
        var pod = cluster.admin().pods().inNamespace("default").withName("unasked");
        pod.editStatus(tried -> new PodBuilder(tried)
                .editStatus()
                .addNewCondition()
                .withType("PodScheduled")
                .withStatus("False")
                .withReason("Unschedulable")
                .withMessage("0/1 nodes are available: 1 Too many pods.")
                .endCondition()
                .endStatus()
                .build());

        await("the bridge has seen it")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(
                        () -> assertThat(numa(admin, "explain", "unasked"))
                                .startsWith(
                                        "0\nthe scheduler default-scheduler has tried this pod, and has not called this replica of the bridge since the pod was created: "));
        pod.delete();
    }

    @Test
    void saysWhichRightsAUserLacks() {
        assertThat(numa(stranger, "nodes"))
                .startsWith(
                        "2\nnumanodes.numaledger.io is forbidden: User \"system:serviceaccount:secret:user\" cannot list resource \"numanodes\"")
                .contains("; ask for the ClusterRoles view (nodes) and edit (explanations)");
        assertThat(numa(admin, "nodes", "--as=nobody")).contains("User \"nobody\" cannot list");
        assertThat(numa(stranger, "doctor").lines())
                .contains(
                        "warn  right           list numanodes is not granted: no view of zones; ask for the ClusterRole view, or RELEASE-bridge-view of the chart",
                        "warn  right           list pods is not granted: the chart's pods, schedulers and kubelet refusals are not checked; ask somebody who may list all pods");
    }

    @Test
    void namesTheRightsThatReadingWithoutTheBridgeNeeds() {
        assertThat(numa(admin, "nodes", "--as=bob", "--without-bridge"))
                .isEqualTo(
                        "2\nnodes is forbidden: User \"bob\" cannot list resource \"nodes\" in API group \"\" at the cluster scope; --without-bridge reads nodes, noderesourcetopologies and pods of the whole cluster: ask for a ClusterRole that may list them, or leave it out and ask for the ClusterRole view, or RELEASE-bridge-view of the chart\n");
        assertThat(numa(admin, "rehearse", "drain", "x", "--as=bob"))
                .isEqualTo(
                        "2\nnodes is forbidden: User \"bob\" cannot list resource \"nodes\" in API group \"\" at the cluster scope; rehearsals read nodes, noderesourcetopologies and pods of the whole cluster: ask for a ClusterRole that may list them\n");
    }

    @Test
    void theDoctorOfAUserWithFewRightsClaimsNothingThatItDidNotRead() {
        assertThat(numa(user, "doctor", "--without-bridge"))
                .startsWith("1\n")
                .contains("skip  zones           not checked: nodes is forbidden")
                .doesNotContain("u000a")
                .endsWith(
                        "fail  rights          nothing could be checked: you may read neither zones nor pods; ask for the rights above\n")
                .doesNotContain("pods-missing", "API  ");
    }

    @Test
    void saysThatThereIsNoKubeconfig() {
        assertThat(numa(directory.resolve("none"), "nodes"))
                .isEqualTo("2\nerror: stat %s: no such file or directory\n".formatted(directory.resolve("none")));
    }

    @Test
    void passesOnWhatKubectlSays() {
        assertThat(numa(admin, "nodes", "--context=none")).isEqualTo("2\nerror: context \"none\" does not exist\n");
        assertThat(numa(admin, "nodes", "--server=https://127.0.0.1:1"))
                .startsWith("2\nThe connection to the server 127.0.0.1:1 was refused");
    }

    @Test
    void completesCommandsOptionsAndNamesOfTheCluster() throws Exception {
        assertThat(kubectl(user, "__complete", "numa", "no").lines())
                .contains(
                        "node\tShows the zones of nodes, the pods that hold them, and what limits the confidence.",
                        "nodes\tShows what is free in each zone of each node, and how certain that is.",
                        ":4")
                .doesNotContain("top");
        assertThat(kubectl(user, "__complete", "numa", "top", "--sort-by", "").lines())
                .contains("cpu", "memory", "devices", ":4");
        assertThat(kubectl(user, "__complete", "numa", "explain", "--du"))
                .contains("--dump\tread this file instead of a cluster");
        assertThat(kubectl(user, "__complete", "numa", "explain", "-f", "").lines())
                .contains(":0");
        assertThat(kubectl(admin, "__complete", "numa", "node", "").lines()).contains("a", ":4");
        assertThat(kubectl(admin, "__complete", "numa", "explain", "-n", "secret", "holds")
                        .lines())
                .contains("holds-secret", ":4");
        assertThat(kubectl(admin, "__complete", "numa", "pods", "-n", "sec").lines())
                .contains("secret", ":4");
        assertThat(kubectl(admin, "__complete", "numa", "nodes", "--context", "")
                        .lines())
                .contains("real", ":4");
    }

    @Test
    void needsNoBridgeToEvaluateHere() {
        assertThat(numa(admin, "nodes", "--without-bridge")).isEqualTo(numa(admin, "nodes"));
    }

    @Test
    void saysThatTheClusterDoesNotServeTheApi() {
        var services = cluster.admin().genericKubernetesResources("apiregistration.k8s.io/v1", "APIService");
        var service = services.withName("v1alpha1.numaledger.io").get();
        services.withName("v1alpha1.numaledger.io").delete();
        try {
            for (Path who : List.of(admin, stranger)) {
                assertThat(numa(who, "nodes"))
                        .isEqualTo(
                                "2\nthis cluster does not serve the API group numaledger.io; install the chart with mode=scheduler or mode=reconfigured and bridge.aggregatedApi.enabled=true, or use --without-bridge\n");
            }
            assertThat(numa(admin, "doctor"))
                    .startsWith("0\n")
                    .doesNotContain("pods-missing")
                    .contains(
                            "skip  API             not installed: there is no APIService v1alpha1.numaledger.io and no bridge, as with mode=kai; other commands of kubectl numa need --without-bridge\n",
                            "ok    zones           the zones of all nodes are known: nodes=1");
        } finally {
            service.getMetadata().setResourceVersion("");
            service.getMetadata().setUid(null);
            cluster.admin().resource(service).create();
            cluster.awaitApi();
        }
    }

    @Test
    void theDoctorFindsWhatIsWrongInTheCluster() throws Exception {
        assertThat(numa(admin, "doctor"))
                .contains(
                        "ok    API             v1alpha1.numaledger.io is served by numa-system/numaledger-bridge:",
                        "ok    right           list numanodes\n",
                        "ok    zones           the zones of all nodes are known: nodes=1\n");
        cluster.create("apiVersion: v1\nkind: Node\nmetadata: {name: bare}\n");
        cluster.create("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: agent-a
                  namespace: numa-system
                  labels: {app.kubernetes.io/name: numaledger, app.kubernetes.io/component: agent}
                spec: {nodeName: a, containers: [{name: agent, image: i}]}
                """);
        cluster.create("""
                apiVersion: v1
                kind: Pod
                metadata: {name: refused, namespace: secret}
                spec: {nodeName: a, containers: [{name: c, image: i}]}
                """);
        var refused = cluster.admin().pods().inNamespace("secret").withName("refused");
        refused.editStatus(pod -> new PodBuilder(pod)
                .withNewStatus()
                .withPhase("Failed")
                .withReason("TopologyAffinityError")
                .endStatus()
                .build());
        try {
            await("the bridge knows the node")
                    .atMost(Duration.ofMinutes(3))
                    .until(() -> numa(admin, "nodes").contains("bare"));
            assertThat(numa(admin, "doctor"))
                    .startsWith("1\n")
                    .contains(
                            "fail  zones           nodes=bare: no zones are published; check that the agent runs on this node\n",
                            "fail  agent           pod=numa-system/agent-a node=a is not ready: Pending; see kubectl -n numa-system describe pod agent-a",
                            "warn  refusals        TopologyAffinityError of pods that the bridge did not place: pods=secret/refused@a; set their schedulerName");
        } finally {
            refused.withGracePeriod(0).delete();
            cluster.admin()
                    .pods()
                    .inNamespace("numa-system")
                    .withName("agent-a")
                    .withGracePeriod(0)
                    .delete();
            cluster.admin().nodes().withName("bare").delete();
            await("the bridge forgets the node")
                    .atMost(Duration.ofMinutes(3))
                    .until(() -> !numa(admin, "nodes").contains("bare"));
        }
    }

    @Test
    void namesASchedulerThatHasEndedWhereverItIsAskedFor() throws Exception {
        cluster.create("""
                apiVersion: coordination.k8s.io/v1
                kind: Lease
                metadata: {name: numaledger, namespace: kube-system}
                spec: {holderIdentity: "", leaseDurationSeconds: 1, renewTime: "2026-01-01T00:00:00.000000Z"}
                """);
        cluster.create("""
                apiVersion: v1
                kind: Pod
                metadata: {name: stranded, namespace: default}
                spec: {schedulerName: numaledger, containers: [{name: c, image: i}]}
                """);
        cluster.kubectl("patch", "pod", "stranded", "--subresource=status", "--type=merge", """
                --patch={"status": {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                  "message": "0/1 nodes are available", "lastTransitionTime": "2025-12-31T23:59:00Z"}]}}""");
        Pattern finding = Pattern.compile(
                "the scheduler numaledger does not run: its Lease kube-system/numaledger was last renewed \\d+d ago, so that nobody tries [^;]*; start it, or create the pods anew with another schedulerName; known: default-scheduler\n");
        try {
            assertThat(numa(admin, "doctor"))
                    .containsPattern("warn  schedulers      " + finding)
                    .contains("nobody tries the pods=default/stranded;");
            assertThat(numa(admin, "explain", "stranded", "--without-bridge")).containsPattern(finding);
            await("the bridge has read the Lease")
                    .atMost(Duration.ofMinutes(3))
                    .untilAsserted(
                            () -> assertThat(numa(admin, "explain", "stranded")).containsPattern(finding));
        } finally {
            cluster.kubectl("delete", "pod", "stranded", "--grace-period=0", "--force");
            cluster.kubectl("-n", "kube-system", "delete", "lease", "numaledger");
        }
    }

    @Test
    void aReportHasAllViewsAsFarAsTheUserMayRead() throws Exception {
        cluster.create("""
                apiVersion: v1
                kind: Pod
                metadata: {name: waits, namespace: default}
                spec: {containers: [{name: c, image: i, resources: {limits: {cpu: "5", memory: 1Gi}}}]}
                """);
        cluster.create("""
                apiVersion: v1
                kind: Event
                metadata: {name: waits.1, namespace: default}
                involvedObject: {apiVersion: v1, kind: Pod, namespace: default, name: waits}
                reason: NumaUnschedulable
                message: said
                type: Warning
                source: {component: numaledger-bridge}
                lastTimestamp: "2099-01-01T00:00:00Z"
                """);
        try {
            JsonNode all = reported(admin);
            assertThat(all.at("/node~1a/zones/0/cpus").asText()).isEqualTo("0-4");
            assertThat(all.at("/waiting/pods").findValuesAsText("pod")).contains("default/waits");
            assertThat(all.at("/waiting~1pod~1default~1waits/classes").toString())
                    .isEqualTo("[{\"sentence\":\"no zone can take 5 cpu\",\"count\":1,\"names\":[\"a\"]}]");
            assertThat(all.at("/time/entries").findValuesAsText("text")).contains("NumaUnschedulable: said");
            assertThat(all.path("time").toString()).doesNotContain("shown: ");

            JsonNode own = reported(user);
            assertThat(own.at("/waiting/notes/0").asText())
                    .startsWith("only pods of namespace default are shown: pods is forbidden: ");
            assertThat(own.at("/time/notes").toString()).contains("only events of namespace default are shown: ");
            assertThat(own.at("/node~1a/otherPods/count").asInt()).isEqualTo(1);
            assertThat(own.toString()).doesNotContain("holds-secret");
        } finally {
            cluster.kubectl("-n", "default", "delete", "pod", "waits", "--grace-period=0", "--force");
            cluster.kubectl("-n", "default", "delete", "event", "waits.1");
        }
    }

    @Test
    void showsWhatClaimsHoldOfDevices() throws Exception {
        cluster.create("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: vfs}
                spec:
                  driver: vf.example.com
                  nodeName: a
                  pool: {name: a, generation: 1, resourceSliceCount: 1}
                  devices:
                  - {name: vf-0, attributes: {dra.net/numaNode: {int: 0}}}
                  - {name: vf-1, attributes: {dra.net/numaNode: {int: 1}}}
                """);
        claimingPod("default", "vf-0");
        claimingPod("secret", "vf-1");
        try {
            await("the bridge knows the claims")
                    .atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(numa(admin, "node", "a"))
                            .contains(
                                    "\n  devices of vf.example.com: node-0 0 of 1 free, node-1 0 of 1 free\n",
                                    "\n    claims misaligned: vf.example.com/vf-1 on node-1; CPUs on node-0; "));
            assertThat(numa(user, "pods").lines())
                    .contains("claims         a     node-0: 1 cpu  vf.example.com/vf-0 on node-0  aligned");
            assertThat(numa(user, "node", "a")).doesNotContain("vf-1");
            assertThat(kubectl(admin, "get", "numanodes")).contains("FREE DRA DEVICES", "vf.example.com 0,0");
            assertThat(numa(admin, "explain", "claims"))
                    .contains("    claims aligned: its devices lie on the zones of its CPUs and memory\n");
            assertThat(numa(admin, "doctor"))
                    .contains(
                            "warn  claims          pods=secret/claims@a: devices of their claims lie on other NUMA nodes");
        } finally {
            for (String namespace : List.of("default", "secret")) {
                cluster.kubectl("-n", namespace, "delete", "pod", "claims", "--grace-period=0", "--force");
                cluster.kubectl("-n", namespace, "delete", "resourceclaim", "vf");
            }
            cluster.kubectl("delete", "resourceslice", "vfs");
            await("the bridge forgets them")
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> !numa(admin, "node", "a").contains("claims"));
        }
    }

    /** It runs on CPUs of node-0. */
    private static void claimingPod(String namespace, String device) throws IOException, InterruptedException {
        cluster.create("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: vf, namespace: %s}
                spec: {devices: {requests: [{name: r, exactly: {deviceClassName: vf}}]}}
                """.formatted(namespace));
        cluster.kubectl(
                "-n", namespace, "patch", "resourceclaim", "vf", "--subresource=status", "--type=merge", """
                --patch={"status": {"allocation": {"devices": {"results": [
                  {"request": "r", "driver": "vf.example.com", "pool": "a", "device": "%s"}]}}}}""".formatted(
                                device));
        cluster.create("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: claims
                  namespace: %s
                  annotations:
                    kai.scheduler/numa-placement-observed: '[{"zone":"node-0","amount":{"cpu":"1"}}]'
                spec:
                  nodeName: a
                  resourceClaims: [{name: vf, resourceClaimName: vf}]
                  containers: [{name: c, image: i, resources: {limits: {cpu: "1", memory: 1Gi}}}]
                """.formatted(namespace));
        cluster.kubectl(
                "-n",
                namespace,
                "patch",
                "pod",
                "claims",
                "--subresource=status",
                "--patch={\"status\":{\"phase\":\"Running\"}}");
    }

    @Test
    void saysThatTheBridgeDoesNotAnswer() throws IOException, InterruptedException {
        port(1);
        try {
            await("the API server notices")
                    .atMost(Duration.ofMinutes(3))
                    .until(() -> cluster.kubectl("get", "apiservice", "v1alpha1.numaledger.io")
                            .contains("False"));
            assertThat(numa(admin, "nodes"))
                    .startsWith("2\nthe bridge does not answer: ")
                    .endsWith("; see kubectl numa doctor, or use --without-bridge\n");
            assertThat(numa(admin, "doctor"))
                    .startsWith("1\n")
                    .contains(
                            "fail  API             the APIService v1alpha1.numaledger.io is not available: service=numa-system/numaledger-bridge:1 FailedDiscoveryCheck: ",
                            "; check that the bridge's pods are ready, and that network policies let the API server reach them\n",
                            "fail  bridge          you see no pod of the chart's bridge; if its Deployment is scaled to 0, scale it up;");
        } finally {
            port(cluster.port());
            cluster.awaitApi();
        }
    }

    private static void port(int port) throws IOException, InterruptedException {
        cluster.kubectl(
                "patch",
                "apiservice",
                "v1alpha1.numaledger.io",
                "--type=merge",
                "--patch={\"spec\":{\"service\":{\"port\":%d}}}".formatted(port));
    }
}

package io.numaledger.kubectl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.numaledger.cli.Colours;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** The answers from a dump: no kubectl is started. */
class OfflineAnswersTest {

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";

    /** Of the node n, on node-1. */
    private static final String DEVICES = """
            ---
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: vf}
            spec: {selectors: [{cel: {expression: device.driver == "vf.example.com"}}]}
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: s}
            spec:
              driver: vf.example.com
              nodeName: n
              pool: {name: n, generation: 1, resourceSliceCount: 1}
              devices: [{name: vf-0, attributes: {resource.kubernetes.io/numaNode: {int: 1}}}]
            """;

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = PluginCommand.commandLine(new Surroundings("/nowhere/kubectl", Colours.NONE));
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    /** @param text JSON, or YAML for short */
    private static JsonNode json(String text) {
        try {
            return YAML.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The fields of an explanation that say what was decided. */
    private static JsonNode decision(String text) {
        return ((ObjectNode) json(text)).retain("pod", "node", "fits", "reason", "zones", "placement", "advice");
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    @Test
    void explainsAsOneJsonObjectPerLine() throws IOException {
        String dump = file(
                "dump.yaml",
                ClusterYaml.node("full")
                        + ClusterYaml.node("free")
                        + ClusterYaml.running("a", "full", CPUS_4, "1-4")
                        + ClusterYaml.running("b", "full", "cpu: \"1\", memory: 1Gi", "5"));
        String pod = file("pod.yaml", ClusterYaml.pod("x", CPUS_4 + ", nvidia.com/gpu: \"1\"", "", "", ""));
        assertThat(run("explain", "--dump", dump, "-f", pod, "-o", "json")).isZero();
        assertThat(out.toString().lines().map(OfflineAnswersTest::decision))
                .containsExactly(
                        json("{pod: default/x, node: free, fits: true, reason: null, zones: [node-0],"
                                + " placement: [{zone: node-0, amount: {cpu: '4', nvidia.com/gpu: '1'}}], advice: ''}"),
                        json("{pod: default/x, node: full, fits: false, reason: TopologyAffinityError, zones: [],"
                                + " placement: [], advice: the pod would fit without default/a}"));
    }

    @Test
    void explainsWithTheSmallestChangeThatHelps() throws IOException {
        String dump = file(
                "dump.yaml",
                ClusterYaml.node("full")
                        + ClusterYaml.running("a", "full", CPUS_4, "1-4")
                        + ClusterYaml.running("b", "full", "cpu: \"1\", memory: 1Gi", "5"));
        String pod = file("pod.yaml", ClusterYaml.pod("x", CPUS_4, "", "", ""));
        assertThat(run("explain", "--dump", dump, "-f", pod))
                .as("no node takes it")
                .isEqualTo(1);
        assertThat(out.toString())
                .startsWith("NODE                     FITS PLACEMENT OR REASON\n")
                .contains("no   TopologyAffinityError")
                .contains("needs 4 cpu on 1 zone; node-1 has 3 free, held by default/b")
                .contains("the pod would fit without default/a");
    }

    @Test
    void comparesDevicesOfClaimsInADump() throws IOException {
        String claim = """
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: c, namespace: default}
                spec: {devices: {requests: [{name: r, exactly: {deviceClassName: vf}}]}}
                ---
                apiVersion: resource.k8s.io/v1beta1
                kind: ResourceSlice
                metadata: {name: of another version}
                """;
        String dump = file("dump.yaml", ClusterYaml.node("n") + DEVICES + claim);
        String pod = file(
                "pod.yaml",
                ClusterYaml.pod(
                        "x",
                        CPUS_4,
                        ", annotations: {numaledger.io/claim-alignment: required}",
                        "  resourceClaims: [{name: d, resourceClaimName: c}]",
                        ""));
        assertThat(run("explain", "--dump", dump, "-f", pod)).isEqualTo(1);
        assertThat(out.toString())
                .contains("ClaimsNotAligned")
                .contains(
                        "CPUs would come from node-0; kube-scheduler would allocate vf-0 of driver vf.example.com, on node-1");
    }

    @Test
    void explainsClaimsThatWouldBeMadeFromTemplates() throws IOException {
        String dump = file("dump.yaml", ClusterYaml.node("n") + ClusterYaml.node("without") + DEVICES);
        String templates = """
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: one}
                spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: vf, count: %s}}]}}}
                """;
        String pod = ClusterYaml.pod(
                "x",
                CPUS_4,
                ", annotations: {numaledger.io/claim-alignment: %s}",
                "  resourceClaims: [{name: d, resourceClaimTemplateName: one}]",
                "");

        assertThat(run("explain", "--dump", dump, "-f", file("1.yaml", pod.formatted("none") + templates.formatted(1))))
                .isZero();
        assertThat(out.toString())
                .contains("not-aligned")
                .contains("kube-scheduler would allocate vf-0 of driver vf.example.com, on node-1")
                .contains("too few devices for the pod's claims; free devices of class vf: none");

        assertThat(run("explain", "--dump", dump, "-f", file("2.yaml", pod.formatted("none") + templates.formatted(2))))
                .isEqualTo(1);
        assertThat(run(
                        "explain",
                        "--dump",
                        dump,
                        "-f",
                        file("3.yaml", pod.formatted("required") + templates.formatted(1))))
                .isEqualTo(1);
        assertThat(out.toString()).contains("ClaimsNotAligned");
    }

    @Test
    void showsNodesLikeTheApi() throws IOException {
        String dump = file("dump.yaml", ClusterYaml.node("n") + ClusterYaml.running("a", "n", CPUS_4, "1-4"));
        assertThat(run("nodes", "--dump", dump, "-o", "json")).isZero();
        JsonNode node = json(out.toString());
        assertThat(node.path("node").asText()).isEqualTo("n");
        assertThat(node.path("confidence").asText()).isEqualTo("exact");
        assertThat(node.path("confidenceReason").asText()).isEmpty();
        assertThat(node.path("zones").path(0).path("free")).isEqualTo(json("{cpu: '0', nvidia.com/gpu: '1'}"));
        assertThat(node.path("pods").path(0).path("pod").asText()).isEqualTo("default/a");
        assertThat(node.path("pods").path(0).path("source").asText()).isEqualTo("observed");
    }

    @Test
    void readsAListOfJsonAsKubectlPrintsIt() throws IOException {
        String node = "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"bare\"},\"status\":{}}";
        String other =
                "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"y\"},\"spec\":{\"containers\":[]}}";
        String dump =
                file("dump.json", "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" + node + "," + other + "]}");
        String pod = file("pod.yaml", ClusterYaml.pod("x", CPUS_4, "", "", ""));
        assertThat(run("explain", "--dump", dump, "-f", pod, "-o", "json")).isZero();
        assertThat(decision(out.toString()))
                .isEqualTo(
                        json(
                                "{pod: default/x, node: bare, fits: true, reason: null, zones: [], placement: [], advice: ''}"));
    }

    @Test
    void reportsErrorsInOneLine() throws IOException {
        String service = file("service.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: x}\n");
        String dump = file("dump.yaml", ClusterYaml.node("n") + ClusterYaml.running("a", "n", CPUS_4, "1-4"));
        assertThat(run("explain", "--dump", dump, "-f", service)).isEqualTo(2);
        assertThat(err.toString())
                .isEqualTo(
                        "cannot use the manifest: file=%s: no Pod in the manifest: found Service; use a Pod, or an object with a pod template such as a Deployment\n"
                                .formatted(service));
        assertThat(run("nodes", "--dump", "nowhere.yaml")).isEqualTo(2);
        assertThat(err.toString())
                .contains("cannot read the dump: file=nowhere.yaml does not exist; create one with kubectl get");
        assertThat(run("explain", "--dump", dump, "default/b")).isEqualTo(2);
        assertThat(err.toString())
                .endsWith(
                        "no such pod: pod=default/b; kubectl numa pods -A lists those that hold something of a zone\n");
        assertThat(run("node", "--dump", dump, "m")).isEqualTo(2);
        assertThat(err.toString()).endsWith("no such node: node=m; kubectl numa nodes lists the nodes\n");
        assertThat(run("explain", "--dump", dump)).isEqualTo(2);
        assertThat(err.toString()).contains("give either [NAMESPACE/]NAME or -f FILE");
    }

    /** There is no kubectl: it would be an error to start it. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            explain                              | give either [NAMESPACE/]NAME or -f FILE
            explain pod -f pod.yaml              | give either [NAMESPACE/]NAME or -f FILE
            explain --group g pod                | give either --group, [NAMESPACE/]NAME or -f FILE
            explain -f /nowhere/pod.yaml         | cannot read a file: file=/nowhere/pod.yaml does not exist; check the path
            whatif pod                           | missing required option: '--evict=[NAMESPACE/]NAME'
            ui --port 99999                      | --port is 0 to 65535: port=99999
            ui --port=-1                         | --port is 0 to 65535: port=-1
            top --sort-by cpus                   | invalid value for option '--sort-by': expected one of [cpu, memory, devices] (case-sensitive) but was 'cpus'; did you mean cpu?
            """)
    void checksArgumentsBeforeItContactsAnything(String arguments, String error) {
        assertThat(run(arguments.split(" "))).isEqualTo(2);
        assertThat(err.toString()).startsWith(error + "\n");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            empty         | ''                                    | it has 0 Nodes, 0 NodeResourceTopologies and 0 Pods
            a text table  | NAME STATUS\\nn Ready                 | it is text, and not an object of Kubernetes
            one kind      | kind: Node\\nmetadata: {name: n}      | it has 1 Nodes, 0 NodeResourceTopologies and 0 Pods
            no YAML       | kind: Node\\n  - x: [                 | no YAML: mapping values are not allowed here in line 2
            """)
    void saysWhatIsWrongWithADump(String situation, String text, String why) throws IOException {
        String dump = file("dump.yaml", text.replace("\\n", "\n"));
        assertThat(run("nodes", "--dump", dump)).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("cannot use the dump: file=%s: ".formatted(dump))
                .endsWith("; create one with kubectl get nodes,noderesourcetopologies,pods -A -o yaml\n")
                .hasLineCount(1);
        if (!situation.equals("no YAML")) {
            assertThat(err.toString()).contains(why);
        }
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            cpu: "-4"                  | spec.containers[0].resources.limits[cpu]: Invalid value: "-4": must be greater than or equal to 0
            memory: "1e999"            | container c: memory is 1e999; expected less than 2^63
            memory: "1e999999999"      | not a quantity: text='1e999999999'; expected a number
            memory: 10000000000000Gi   | container c: memory is 10000000000000Gi; expected less than 2^63
            """)
    void refusesImpossibleAmounts(String amount, String why) throws IOException {
        String dump = file("dump.yaml", ClusterYaml.node("n") + ClusterYaml.running("a", "n", CPUS_4, "1-4"));
        String pod = file("pod.yaml", ClusterYaml.pod("x", amount, "", "", ""));
        assertThat(run("explain", "--dump", dump, "-f", pod)).isEqualTo(2);
        assertThat(err.toString()).contains("not a usable Pod: name=x: " + why);

        String empty = file("empty.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: []}\n");
        assertThat(run("explain", "--dump", dump, "-f", empty)).isEqualTo(2);
        assertThat(err.toString()).contains("not a usable Pod: name=x: spec.containers: Required value");
    }

    /** Texts that are small, and take much to read: as the dump, and as the manifest. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            tripled aliases      | a: &a x\\nb0: &b0 [*a, *a, *a]\\n%s | no YAML: the aliases expand to more than 1000000 characters; write less of them in line
            an alias of itself   | spec: &s {a: *s}                  | no YAML: found undefined alias s in line 1
            aliases in a key     | ? &k [a, a]\\n: x                 | no YAML: a key is no text in line 1
            deep lists           | a: [[                             | no YAML: nested more than 1000 deep in line 1
            deep mappings        | a: {a: {a:                        | no YAML: nested more than 1000 deep in line 1
            a long number        | a: 99                             | no YAML: a number of 200000 characters; at most 1000 are read in line 1
            a long fraction      | a: 0.99                           | no YAML: a number of 200002 characters; at most 1000 are read in line 1
            no number            | a: !!int 1x                       | no YAML: not a number: 1x in line 1
            two keys of one name | a: 1\\na: 2                       | no YAML: found duplicate key a in line 2
            deep JSON            | {"a": [[                          | no JSON: Document nesting depth (1001) exceeds the maximum allowed
            long numbers in JSON | {"a": 99}                         | no JSON: Number value length (200000) exceeds the maximum allowed
            """)
    void boundsWhatTextsCost(String situation, String text, String why) throws IOException {
        StringBuilder tripled = new StringBuilder();
        for (int i = 1; i <= 30; i++) {
            tripled.append("b%1$d: &b%1$d [*b%2$d, *b%2$d, *b%2$d]\n".formatted(i, i - 1));
        }
        String hostile = file(
                "hostile.yaml",
                text.replace("\\n", "\n")
                        .replace("%s", tripled)
                        .replace("[[", "[".repeat(200_000))
                        .replace("{a: {a:", "{a: ".repeat(200_000))
                        .replace("99", "9".repeat(200_000)));
        String dump = file("dump.yaml", ClusterYaml.node("n") + ClusterYaml.running("a", "n", CPUS_4, "1-4"));

        assertThat(run("nodes", "--dump", hostile)).isEqualTo(2);
        assertThat(run("explain", "--dump", dump, "-f", hostile)).isEqualTo(2);
        assertThat(err.toString().lines())
                .satisfiesExactly(
                        first -> assertThat(first)
                                .startsWith("cannot use the dump: file=%s: %s".formatted(hostile, why)),
                        second -> assertThat(second)
                                .startsWith("cannot use the manifest: file=%s: %s".formatted(hostile, why)));
    }

    @Test
    void readsAnchorsAndAliases() throws IOException {
        String dump = file("dump.yaml", ClusterYaml.node("n") + ClusterYaml.running("a", "n", CPUS_4, "1-4"));
        String pods = file("pods.yaml", """
                apiVersion: v1
                kind: Pod
                metadata: &of {name: first}
                spec: &spec
                  containers:
                  - &main {name: main, image: i, resources: &r {limits: {cpu: 1, memory: 1Gi}}}
                  - {name: second, image: i, resources: *r}
                ---
                apiVersion: v1
                kind: List
                items:
                - {apiVersion: v1, kind: Pod, metadata: &of {name: last}, spec: &spec {containers: [&c {name: c, image: i, resources: {limits: {cpu: "5", memory: 1Gi}}}]}}
                - {apiVersion: v1, kind: Pod, metadata: {name: copy}, spec: *spec}
                """);
        assertThat(run("explain", "--dump", dump, "-f", pods, "-o", "json")).isEqualTo(1);
        assertThat(out.toString().lines().map(OfflineAnswersTest::json))
                .extracting(json ->
                        json.path("pod").asText() + " " + json.path("fits").asBoolean())
                .containsExactly("default/copy false", "default/first true", "default/last false");
    }

    @Test
    void explainsEveryPodOfAManifest() throws IOException {
        String dump = file("dump.yaml", ClusterYaml.node("n") + ClusterYaml.running("a", "n", CPUS_4, "1-4"));
        String manifest = file("manifest.yaml", """
                apiVersion: v1
                kind: Service
                metadata: {name: s}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web, namespace: shop}
                spec:
                  template:
                    spec:
                      containers:
                        - name: a
                          image: i
                          resources: &same {limits: {cpu: 1, memory: 1Gi}}
                        - {name: b, image: i, resources: *same}
                ---
                apiVersion: batch/v1
                kind: CronJob
                metadata: {name: nightly}
                spec:
                  jobTemplate:
                    spec:
                      template:
                        spec: {containers: [{name: c, image: i, resources: {limits: {cpu: 60, memory: 1Gi}}}]}
                """);
        assertThat(run("explain", "--dump", dump, "-f", manifest, "-o", "json"))
                .as("no node takes the second")
                .isEqualTo(1);
        assertThat(out.toString().lines().map(OfflineAnswersTest::json))
                .extracting(each -> each.path("pod").asText() + " " + each.path("fits"))
                .containsExactly("default/nightly false", "shop/web true");
    }

    @Test
    void explainsAPodOfTheClusterAndWhatIfOthersHadEnded() throws IOException {
        String dump = file(
                "dump.yaml",
                ClusterYaml.node("n")
                        + ClusterYaml.running("a", "n", CPUS_4, "1-4")
                        + ClusterYaml.running("b", "n", "cpu: \"2\", memory: 1Gi", "5-6")
                        + ClusterYaml.pod("x", CPUS_4, "", "", ""));
        assertThat(run("explain", "--dump", dump, "default/x")).isEqualTo(1);
        assertThat(run("whatif", "--dump", dump, "--evict", "default/a", "x", "-o", "yaml"))
                .isZero();
        assertThat(out.toString()).contains("---\nnode: \"n\"\nfits: true\n");
    }

    @Test
    void doesNotCallANodeFitThatLacksAResource() throws IOException {
        String dump = file("dump.yaml", ClusterYaml.node("n") + ClusterYaml.running("a", "n", CPUS_4, "1-4"));
        String pod = file("pod.yaml", ClusterYaml.pod("x", CPUS_4 + ", amd.com/gpu: \"1\"", "", "", ""));
        assertThat(run("explain", "--dump", dump, "-f", pod)).isEqualTo(1);
        assertThat(out.toString()).isEqualTo("""
                NODE                     FITS PLACEMENT OR REASON
                n                        no   the node as a whole
                    the node has no amd.com/gpu
                    its zones: fits node-1: 4 cpu
                """);
    }

    @Test
    void showsTheNodesThatAreNamed() throws IOException {
        String dump = file(
                "dump.yaml",
                ClusterYaml.node("n") + ClusterYaml.node("m") + ClusterYaml.running("a", "n", CPUS_4, "1-4"));
        assertThat(run("node", "--dump", dump, "m", "-o", "json")).isZero();
        assertThat(json(out.toString()).path("node").asText()).isEqualTo("m");
        assertThat(out.toString()).hasLineCount(1);
    }

    private static String member(int number) {
        return ClusterYaml.pod(
                "g-" + number,
                CPUS_4,
                ", labels: {numaledger.io/pod-group: g}, annotations: {numaledger.io/min-member: \"3\"}",
                "",
                ", phase: Pending");
    }

    /** Two pods of 1 CPU sit on zones that pods of 4 CPUs need; a third node takes one of them. */
    @Test
    void explainsWhichEvictionsMakeRoomForAGroup() throws IOException {
        String dump = file(
                "dump.yaml",
                ClusterYaml.node("a")
                        + ClusterYaml.node("b")
                        + ClusterYaml.running("x", "a", "cpu: \"1\", memory: 1Gi", "1")
                        + ClusterYaml.running("y", "b", "cpu: \"1\", memory: 1Gi", "1")
                        + member(0)
                        + member(1)
                        + member(2));

        assertThat(run("explain", "--dump", dump, "--group", "g")).isEqualTo(1);
        assertThat(out.toString())
                .contains("group default/g: 3 of its 3 waiting pods have to run together, 2 fit now")
                .contains("default/x from node a, which fits node b")
                .contains("node a: default/g-0, default/g-1")
                .contains("node b: default/g-2");
    }

    @Test
    void explainsAGroupThatFits() throws IOException {
        String dump =
                file("dump.yaml", ClusterYaml.node("a") + ClusterYaml.node("b") + member(0) + member(1) + member(2));

        assertThat(run("explain", "--dump", dump, "--group", "default/g", "-o", "json"))
                .isZero();
        assertThat(json(out.toString())).isEqualTo(json("""
                group: default/g
                needed: 3
                waiting: 3
                placeable: 3
                cutOff: false
                fits: true
                notConsidered: ""
                nodes:
                - {node: a, pods: [default/g-0, default/g-1]}
                - {node: b, pods: [default/g-2]}
                evictions: []
                """));
    }
}

package io.numaledger.kubectl;

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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** The views of a dump: no kubectl is started. */
class OfflineViewsTest {

    private static final String NO_KUBECTL = "/nowhere/kubectl";
    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";
    private static final String BARE = "---\napiVersion: v1\nkind: Node\nmetadata: {name: bare}\nstatus: {}\n";

    @TempDir
    private Path directory;

    private String run(Colours colours, String objects, String... arguments) throws IOException {
        Path dump = Files.writeString(directory.resolve("dump.yaml"), objects);
        StringWriter out = new StringWriter();
        CommandLine line = PluginCommand.commandLine(new Surroundings(NO_KUBECTL, colours));
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        String[] all = Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = "--dump=" + dump;
        return line.execute(all) + "\n" + out;
    }

    private String run(String objects, String... arguments) throws IOException {
        return run(Colours.NONE, objects, arguments);
    }

    @Test
    void showsNodesAndPodsAsTablesAndDocuments() throws IOException {
        String objects = ClusterYaml.node("n") + BARE + ClusterYaml.running("a", "n", CPUS_4, "1-4");

        assertThat(run(objects, "nodes")).isEqualTo("""
                0
                NAME  STATUS   POLICY            FREE CPU   FREE MEMORY  FREE DEVICES        CONFIDENCE
                bare  Unknown  <unknown>         <unknown>  <unknown>    <none>              aggregate
                n     Unknown  single-numa-node  0,4        -,-          nvidia.com/gpu 1,1  exact
                """);
        assertThat(run(objects, "pods", "-o", "json"))
                .isEqualTo(
                        "0\n{\"pod\":\"default/a\",\"source\":\"observed\",\"terminating\":false,\"placement\":[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"4\"}}],\"node\":\"n\"}\n");
        assertThat(run(objects, "node", "n", "-o", "yaml")).startsWith("0\n---\nnode: \"n\"\nconfidence: \"exact\"\n");
        assertThat(run(objects, "top", "-o", "json"))
                .startsWith(
                        "0\n{\"node\":\"bare\",\"zone\":\"-\",\"held\":{},\"allocatable\":{}}\n{\"node\":\"n\",\"zone\":\"node-0\",\"held\":{\"cpu\":\"4\"");
    }

    @Test
    void showsWhatIsStrandedAndTheMovesThatWouldMakeRoom() throws IOException {
        String objects = allocatable("n")
                + allocatable("m")
                + BARE
                + ClusterYaml.running("a", "n", "cpu: \"2\", memory: 1Gi", "1-2")
                + ClusterYaml.running("b", "n", "cpu: \"2\", memory: 1Gi", "5-6")
                + ClusterYaml.running("c", "m", "cpu: \"2\", memory: 1Gi", "1-2");

        assertThat(run(
                        objects,
                        "stranded",
                        "--reference-pod=big:cpu=4,memory=1Gi",
                        "--reference-pod=small:cpu=1,memory=1Gi"))
                .isEqualTo("""
                        0
                        REFERENCE  POOL  NODES  BY SUMS  BY ZONES  STRANDED  FOR LACK OF
                        big           -      2        2         1         1  cpu 1
                        small         -      2       10        10         0  -

                        big: room for 2 more by the sums of nodes, 1 run
                          n strands 1 for lack of cpu
                        these moves would make room; nothing is moved:
                          default/a from n to m: 1 more

                        not counted: 1 nodes whose zones are unknown
                        """);
        assertThat(run(objects, "stranded", "-o", "json").lines())
                .hasSize(4)
                .anySatisfy(line -> assertThat(line).startsWith("{\"reference\":\"nvidia-gpu-2\",\"byZones\":0,"));
        assertThat(run(objects, "stranded", "cpu-zon"))
                .isEqualTo("2\nno such reference pod: reference pod=cpu-zon; did you mean cpu-zone?\n");
        String budget = """
                ---
                kind: PodDisruptionBudget
                metadata: {name: all, namespace: default}
                spec: {selector: {}}
                status: {disruptionsAllowed: 0}
                """;
        assertThat(run(objects + budget, "stranded", "big", "--reference-pod=big:cpu=4,memory=1Gi"))
                .contains("no move of one or two pods of a node was found that makes room");
    }

    private static String allocatable(String node) {
        return ClusterYaml.node(node)
                .replace("allocatable: {nvidia", "allocatable: {cpu: \"8\", memory: 32Gi, pods: \"110\", nvidia");
    }

    /** As {@code kubectl get nodes} does: free zones of a node that takes no pods are free for nobody. */
    @Test
    void showsWhichNodesAreNotReadyOrCordoned() throws IOException {
        String down = BARE.replace("status: {}", "status: {conditions: [{type: Ready, status: Unknown}]}");
        String cordoned = """
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: drained}
                spec: {unschedulable: true}
                status: {conditions: [{type: DiskPressure, status: "False"}, {type: Ready, status: "True"}]}
                """;

        assertThat(run(ClusterYaml.node("n") + down + cordoned, "nodes"))
                .containsPattern("\nbare +NotReady  ")
                .containsPattern("\ndrained +Ready,SchedulingDisabled  ");
        assertThat(run(ClusterYaml.node("n") + down + cordoned, "node", "drained"))
                .contains("drained  Ready,SchedulingDisabled  -/-  confidence: ");
        assertThat(run(ClusterYaml.node("n") + down + cordoned, "node", "drained", "-o", "json"))
                .contains("{\"node\":\"drained\",\"ready\":true,\"unschedulable\":true,\"confidence\"");
    }

    @Test
    void coloursOnlyWhatIsForATerminal() throws IOException {
        String objects = ClusterYaml.node("n") + ClusterYaml.running("a", "n", CPUS_4, "1-4");

        assertThat(run(new Colours(true), objects, "explain", "a")).contains("\033[32mfits\033[0m node-0: 4 cpu");
        assertThat(run(objects, "explain", "a")).doesNotContain("\033");
        assertThat(run(new Colours(true), objects, "nodes", "-o", "json")).doesNotContain("\033");
    }

    @Test
    void saysFirstThatNoSchedulerHasTriedThePod() throws IOException {
        String pod = ClusterYaml.pod(
                "x",
                CPUS_4,
                ", creationTimestamp: \"2026-01-01T00:00:00Z\"",
                "  schedulerName: numaleger",
                ", phase: Pending");
        String objects = ClusterYaml.node("n") + pod;

        assertThat(run(objects, "explain", "x").lines().skip(1))
                .satisfiesExactly(
                        first -> assertThat(first)
                                .matches(
                                        "no scheduler named numaleger has tried this pod for \\d+d; correct schedulerName, or start that scheduler; known: default-scheduler, numaledger; did you mean numaledger\\?"),
                        head -> assertThat(head).startsWith("NODE"),
                        row -> assertThat(row).isEqualTo("n                        fits node-0: 4 cpu"));
        assertThat(run(objects, "explain", "x", "-o", "json"))
                .contains("\"scheduler\":{\"finding\":\"unknown-scheduler\",\"name\":\"numaleger\",\"text\":\"no sch");
    }

    @Test
    void saysWhyNothingIsAligned() throws IOException {
        String objects = ClusterYaml.node("n")
                + BARE
                + ClusterYaml.pod("x", CPUS_4, "", "", "")
                        .replace("limits", "requests")
                        .replace("qosClass: Guaranteed", "qosClass: Burstable")
                + ClusterYaml.pod("y", CPUS_4, "", "", "");

        assertThat(run(objects, "explain", "x"))
                .contains(
                        "n                        fits not aligned: QoS class Burstable: container c has no limit of cpu; set limits equal to requests, for cpu and memory of every container");
        assertThat(run(objects, "explain", "y"))
                .contains(
                        "bare                     fits zones unknown: the node is not refused, and its kubelet may refuse the pod; --unknown-nodes=hold waits for the zones\n    no zones are published; check that the agent runs on this node");
    }

    @Test
    void usesTheKubectlThatIsNamedAndColoursOnATerminalOnly() {
        Map<String, String> terminal = Map.of("NUMALEDGER_TERMINAL", "yes", "TERM", "xterm");

        assertThat(Surroundings.of(Map.of("KUBECTL_PATH", "/opt/kubectl", "TERM", "xterm")))
                .isEqualTo(new Surroundings("/opt/kubectl", Colours.NONE));
        assertThat(Surroundings.of(terminal)).isEqualTo(new Surroundings("kubectl", new Colours(true)));
        assertThat(Surroundings.of(Map.of("NUMALEDGER_TERMINAL", "yes", "TERM", "xterm", "NO_COLOR", "1"))
                        .colours())
                .isEqualTo(Colours.NONE);
        assertThat(Surroundings.of(Map.of("NUMALEDGER_TERMINAL", "yes", "TERM", "dumb"))
                        .colours())
                .isEqualTo(Colours.NONE);
    }

    @Test
    void saysThatKubectlIsMissing() {
        StringWriter err = new StringWriter();
        CommandLine line = PluginCommand.commandLine(new Surroundings(NO_KUBECTL, Colours.NONE));
        line.setErr(new PrintWriter(err, true));

        assertThat(line.execute("nodes")).isEqualTo(2);
        assertThat(err.toString())
                .isEqualTo(
                        "cannot start kubectl: program=/nowhere/kubectl; put kubectl on the path, or set KUBECTL_PATH to it\n");
    }

    @Test
    void theDoctorFindsNothingInAHealthyCluster() throws IOException {
        String objects =
                ClusterYaml.node("n") + ClusterYaml.running("a", "n", CPUS_4, "1-4") + agent("agent-n", "n", "True");

        assertThat(run(objects, "doctor")).isEqualTo("""
                0
                ok    zones           the zones of all nodes are known: nodes=1
                ok    agent           all pods are ready: pods=1
                ok    refusals        no kubelet has refused a pod that still exists
                ok    schedulers      no pod waits for a scheduler that has never tried it; whether schedulers still run is not known
                """);
    }

    @Test
    void theDoctorFindsPodsThatNoSchedulerTries() throws IOException {
        String waiting = """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %1$s, namespace: default, uid: %1$s, creationTimestamp: "2026-01-01T00:%2$s:00Z"}
                spec: {schedulerName: numaleger, containers: [{name: c, image: i}]}
                status: {phase: Pending}
                """;

        assertThat(run(
                        ClusterYaml.node("n")
                                + agent("agent-n", "n", "True")
                                + waiting.formatted("hello", "00")
                                + waiting.formatted("later", "05"),
                        "doctor"))
                .startsWith("0\n")
                .contains(
                        "warn  schedulers      no scheduler named numaleger has tried the pods=default/hello for 5m; correct schedulerName, or start that scheduler");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            whatif hello --evict helo         | no such pod: pod=default/helo; did you mean default/hello?
            whatif hello --evict other/hello  | no such pod: pod=other/hello; did you mean default/hello?
            explain helo                      | no such pod: pod=default/helo; did you mean default/hello?
            explain nothing                   | no such pod: pod=default/nothing; kubectl numa pods -A lists those that hold something of a zone
            explain --group trainin           | no such group: group=default/trainin; did you mean default/training?
            node node-l                       | no such node: node=node-l; did you mean node-1?
            pods -n defualt                   | no such namespace: namespace=defualt; did you mean default?
            """)
    void proposesNamesThatTheDumpHas(String arguments, String error) throws IOException {
        String objects = ClusterYaml.node("node-1")
                + ClusterYaml.running("hello", "node-1", "cpu: \"1\", memory: 1Gi", "1")
                + ClusterYaml.pod(
                        "worker",
                        "cpu: \"1\"",
                        ", labels: {numaledger.io/pod-group: training}",
                        "",
                        ", phase: Pending");

        assertThat(run(objects, arguments.split(" "))).isEqualTo("2\n" + error + "\n");
    }

    @Test
    void saysInKubectlsWordsThatANamespaceHasNoPods() throws IOException {
        assertThat(run(ClusterYaml.node("n") + ClusterYaml.pod("p", "cpu: \"1\"", "", "", ""), "pods"))
                .isEqualTo("0\nNo resources found in default namespace.\n");
    }

    @Test
    void theDoctorSaysWhatIsWrongAndWhatToDo() throws IOException {
        String objects = ClusterYaml.node("n", "none")
                + BARE
                + agent("agent-n", "n", "False")
                + refused("placed", ", annotations: {kai.scheduler/numa-placement-predicted: '[]'}")
                + refused("other", "");

        assertThat(run(objects, "doctor").lines())
                .containsExactly(
                        "1",
                        "fail  zones           nodes=bare: no zones are published; check that the agent runs on this node",
                        "warn  zones           nodes=n: the policy none aligns nothing; set topologyManagerPolicy in the kubelet's configuration",
                        "fail  agent           pod=numaledger/agent-n node=n is not ready: CrashLoopBackOff; see kubectl -n numaledger describe pod agent-n, and why it ended: kubectl -n numaledger logs --previous agent-n",
                        "fail  refusals        TopologyAffinityError of pods that the bridge placed: pods=default/placed@n; see docs/troubleshoot.md#a-kubelet-refused-a-pod of the source code",
                        "warn  refusals        TopologyAffinityError of pods that the bridge did not place: pods=default/other@n; set their schedulerName to the scheduler that calls the bridge",
                        "ok    schedulers      no pod waits for a scheduler that has never tried it; whether schedulers still run is not known");
        assertThat(run(BARE + refused("x", ""), "doctor", "-o", "json"))
                .startsWith("1\n{\"level\":\"FAIL\",\"about\":\"zones\",\"text\":\"nodes=bare: ")
                .contains("the cluster has no pod of the chart's agent");
    }

    @Test
    void theDoctorQuotesWhatADevicePluginSaid() throws IOException {
        String pod = refused("a", ", annotations: {kai.scheduler/numa-placement-predicted: '[]'}")
                .replace(
                        "reason: TopologyAffinityError",
                        "reason: UnexpectedAdmissionError, message: 'Pod was rejected: Allocate failed due to rpc error: x, which is unexpected'");

        assertThat(run(ClusterYaml.node("n") + pod, "doctor"))
                .contains(
                        "fail  refusals        UnexpectedAdmissionError of pods that the bridge placed: pods=default/a@n; "
                                + "the kubelet said: Allocate failed due to rpc error: x, which is unexpected; see docs/");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            Infeasible | the resize is Infeasible, so that they keep what they have; by default, a kubelet resizes no exclusive CPUs
            Deferred   | the resize is Deferred, so that they keep what they have; it is made when
            """)
    void theDoctorNamesPodsWhoseResizeIsPending(String reason, String text) throws IOException {
        String pod = ClusterYaml.running("a", "n", CPUS_4, "1-4")
                .replace(
                        "phase: Running",
                        "phase: Running, conditions: [{type: PodResizePending, status: \"True\", reason: %s}]"
                                .formatted(reason));

        assertThat(run(ClusterYaml.node("n") + pod, "doctor"))
                .contains("warn  resizes         pods=default/a@n: " + text);
    }

    @Test
    void theDoctorNamesCpusThatAKubeletGaveTwice() throws IOException {
        String objects = ClusterYaml.node("n")
                + ClusterYaml.running("a", "n", "cpu: \"3\", memory: 1Gi", "0-2")
                + ClusterYaml.running("b", "n", "cpu: \"2\", memory: 1Gi", "2-3")
                + ClusterYaml.terminating(ClusterYaml.running("c", "n", "cpu: \"2\", memory: 1Gi", "3-4"));
        String reserved =
                "the kubelet gave the reserved CPU 0 to default/a; end what holds reserved CPUs before you restart the kubelet, because it does not start again over this state";
        String twice = "the kubelet gave CPU 2 to default/a, default/b; they slow each other down: delete one of them";

        assertThat(run(objects, "doctor").lines())
                .contains("warn  zones           nodes=n: " + reserved, "warn  zones           nodes=n: " + twice)
                .noneMatch(line -> line.contains("CPU 3"));
        assertThat(run(objects, "node", "n")).contains("\n  warning: " + twice + "\n");
        assertThat(run(strict(objects), "doctor"))
                .contains(
                        "nodes=n: the kubelet gave the reserved CPU 0 to default/a; it disturbs the system's own processes");
    }

    private static String strict(String objects) {
        return objects.replace(
                "zones:\n- name: node-0",
                "- {name: cpuManagerPolicyOptionStrictCpuReservation, value: \"true\"}\nzones:\n- name: node-0");
    }

    @Test
    void theDoctorSaysThatStrictReservationLeavesNothingToOtherContainers() throws IOException {
        String full = ClusterYaml.nodeOfAgent("n", 0, 0, "default/a", "default/b")
                + ClusterYaml.running("a", "n", CPUS_4, "1-4")
                + ClusterYaml.running("b", "n", CPUS_4, "5-8");
        String empty = "no CPU is left for containers without CPUs of their own";

        assertThat(run(strict(full), "doctor"))
                .contains("warn  zones           nodes=n: " + empty, "ends with 'default cpuset cannot be empty'");
        assertThat(run(full, "doctor")).doesNotContain(empty);
        assertThat(run(strict(ClusterYaml.nodeOfAgent("n", 0, 1)), "doctor")).doesNotContain(empty);
    }

    @Test
    void theDoctorNamesDevicesOnNumaNodesThatTheMachineLacks() throws IOException {
        String node = ClusterYaml.node("n")
                .replace(
                        "zones:\n- name: node-0",
                        "- {name: devicesBeyondOneZone, value: example.com/fpga@=1/1;example.com/nic@!=2/3}\nzones:\n- name: node-0");

        assertThat(run(node, "doctor"))
                .contains(
                        "nodes=n: 3 of example.com/nic are on NUMA nodes that the machine does not have, and the kubelet refuses pods that need them; correct their device plugin");
        assertThat(run(node.replace("single-numa-node", "best-effort"), "doctor"))
                .contains(
                        "3 of example.com/nic are on NUMA nodes that the machine does not have; correct their device plugin");
    }

    /** Nothing can be run in a container that does not run, and the log of one that ended is that of the previous one. */
    @Test
    void theDoctorProposesToLookIntoAnAgentThatRunsOnly() throws IOException {
        String running = ClusterYaml.node("n")
                + agent("agent-n", "n", "False").replace("waiting: {reason: CrashLoopBackOff}", "running: {}");
        String pulling = ClusterYaml.node("n")
                + agent("agent-n", "n", "False").replace("CrashLoopBackOff}}, restartCount: 3", "ErrImagePull}}");

        assertThat(run(running, "doctor"))
                .contains("and why it ended: kubectl -n numaledger logs --previous agent-n"
                        + "; kubectl -n numaledger exec agent-n -- agent doctor checks its node\n");
        assertThat(run(running.replace(", restartCount: 3", ""), "doctor"))
                .contains("is not ready: Running; see kubectl -n numaledger describe pod agent-n"
                        + ", and kubectl -n numaledger logs agent-n"
                        + "; kubectl -n numaledger exec agent-n -- agent doctor checks its node\n");
        assertThat(run(pulling, "doctor"))
                .contains("is not ready: ErrImagePull; see kubectl -n numaledger describe pod agent-n\n");
    }

    private static String agent(String name, String node, String ready) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %s
                  namespace: numaledger
                  labels: {app.kubernetes.io/name: numaledger, app.kubernetes.io/component: agent}
                spec: {nodeName: %s, containers: [{name: agent, image: i}]}
                status:
                  phase: Running
                  conditions: [{type: Ready, status: "%s"}]
                  containerStatuses: [{name: agent, state: {waiting: {reason: CrashLoopBackOff}}, restartCount: 3}]
                """.formatted(name, node, ready);
    }

    private static String refused(String name, String annotations) {
        return ClusterYaml.pod(
                name, CPUS_4, annotations, "  nodeName: n", ", phase: Failed, reason: TopologyAffinityError");
    }
}

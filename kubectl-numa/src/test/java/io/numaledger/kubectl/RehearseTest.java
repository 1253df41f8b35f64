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

import static org.assertj.core.api.Assertions.assertThat;

/** Rehearsals on dumps: nodes of two zones with 4 CPUs each, 8 for all pods. */
class RehearseTest {

    @TempDir
    private Path directory;

    private String run(String objects, String... arguments) throws IOException {
        String[] all = Arrays.copyOf(arguments, arguments.length + 1);
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        all[0] = "rehearse";
        return runAny(objects, all);
    }

    private String runAny(String objects, String... arguments) throws IOException {
        Path dump = Files.writeString(directory.resolve("dump.yaml"), objects);
        StringWriter out = new StringWriter();
        CommandLine line = PluginCommand.commandLine(new Surroundings("/nowhere/kubectl", Colours.NONE));
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        String[] all = Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = "--dump=" + dump;
        return line.execute(all) + "\n" + out;
    }

    private static String node(String name) {
        return ClusterYaml.node(name)
                .replace(
                        "metadata: {name: %s}\nstatus".formatted(name),
                        "metadata: {name: %s, labels: {pool: a}}\nstatus".formatted(name))
                .replace("allocatable: {nvidia", "allocatable: {cpu: \"8\", memory: 32Gi, pods: \"110\", nvidia");
    }

    private static String owned(String name, String node, String cpus) {
        return ClusterYaml.running(name, node, "cpu: \"4\", memory: 1Gi", cpus)
                .replace(
                        "uid: uid-" + name,
                        "uid: uid-%s, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: r, controller: true}]"
                                .formatted(name));
    }

    private static String cluster() {
        return node("a") + node("b") + owned("x", "a", "1-4") + owned("y", "a", "5-8") + owned("z", "b", "1-4");
    }

    @Test
    void tellsWhoKeepsAKubeletFromStarting() throws IOException {
        assertThat(run(cluster(), "change", "b", "--cpu-manager-policy", "none", "--reference-pod", "r:cpu=4"))
                .isEqualTo("""
                        1
                        1 nodes by restart: 1 kubelets do not start as they are; 1 pods: stay 1

                        NODE  STARTS                     STAY  UNCERTAIN  MOVE  LOST OR WAITING  WHY NOT
                        b     without cpu_manager_state     1          0     0                0  could not restore state from checkpoint: configured policy "none" differs from state checkpoint policy "static", please drain this node and delete the CPU manager checkpoint file "/var/lib/kubelet/cpu_manager_state" before restarting Kubelet

                        ROOM FOR  BY ZONES  AFTERWARDS  BY SUMS  AFTERWARDS
                        r                1           1        1           1
                        """);
    }

    @Test
    void endsWith0WhereNothingIsLost() throws IOException {
        assertThat(run(cluster(), "change", "-l", "pool=a", "--kubelet-version", "1.37", "--reference-pod", "r:cpu=4"))
                .startsWith("0\n2 nodes by restart: every kubelet starts; 3 pods: stay 3\n");
    }

    @Test
    void sumsByPool() throws IOException {
        String two =
                node("a") + node("b").replace("pool: a", "pool: b") + owned("x", "a", "1-4") + owned("z", "b", "1-4");

        assertThat(run(two, "change", "a", "b", "--policy-option", "no-such=1", "--node-pool-label=pool"))
                .contains("""
                        POOL  NODES  NOT STARTING  STAY  UNCERTAIN  MOVE  LOST OR WAITING  WORST NODE
                        a         1             1     0          0     1                0  -
                        b         1             1     0          0     0                2  b
                        """);
    }

    @Test
    void drainsAndRemoves() throws IOException {
        assertThat(run(cluster(), "drain", "a", "b")).isEqualTo("""
                1
                drain: 4 pods: move 2, wait for their node 2

                in this order: a, b; at most 0 at once with no pod waiting

                POD        NODE  FATE   TARGET  WHY
                default/x  a     moves  b
                default/y  a     waits  a       1 nodes: the node as a whole lacks room
                default/x  b     moves  a
                default/z  b     waits  b       1 nodes: the node as a whole lacks room
                """);
        assertThat(run(cluster(), "remove", "b", "-o", "json"))
                .startsWith(
                        "1\n{\"action\":\"remove\",\"pods\":{\"stays\":0,\"uncertain\":0,\"moves\":0,\"waits\":0,\"pending\":1,\"lost\":0,\"blocked\":0},\"notConsidered\":\"\",\"steps\":[{\"nodes\":[\"b\"]");
    }

    @Test
    void addsNodes() throws IOException {
        String pending = ClusterYaml.pod("p", "cpu: \"4\", memory: 1Gi", "", "", "")
                + ClusterYaml.pod("q", "cpu: \"4\", memory: 1Gi", "", "", "");

        assertThat(run(cluster() + pending, "add", "a*3")).isEqualTo("""
                0
                2 pending pods: 1 fit now, 1 on 1 more nodes like a, 0 do not

                POD        NODE  FATE   TARGET  WHY
                default/p     -  moves  b
                default/q     -  moves  a+1
                """);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            drain c                                            | no such node: node=c
            drain                                              | name nodes, or select some with -l SELECTOR
            drain -l pool=b                                    | no node has these labels: 'pool=b'
            drain -l pool=(                                    | not a label selector: 'pool=('
            drain a -l pool=a                                  | give either NODE or -l SELECTOR
            drain a --at-once 0                                | --at-once: expected 1 or more, got 0
            add a*0                                            | the number of nodes: expected 1 or more, got 0
            add c                                              | no such node: node=c
            change a --by rewrite                              | --by: expected restart, reboot or drain, got 'rewrite'
            change a --kubelet-version x                       | not a kubelet version: version='x'
            change a --topology-manager-policy x               | unknown value: topologyManagerPolicy='x'
            change a --reserved-cpus x                         | x
            change a --reserved-memory 1Gi                     | --reserved-memory: expected such as 0:memory=1Gi, got '1Gi'
            change a --reserved-memory 0:memory                | --reserved-memory: expected TYPE=AMOUNT, got 'memory'
            change a --memory-manager-policy Static            | the Memory Manager policy Static needs reserved memory
            change a --reserved-memory 0:memory=1Gi            | the node's exporter publishes no memory
            """)
    void namesWhatIsWrong(String arguments, String sentence) throws IOException {
        assertThat(run(cluster(), arguments.split(" +"))).startsWith("2\n").contains(sentence);
    }

    private static String announcing(String node, String change) {
        return node.replace(
                "labels: {pool: a}", "annotations: {numaledger.io/announced-change: \"%s\"}".formatted(change));
    }

    @Test
    void doctorRehearsesAnnouncedChanges() throws IOException {
        String pods = owned("x", "a", "1-4") + owned("z", "b", "1-4");

        assertThat(runAny(node("a") + node("b") + pods, "doctor")).doesNotContain("changes");
        assertThat(runAny(
                        announcing(node("a"), "--kubelet-version=1.37 --by=drain")
                                + announcing(node("b"), "--cpu-manager-policy=none")
                                + announcing(node("c"), "--no-such-option=1")
                                + announcing(node("d"), "x".repeat(1001))
                                + pods,
                        "doctor"))
                .contains(
                        "ok    changes         --kubelet-version=1.37 --by=drain: 1 nodes by drain: every kubelet starts; 1 pods: move 1\n")
                .contains(
                        "warn  changes         --cpu-manager-policy=none: 1 nodes by restart: 1 kubelets do not start as they are; 1 pods: stay 1; see kubectl numa rehearse change b\n")
                .contains(
                        "warn  changes         the annotation numaledger.io/announced-change of node c is not understood: Unknown option: '--no-such-option=1'; correct it, see kubectl numa rehearse change --help\n")
                .contains("of node d is not understood: it has more than 1000 characters;");
        Path secret = Files.writeString(directory.resolve("secret"), "--by=secret");
        assertThat(runAny(announcing(node("a"), "@" + secret), "doctor"))
                .contains("of node a is not understood: Unmatched argument at index 0: '@")
                .doesNotContain("--by: expected");
    }
}

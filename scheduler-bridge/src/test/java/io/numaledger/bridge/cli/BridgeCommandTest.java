package io.numaledger.bridge.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class BridgeCommandTest {

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = BridgeCommand.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    @Test
    void printsASchedulerConfigurationWhoseExtenderIsNotIgnorable() {
        assertThat(run("scheduler-config", "--url", "https://bridge:9443", "--scheduler-name", "numa"))
                .isZero();
        assertThat(out.toString()).isEqualTo("""
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                # Every unsuccessful attempt may cost a call to the API server.
                clientConnection:
                  qps: 500
                  burst: 1000
                leaderElection:
                  leaderElect: true
                  # Not the lease of the cluster's own scheduler.
                  resourceName: "numa"
                # Zones stay reserved for a pending pod until kube-scheduler retries it.
                # An idle kube-scheduler of Kubernetes 1.33 or later does not wait for the back-off, unless it is started with
                # --feature-gates=SchedulerPopFromBackoffQ=false.
                podMaxBackoffSeconds: 2
                profiles:
                - schedulerName: "numa"
                # It fits bridge run --zone-refusals=unresolvable, the default: kube-scheduler does not call preempt for a node that fits
                # by node-level requests. With preemptable, it would retry a pod of higher priority without end.
                extenders:
                - urlPrefix: "https://bridge:9443"
                  filterVerb: filter
                  prioritizeVerb: prioritize
                  preemptVerb: preempt
                  bindVerb: bind
                  weight: 10
                  nodeCacheCapable: true
                  ignorable: false
                  httpTimeout: 10s
                  enableHTTPS: true
                  tlsConfig:
                    insecure: false
                    caFile: "/etc/numaledger/ca.crt"
                    certFile: "/etc/numaledger/tls.crt"
                    keyFile: "/etc/numaledger/tls.key"
                """);
    }

    @Test
    void setsThePercentageOfNodes() {
        assertThat(run("scheduler-config", "--url", "https://bridge:9443", "--percentage-of-nodes-to-score", "100"))
                .isZero();
        assertThat(out.toString()).contains("\npercentageOfNodesToScore: 100\n");
        assertThat(run("scheduler-config", "--url", "https://bridge:9443", "--percentage-of-nodes-to-score", "101"))
                .isEqualTo(2);
        assertThat(err.toString())
                .startsWith("--percentage-of-nodes-to-score is 101; use 0 (kube-scheduler decides) to 100");
    }

    @Test
    void sharesTheLeaseOfTheClustersOwnSchedulerOnlyUnderItsName() {
        assertThat(run("scheduler-config", "--url", "https://bridge:9443")).isZero();
        assertThat(out.toString()).contains("leaderElect: true\n").doesNotContain("resourceName");
    }

    @Test
    void skipsTheVerificationOfTheBridgeOnlyIfAskedTo() {
        assertThat(run("scheduler-config", "--url", "https://bridge:9443", "--insecure-skip-tls-verify"))
                .isZero();
        assertThat(out.toString()).contains("tlsConfig:\n    insecure: true\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"foo", "bridge:9443", "ftp://bridge", "https:///filter", "https://a b"})
    void refusesWhatIsNoUrlOfABridge(String url) {
        assertThat(run("scheduler-config", "--url", url)).isEqualTo(2);
        assertThat(out.toString()).isEmpty();
        assertThat(err)
                .hasToString(
                        "--url is '%s'; expected the bridge's URL, such as https://numaledger-bridge.numaledger.svc:9443\nsee bridge scheduler-config --help\n"
                                .formatted(url));
    }

    @Test
    void requiresACertificateUnlessPlainHttpIsSet() {
        assertThat(run("run", "--listen", "127.0.0.1:0")).isEqualTo(2);
        assertThat(err.toString()).startsWith("--tls-cert and --tls-key are missing");
    }

    @Test
    void rejectsANegativeTime() {
        assertThat(run("run", "--insecure-http", "--hold-after", "-1s")).isEqualTo(2);
        assertThat(err.toString()).startsWith("--hold-after is negative; use 0s (never) or more");
    }

    @Test
    void boundsTheRateOfHealing() {
        assertThat(run("run", "--insecure-http", "--heal-misaligned", "--heal-per-hour=0"))
                .isEqualTo(2);
        assertThat(err.toString()).startsWith("--heal-per-hour is 0; use a number from 1 to 360");
    }

    @Test
    void evictsForGroupsOnlyIfItPlansGroups() {
        assertThat(run("run", "--insecure-http", "--preempt-for-groups")).isEqualTo(2);
        assertThat(err.toString()).startsWith("--preempt-for-groups needs --groups: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--leader-elect --advertise-address=127.0.0.1:1 --tls-cert=a --tls-key=b --client-ca=c",
                "--issue-certificates=bridge"
            })
    void needsANamespaceForItsOwnObjects(String flags) throws IOException {
        Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
                users: [{name: u, user: {}}]
                contexts: [{name: x, context: {cluster: c, user: u}}]
                current-context: x
                """);
        List<String> arguments = new ArrayList<>(List.of("run", "--kubeconfig=" + kubeconfig));
        arguments.addAll(List.of(flags.split(" ")));
        assertThat(run(arguments.toArray(String[]::new))).isEqualTo(1);
        assertThat(err.toString())
                .startsWith("the kubeconfig's context has no namespace: ")
                .hasLineCount(1);
    }

    @Test
    void namesAKubeconfigThatCannotBeUsed() {
        Path none = directory.resolve("none");
        assertThat(run("run", "--insecure-http", "--kubeconfig=" + none)).isEqualTo(1);
        assertThat(err.toString())
                .startsWith("cannot use the kubeconfig: file=" + none)
                .hasLineCount(1);
    }

    @Test
    void saysThatThereIsNoKubeconfig() {
        String before =
                System.setProperty("kubeconfig", directory.resolve("none").toString());
        try {
            assertThat(run("run", "--insecure-http")).isEqualTo(1);
        } finally {
            if (before == null) {
                System.clearProperty("kubeconfig");
            } else {
                System.setProperty("kubeconfig", before);
            }
        }
        assertThat(err).hasToString("no kubeconfig: set KUBECONFIG, or give one with --kubeconfig\n");
    }
}

package io.numaledger.e2e.agent;

import io.numaledger.agent.doctor.DoctorCommand;
import io.numaledger.agent.run.OnceCommand;
import io.numaledger.apiservers.real.ChartAccounts;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** {@code agent doctor} says beforehand that a kubelet does not start again over its state, and then it does not. */
class KubeletStartIT {

    private static SimCluster cluster;
    private static ChartAccounts accounts;

    @BeforeAll
    static void start() {
        cluster = RealKubernetes.cluster("""
                nodes:
                - name: memory
                  numaNodes: [{id: 0, cores: 4, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}]
                - name: cpus
                  numaNodes: [{id: 0, cores: 4, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}]
                - name: strict
                  kubelet: {cpuManagerPolicyOptions: {strict-cpu-reservation: "true"}}
                  numaNodes: [{id: 0, cores: 4, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}]
                - name: whole
                  kubelet:
                    topologyManagerPolicy: best-effort
                    topologyManagerScope: pod
                    featureGates: {PodLevelResourceManagers: true, InPlacePodLevelResourcesVerticalScaling: false}
                  numaNodes: [{id: 0, cores: 8, memory: 8Gi}, {id: 1, cores: 8, memory: 8Gi}]
                """);
        accounts = ChartRights.install(cluster);
        ClusterPods pods = new ClusterPods(cluster);
        for (String node : List.of("memory", "cpus")) {
            pods.create(SimplePod.named(node).on(node).with("main", "cpu=2", "memory=1Gi"));
        }
        pods.create(SimplePod.named("three").on("strict").with("main", "cpu=3", "memory=1Gi"));
        pods.create(SimplePod.named("four").on("strict").with("main", "cpu=4", "memory=1Gi"));
        pods.create(SimplePod.named("whole")
                .on("whole")
                .ofResources("cpu=4", "memory=1Gi")
                .with("main", "cpu=2", "memory=512Mi")
                .with("shares"));
        Stream.of("memory", "cpus", "three", "four", "whole").forEach(pod -> pods.awaitPhase(pod, "Running"));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static String doctor(SimNode node, String... more) throws IOException {
        return output(new DoctorCommand(), node, more);
    }

    private static String output(Object command, SimNode node, String... more) throws IOException {
        StringWriter out = new StringWriter();
        List<String> arguments = Stream.concat(
                        Stream.of(
                                "--node-name=" + node.name(),
                                "--kubeconfig=" + accounts.agent(node.name()),
                                "--podresources-socket=" + node.podResourcesSocket(),
                                "--sysfs-root=" + node.hardwareRoot().resolve("sys"),
                                "--kubelet-insecure-tls",
                                "--kubelet-config=" + node.kubeletConfig()),
                        Stream.of(more))
                .toList();
        new CommandLine(command).setOut(new PrintWriter(out)).execute(arguments.toArray(String[]::new));
        return out.toString();
    }

    private static void change(SimNode node, String from, String to) throws IOException {
        String text = Files.readString(node.kubeletConfig());
        assertThat(text).contains(from);
        Files.writeString(node.kubeletConfig(), text.replace(from, to));
    }

    private static void endsWith(SimNode node, String message) throws IOException {
        node.stopKubelet();
        node.startKubelet();
        await(node.name())
                .atMost(ClusterPods.TIMEOUT)
                .until(() -> node.kubeletPid().isEmpty());
        assertThat(Files.readString(node.kubeletLog())).contains(message);
    }

    @Test
    void otherReservedMemory() throws IOException {
        SimNode node = cluster.node("memory");
        String state = "--kubelet-state-dir=" + node.kubeletRoot();
        assertThat(doctor(node)).contains("ok    kubelet start   the configuration file changes nothing");
        assertThat(doctor(node, state)).contains("ok    kubelet start   the kubelet would start again");
        change(node, "1073741824", "1048576000");

        String message = "the expected machine state is different from the real one";
        assertThat(doctor(node)).contains("warn  kubelet start   reservedMemory is ", message);
        assertThat(doctor(node, state)).contains("warn  kubelet start   reservedMemory is ", message);
        endsWith(node, message);
    }

    @Test
    void aReservedCpuThatAPodHas() throws IOException {
        SimNode node = cluster.node("cpus");
        change(node, "reservedSystemCPUs: \"0\"", "reservedSystemCPUs: \"0-1\"");

        assertThat(doctor(node)).contains("warn  kubelet start   pods hold the CPUs 1 of reservedSystemCPUs=0-1");
        assertThat(doctor(node, "--kubelet-state-dir=" + node.kubeletRoot()))
                .contains("warn  kubelet start   reservedSystemCPUs=0-1 does not suit the shared pool");
        endsWith(node, "not all reserved cpus");
    }

    /** Of a pod with resources of its own, to which a kubelet that restarts gives other CPUs. */
    @Test
    void cpusThatItHasLost() throws IOException {
        SimNode node = cluster.node("whole");
        String state = "--kubelet-state-dir=" + node.kubeletRoot();
        assertThat(doctor(node, state)).contains("ok    kubelet start   the kubelet would start again");
        node.stopKubelet();
        node.startKubelet();
        await("it has admitted the pod again")
                .atMost(ClusterPods.TIMEOUT)
                .untilAsserted(() -> assertThat(doctor(node, state))
                        .contains(
                                "fail  kubelet start   its state lacks the CPUs 1-4:",
                                "doesn't match with CPUs in state"));

        assertThat(output(new OnceCommand(), node, state, "--dry-run"))
                .containsPattern("name: unheldCpus\\s+value: 1-4|\"unheldCpus\",\\s*\"value\"\\s*:\\s*\"1-4\"");
        endsWith(node, "doesn't match with CPUs in state");
    }

    @Test
    void anEmptySharedPool() throws IOException {
        SimNode node = cluster.node("strict");

        assertThat(doctor(node, "--kubelet-state-dir=" + node.kubeletRoot()))
                .contains("warn  kubelet start   pods hold all CPUs", "default cpuset cannot be empty");
        endsWith(node, "default cpuset cannot be empty");
    }
}

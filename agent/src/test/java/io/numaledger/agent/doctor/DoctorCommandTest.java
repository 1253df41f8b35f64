package io.numaledger.agent.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.api.RequestBudget;
import io.numaledger.agent.sysfs.SysfsTree;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.real.RealApiServer;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.podresources.PodResources;
import io.numaledger.podresources.server.PodResourcesServer;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** {@code agent doctor} against the embedded API server, and against a real one that answers about rights. */
class DoctorCommandTest {

    @TempDir
    private Path directory;

    private EmbeddedApiServer server;
    private Path kubeconfig;
    private int status;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        kubeconfig = server.writeKubeconfig(directory.resolve("kubeconfig"));
        try (ApiServer api = connect(kubeconfig)) {
            api.post(
                    "/api/v1/nodes",
                    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\"}}",
                    j -> "");
        }
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void reportsEachProblemWithItsRemedy() throws IOException {
        SysfsTree hardware = new SysfsTree(directory.resolve("hardware")).twoNodes();

        String found = run(
                "--node-name=a",
                "--sysfs-root=" + hardware.sysfsRoot(),
                "--podresources-socket=" + directory.resolve("none.sock"),
                "--topology-manager-policy=restricted",
                "--cpu-manager-policy=none");

        assertThat(status).isEqualTo(1);
        assertThat(found.lines())
                .contains(
                        "fail  podresources    the kubelet's podresources socket is missing: socket="
                                + directory.resolve("none.sock")
                                + "; start the kubelet, or mount the socket's directory",
                        "ok    hardware        NUMA nodes: 2",
                        "ok    NRT definition  the API server knows noderesourcetopologies",
                        "warn  configz         the kubelet's address is not known: node=a has no InternalIP; give --kubelet-address",
                        "ok    kubelet config  topologyManagerPolicy=restricted",
                        "warn  kubelet config  cpuManagerPolicy=none: the Topology Manager aligns no CPUs; set static, and reservedSystemCPUs");
    }

    @Test
    void reportsTheRightsThatItLacks() throws IOException {
        String binaries = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(binaries != null, "KUBEBUILDER_ASSETS does not name a directory with etcd and kube-apiserver");
        try (RealApiServer real = RealApiServer.start(Path.of(binaries), directory.resolve("api"))) {
            kubeconfig = mayOnlyListPods(real);

            assertThat(run("--node-name=a", "--podresources-socket=" + directory.resolve("none"))
                            .lines())
                    .contains(
                            "ok    right           list pods",
                            "warn  right           watch pods is not granted: the kubelet is polled once a second; grant it in the agent's ClusterRole",
                            "fail  right           patch pods is not granted: no placement is written on pods; grant it in the agent's ClusterRole");
            assertThat(status).isEqualTo(1);
        }
    }

    private Path mayOnlyListPods(RealApiServer real) throws IOException {
        String rbac = "/apis/rbac.authorization.k8s.io/v1/";
        String accounts = "/api/v1/namespaces/default/serviceaccounts";
        try (ApiServer api = connect(real.kubeconfig())) {
            api.post(
                    accounts,
                    "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{\"name\":\"lists\"}}",
                    j -> "");
            api.post(rbac + "clusterroles", """
                    {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"lists"},
                     "rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["list"]}]}""", j -> "");
            api.post(rbac + "clusterrolebindings", """
                    {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"lists"},
                     "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"lists"},
                     "subjects":[{"kind":"ServiceAccount","namespace":"default","name":"lists"}]}""", j -> "");
            JsonNode answer = api.post(
                    accounts + "/lists/token",
                    "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\",\"spec\":{}}",
                    new ObjectMapper()::readTree);
            return Files.writeString(
                    directory.resolve("lists"),
                    Files.readString(real.kubeconfig())
                            .replace(real.token(), answer.at("/status/token").asText()));
        }
    }

    private static ApiServer connect(Path kubeconfig) throws IOException {
        return ApiServer.connect(Optional.of(kubeconfig), new RequestBudget(100, 100, System::nanoTime));
    }

    @Test
    void failsForANodeThatDoesNotExist() {
        assertThat(run("--node-name=nobody", "--podresources-socket=" + directory.resolve("none")))
                .contains(
                        "fail  node            the cluster has no such node: node=nobody; give --node-name as kubectl get nodes prints it");
        assertThat(status).isEqualTo(1);
    }

    @Test
    void asksAnUnreachableApiServerOnce() throws IOException {
        server.close();

        assertThat(run("--node-name=a", "--podresources-socket=" + directory.resolve("none")))
                .containsOnlyOnce("API server cannot be reached: url=" + server.url())
                .contains("reason='connection refused'");
    }

    @Test
    void reportsAMissingDefinition() throws IOException {
        HttpServer empty = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        empty.createContext("/", exchange -> {
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
        });
        empty.start();
        try {
            Files.writeString(
                    kubeconfig,
                    Files.readString(kubeconfig)
                            .replace(
                                    server.url().toString(),
                                    "http://127.0.0.1:" + empty.getAddress().getPort()));
            assertThat(run("--node-name=a", "--podresources-socket=" + directory.resolve("none")))
                    .contains(
                            "fail  NRT definition  the API server does not know noderesourcetopologies of topology.node.k8s.io/v1alpha2; install the chart's crds");
        } finally {
            empty.stop(0);
        }
    }

    @Test
    void namesWhatTheAgentLeavesOut() throws IOException {
        DeviceAllocation nic = new DeviceAllocation("example.com/nic", "eth0", List.of(9));
        SysfsTree hardware = new SysfsTree(directory.resolve("hardware")).twoNodes();
        PodResources kubelet = new PodResources() {
            @Override
            public PodResourcesSnapshot list() {
                return new PodResourcesSnapshot(List.of(new PodAllocation(
                        "default",
                        "x",
                        List.of(new ContainerAllocation("c", CpuSet.of(99), List.of(), List.of(nic))))));
            }

            @Override
            public AllocatableResources allocatable() {
                return new AllocatableResources(CpuSet.of(1), List.of(), List.of(nic));
            }

            @Override
            public PodAllocation get(String namespace, String pod) {
                throw new UnsupportedOperationException();
            }
        };
        Path socket = directory.resolve("kubelet.sock");
        try (PodResourcesServer served = new PodResourcesServer(socket, kubelet)) {
            assertThat(run("--node-name=a", "--sysfs-root=" + hardware.sysfsRoot(), "--podresources-socket=" + socket)
                            .lines())
                    .contains(
                            "warn  pods            the kubelet names CPUs that no NUMA node of this machine has: pod=default/x cpus=99; they are left out",
                            "warn  pods            the kubelet names a NUMA node that this machine does not have: pod=default/x device=example.com/nic/eth0 numaNode=9; it is left out",
                            "skip  kubelet start   not checked whether the kubelet could start again over its state; give --kubelet-config and --kubelet-state-dir")
                    .anyMatch(
                            line -> line.startsWith(
                                    "warn  devices         1 of example.com/nic are on NUMA nodes that the machine does not have"));
        }
    }

    private String run(String... flags) {
        StringWriter out = new StringWriter();
        CommandLine line = new CommandLine(new DoctorCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(out));
        String[] all = Arrays.copyOf(flags, flags.length + 1);
        all[flags.length] = "--kubeconfig=" + kubeconfig;
        status = line.execute(all);
        return out.toString();
    }
}

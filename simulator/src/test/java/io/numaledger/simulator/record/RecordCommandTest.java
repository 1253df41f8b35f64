package io.numaledger.simulator.record;

import io.numaledger.agent.sysfs.SysfsProbe;
import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.simulator.hardware.DraDevice;
import io.numaledger.simulator.hardware.DraDriverSpec;
import io.numaledger.simulator.hardware.HardwareTree;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.replay.ReplayCommand;
import org.junit.jupiter.api.BeforeEach;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/** A machine whose CPUs are numbered core by core, with two L3 caches in its first NUMA node, and one pod of 6 CPUs there. */
class RecordCommandTest {

    private static final NodeSpec MACHINE = NodeSpecYaml.parse("""
                    nodes:
                    - name: host
                      numaNodes:
                      - {id: 0, socket: 0, coreCpus: ["0-1", "2-3", "4-5", "6-7"], l3Caches: ["0-3", "4-7"], memory: 8Gi, hugepages: {2Mi: 16}}
                      - {id: 3, socket: 1, coreCpus: ["8-9", "10-11"], memory: 4Gi}
                      - {id: 5, cores: 0, memory: 2Gi}
                    """).get(0);

    private static final String CONFIGURATION = """
            kind: KubeletConfiguration
            staticPodURLHeader: {Authorization: [secret]}
            topologyManagerPolicy: single-numa-node
            cpuManagerPolicy: static
            cpuManagerPolicyOptions: {full-pcpus-only: "true"}
            memoryManagerPolicy: Static
            systemReserved: {cpu: 1500m, memory: 1Gi}
            evictionHard: {memory.available: "0"}
            reservedMemory: [{numaNode: 0, limits: {memory: 1Gi}}]
            """;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    @BeforeEach
    void write() throws IOException {
        HardwareTree.write(MACHINE, directory.resolve("host"));
        Files.writeString(directory.resolve("config.yaml"), CONFIGURATION);
        Files.createDirectories(directory.resolve("kubelet/device-plugins"));
        state("cpu_manager_state", """
                {"policyName":"static","defaultCpuSet":"0-1,8-11","entries":{"uid-1":{"trainer":"2-7"}},"checksum":1}
                """);
        state("memory_manager_state", """
                {"policyName":"Static","machineState":{},
                 "entries":{"uid-1":{"trainer":[{"numaAffinity":[0],"type":"memory","size":1073741824}]}},"checksum":2}
                """);
        state("device-plugins/kubelet_internal_checkpoint", """
                {"Data":{"PodDeviceEntries":[{"PodUID":"uid-1","ContainerName":"trainer","ResourceName":"example.com/gpu",
                  "DeviceIDs":{"0":["GPU-1"]},"AllocResp":"c2VjcmV0"}],"RegisteredDevices":{}},"Checksum":3}
                """);
    }

    private void state(String file, String text) throws IOException {
        Files.writeString(directory.resolve("kubelet").resolve(file), text);
    }

    private Path pod(String status) throws IOException {
        return Files.writeString(directory.resolve("pod.yaml"), """
                metadata: {name: big, namespace: team-a, uid: uid-2}
                spec:
                  containers:
                  - {name: main, resources: {requests: {cpu: "4", memory: 1Gi}, limits: {cpu: "4", memory: 1Gi}}}
                status: %s
                """.formatted(status));
    }

    private int run(Object command, Object... arguments) {
        return new CommandLine(command)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(Stream.of(arguments).map(Object::toString).toArray(String[]::new));
    }

    private Path record(Object... more) {
        Path output = directory.resolve("node.zip");
        List<Object> arguments = new ArrayList<>(List.of(
                "--sysfs-root=" + directory.resolve("host/sys"),
                "--kubelet-config=" + directory.resolve("config.yaml"),
                "--kubelet-state-dir=" + directory.resolve("kubelet"),
                "--kubelet-version=v1.36.3+vendor",
                "--output=" + output));
        arguments.addAll(List.of(more));
        assertThat(run(new RecordCommand(), arguments.toArray())).as("%s", err).isZero();
        return output;
    }

    @Test
    void theHardwareIsTheSameWhenItIsSimulated() {
        NodeSpec recorded = NodeSpecYaml.parse(Recording.read(record()).nodes()).get(0);

        Path again = directory.resolve("again");
        HardwareTree.write(recorded, again);
        assertThat(new SysfsProbe(again.resolve("sys")).probe().topology())
                .isEqualTo(new SysfsProbe(directory.resolve("host/sys")).probe().topology());
        assertThat(recorded.kubeletVersion()).contains("1.36");
        // 1.5 CPUs are rounded up to 2; the kubelet takes them from the socket with the fewest free CPUs.
        assertThat(recorded.kubelet().reservedSystemCpus()).hasToString("8-9");
    }

    @Test
    void namesAreHashedAndSecretsAreNotRecorded() throws IOException {
        Recording recording = Recording.read(record("--pod=" + pod("{phase: Running, qosClass: Guaranteed}")));

        assertThat(recording.nodes() + recording.pods())
                .doesNotContain("uid-1", "uid-2", "trainer", "GPU-1", "team-a", "big", "secret", "c2VjcmV0")
                .contains("example.com/gpu");
        assertThat(Recording.read(record("--keep-names")).pods()).contains("uid-1", "trainer", "GPU-1");
    }

    @Test
    void devicesOfResourceSlicesAreSimulatedOnTheirNumaNodes() throws IOException {
        Path slices = Files.writeString(directory.resolve("slices.yaml"), """
                apiVersion: v1
                kind: List
                items:
                - apiVersion: resource.k8s.io/v1
                  kind: ResourceSlice
                  metadata: {name: secret-slice}
                  spec:
                    driver: gpu.example.com
                    nodeName: secret-node
                    pool: {name: secret-node, generation: 2, resourceSliceCount: 1}
                    devices:
                    - {name: gpu-0, attributes: {resource.kubernetes.io/numaNode: {int: 3}, serial: {string: secret}}}
                    - {name: gpu-1, attributes: {resource.kubernetes.io/pciBusID: {string: "0000:3b:00.0"}}}
                    - {name: gpu-2, allowMultipleAllocations: true, attributes: {dra.net/numaNode: {ints: [3, 0]}}}
                - apiVersion: resource.k8s.io/v1
                  kind: ResourceSlice
                  metadata: {name: old}
                  spec: {driver: gpu.example.com, pool: {name: secret-node, generation: 1}, devices: [{name: gpu-9}]}
                """);
        Path function = Files.createDirectories(directory.resolve("host/sys/bus/pci/devices/0000:3b:00.0"));
        Files.writeString(function.resolve("numa_node"), "0\n");

        Recording recording = Recording.read(record("--resource-slices=" + slices));
        assertThat(recording.nodes()).doesNotContain("gpu-0", "gpu-1", "secret");
        DraDriverSpec driver =
                NodeSpecYaml.parse(recording.nodes()).get(0).draDrivers().get(0);
        assertThat(driver.driver()).isEqualTo("gpu.example.com");
        assertThat(driver.devices())
                .extracting(DraDevice::attributes, DraDevice::pciNumaNode, DraDevice::allowMultipleAllocations)
                .containsExactly(
                        tuple(Map.of("resource.kubernetes.io/numaNode", Map.of("int", 3)), OptionalInt.empty(), false),
                        tuple(
                                Map.of("resource.kubernetes.io/pciBusID", Map.of("string", "0000:3b:00.0")),
                                OptionalInt.of(0),
                                false),
                        tuple(Map.of("dra.net/numaNode", Map.of("ints", List.of(3, 0))), OptionalInt.empty(), true));
    }

    @Test
    void replayComparesTheDecision() throws IOException {
        Path right = record("--pod="
                + pod("{phase: Failed, qosClass: Guaranteed, reason: TopologyAffinityError, "
                        + "message: \"Pod was rejected: Resources cannot be allocated with Topology locality\"}"));
        assertThat(run(new ReplayCommand(), right)).as("%s%s", out, err).isZero();
        assertThat(out.toString()).contains("decisions=1 wrong=0");

        Path wrong = record("--pod=" + pod("{phase: Running, qosClass: Guaranteed}"));
        assertThat(run(new ReplayCommand(), wrong)).isEqualTo(1);
        assertThat(out.toString()).contains("decisions=1 wrong=1");
    }

    @Test
    void aStateThatContradictsTheHardwareIsNamed() throws IOException {
        state("cpu_manager_state", """
                {"policyName":"static","defaultCpuSet":"0-1","entries":{"uid-1":{"trainer":"20-21"}},"checksum":1}
                """);

        assertThat(run(new ReplayCommand(), record("--keep-names"))).isEqualTo(1);
        assertThat(out.toString()).contains("decisions=0 wrong=1").contains("20-21");
    }

    @Test
    void aPodWithoutADecisionIsRefused() throws IOException {
        assertThat(run(
                        new RecordCommand(),
                        "--kubelet-version=1.36",
                        "--sysfs-root=" + directory.resolve("host/sys"),
                        "--kubelet-config=" + directory.resolve("config.yaml"),
                        "--kubelet-state-dir=" + directory.resolve("kubelet"),
                        "--output=" + directory.resolve("none.zip"),
                        "--pod=" + pod("{phase: Pending}")))
                .isEqualTo(1);
        assertThat(err.toString()).contains("the pod has no decision of the kubelet: phase='Pending'");
        assertThat(directory.resolve("none.zip")).doesNotExist();
    }

    @Test
    void theOutputIsCheckedBeforeTheWork() throws IOException {
        Path missing = directory.resolve("nowhere/none.zip");
        Path directoryItself = Files.createDirectory(directory.resolve("folder.zip"));

        assertThat(run(new RecordCommand(), "--kubelet-version=1.36", "--sysfs-root=/nope", "-o", missing.toString()))
                .isEqualTo(1);
        assertThat(run(new RecordCommand(), "--kubelet-version=1.36", "--sysfs-root=/nope", "-o", "" + directoryItself))
                .isEqualTo(1);

        assertThat(err.toString().lines())
                .containsExactly(
                        "cannot write the recording: file=%s: directory=%s does not exist; create it, or choose another file"
                                .formatted(missing, missing.getParent()),
                        "cannot write the recording: file=%s may not be written; choose another file"
                                .formatted(directoryItself));
    }

    @Test
    void aConfigurationThatIsNotYamlIsNamedWithItsLine() throws IOException {
        Files.writeString(directory.resolve("config.yaml"), "kind: KubeletConfiguration\nfeatureGates: {a: [}\n");

        assertThat(recordFails()).isEqualTo(1);
        assertThat(err.toString())
                .contains("not YAML: file=%s line 2: while parsing a flow".formatted(directory.resolve("config.yaml")))
                .doesNotContain("Exception", "fasterxml");
    }

    private int recordFails() {
        return run(
                new RecordCommand(),
                "--kubelet-version=1.36",
                "--sysfs-root=" + directory.resolve("host/sys"),
                "--kubelet-config=" + directory.resolve("config.yaml"),
                "--kubelet-state-dir=" + directory.resolve("kubelet"),
                "--output=" + directory.resolve("none.zip"));
    }

    @Test
    void unknownMemoryIsNotRecordedAsNone() throws IOException {
        Files.delete(directory.resolve("host/sys/devices/system/node/node3/meminfo"));

        assertThat(recordFails()).isEqualTo(1);
        assertThat(err.toString()).contains("the memory of a NUMA node is not known: numaNode=3; check --sysfs-root");
    }

    @Test
    void coresInSeveralSocketsAreNamed() throws IOException {
        Files.writeString(directory.resolve("host/sys/devices/system/cpu/cpu10/topology/physical_package_id"), "0\n");
        Files.writeString(directory.resolve("host/sys/devices/system/cpu/cpu11/topology/physical_package_id"), "0\n");

        record();

        assertThat(err.toString())
                .contains("the cores of a NUMA node lie in several sockets, and are recorded as in one: numaNode=3");
    }

    @Test
    void aConfigurationThatTheKubeletRefusesIsAnError() throws IOException {
        Files.writeString(directory.resolve("config.yaml"), CONFIGURATION.replace("full-pcpus-only", "no-such-option"));

        assertThat(recordFails()).isEqualTo(1);
        assertThat(err.toString()).contains("no-such-option").doesNotContain("Exception");
    }

    @Test
    void malformedStateIsNamedByItsFile() throws IOException {
        state("memory_manager_state", "{\"entries\":");

        assertThat(recordFails()).isEqualTo(1);
        assertThat(err.toString()).contains("cannot read the kubelet's state").contains("memory_manager_state");
    }

    @Test
    void whatIsNoRecordingIsAnErrorOfReplay() throws IOException {
        Path file = Files.writeString(directory.resolve("text.zip"), "no archive");

        assertThat(run(new ReplayCommand(), file)).isEqualTo(2);
        assertThat(err.toString()).contains("cannot read a recording: file=" + file);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            a large entry | nodes: [] | LARGE | cannot read a recording: file=%s: its pods.json has more than 8388608 bytes
            many devices  | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 2Gi}], devices: [{resource: x/y, count: 1000000000, numaNodes: [0]}]}] | {} | field=nodes[0].devices: 1000000000 of them; expected at most 65536
            many CPUs     | nodes: [{name: a, numaNodes: [{id: 0, cores: 1000000000, memory: 2Gi}]}] | {} | field=nodes[0].numaNodes[0]: not a NUMA node: cores=1000000000
            deep lists    | nodes: [{name: a, numaNodes: [{id: 0, cores: 2, memory: 2Gi}]}] | DEEP | not the pods of a recording: Document nesting depth (1001) exceeds
            """)
    void aRecordingThatCostsTooMuchIsAnErrorOfReplay(String situation, String nodes, String pods, String why)
            throws IOException {
        Path file = directory.resolve("costly.zip");
        new Recording(
                        nodes,
                        pods.replace("LARGE", " ".repeat(64 << 20)).replace("DEEP", "[".repeat(100_000)),
                        Optional.empty())
                .write(file);

        assertThat(run(new ReplayCommand(), file)).isEqualTo(2);
        assertThat(err.toString()).contains(why.replace("%s", file.toString()));
    }
}

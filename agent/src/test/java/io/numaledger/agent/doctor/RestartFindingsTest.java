package io.numaledger.agent.doctor;

import io.numaledger.agent.api.NodeDevices;
import io.numaledger.agent.kubelet.StartSettings;
import io.numaledger.agent.statefiles.StartState;
import io.numaledger.cli.Finding;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class RestartFindingsTest {

    private static final String BOTH_STATIC = "cpuManagerPolicy: static\nmemoryManagerPolicy: Static\n";
    private static final String RESERVED = "reservedMemory: [{numaNode: 0, limits: {memory: 1Gi, hugepages-2Mi: 0}}]\n";
    private static final CpuSet ONLINE = CpuSet.EMPTY;
    private static final String FINE = BOTH_STATIC + RESERVED + "reservedSystemCPUs: \"0\"\n";

    @TempDir
    private Path directory;

    private void state(String cpus, String entries) throws IOException {
        Files.writeString(
                directory.resolve("cpu_manager_state"),
                "{\"policyName\":\"static\",\"defaultCpuSet\":\"%s\",\"entries\":{%s},\"checksum\":1}"
                        .formatted(cpus, entries));
        Files.writeString(
                directory.resolve("memory_manager_state"),
                "{\"policyName\":\"Static\",\"machineState\":{\"0\":{\"numberOfAssignments\":0,\"memoryMap\":{"
                        + "\"hugepages-2Mi\":{\"total\":0,\"systemReserved\":0},\"memory\":{\"total\":9,\"systemReserved\":1073741824}},"
                        + "\"cells\":[0]}},\"entries\":{},\"checksum\":1}");
    }

    private StartSettings settings(String yaml) throws IOException {
        return StartSettings.read(Files.writeString(directory.resolve("config.yaml"), yaml));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            the same                     | static | 1Gi | 0   | false | 0,3-4 |
            other reserved memory        | static | 2Gi | 0   | false | 0,3-4 | reservedMemory is {node-0 memory=2147483648} and was {node-0 memory=1073741824}: a kubelet that restarts now ends with 'the expected machine state is different from the real one'; undo the change, or drain the node and delete memory_manager_state in
            another policy               | none   | 1Gi | 0   | false | 0,3-4 | cpuManagerPolicy is none and was static: a kubelet that restarts now ends with 'differs from state checkpoint policy'
            a reserved CPU that a pod has | static | 1Gi | 0-1 | false | 0,3-4 | reservedSystemCPUs=0-1 does not suit the shared pool: a kubelet that restarts now ends with 'not all reserved cpus: "0-1" are present in defaultCpuSet: "0,3-4"'
            a strict reservation now     | static | 1Gi | 0   | true  | 0,3-4 | reservedSystemCPUs=0, strict, does not suit the shared pool: a kubelet that restarts now ends with 'some of strictly reserved cpus: "0" are present
            strict as before             | static | 1Gi | 0   | true  | 3-4   |
            a strict reservation no more | static | 1Gi | 0   | false | 3-4   | reservedSystemCPUs=0 does not suit the shared pool
            an empty shared pool         | static | 1Gi | 0   | true  | ''    | pods hold all CPUs: a kubelet that restarts now ends with 'default cpuset cannot be empty'
            """)
    void comparesTheConfigurationWithTheState(
            String situation, String policy, String memory, String reserved, boolean strict, String shared, String text)
            throws IOException {
        state(shared, "\"uid\":{\"c\":\"1-2\"}");
        StartSettings next = settings(FINE.replace("cpuManagerPolicy: static", "cpuManagerPolicy: " + policy)
                        .replace("memory: 1Gi", "memory: " + memory)
                        .replace("\"0\"", "\"" + reserved + "\"")
                + "cpuManagerPolicyOptions: {strict-cpu-reservation: \"%s\"}\n".formatted(strict));

        assertThat(RestartFindings.overState(next, StartState.read(directory), ONLINE))
                .singleElement()
                .asString()
                .startsWith(
                        text == null
                                ? "ok    kubelet start   the kubelet would start again over its state"
                                : "warn  kubelet start   " + text);
    }

    /** The kubelet has started with CPUs 0-4. */
    @ParameterizedTest(name = "online {0}")
    @CsvSource(delimiter = '|', textBlock = """
            0-4 | ok
            ''  | ok
            0-3 | current set of available CPUs "0-3" doesn't match with CPUs in state "0-4"
            0-5 | current set of available CPUs "0-5" doesn't match with CPUs in state "0-4"
            1-4 | reserved-cpus: 0 is not a subset of online-cpus: 1-4; current set of available CPUs "1-4" doesn't match with CPUs in state "0-4"
            """)
    void comparesTheCpusOfTheStateWithThoseThatAreOnline(String online, String sentences) throws IOException {
        state("0,3-4", "\"uid\":{\"c\":\"1-2\"}");
        List<Finding> found =
                RestartFindings.overState(settings(FINE), StartState.read(directory), CpuSet.parse(online));

        if (sentences.equals("ok")) {
            assertThat(found).extracting(Finding::level).containsExactly(Finding.Level.OK);
        } else {
            assertThat(found).extracting(Finding::level).containsOnly(Finding.Level.FAIL);
            assertThat(found)
                    .extracting(each -> each.text().replaceAll(".* ends with '(.*)';.*", "$1"))
                    .containsExactly(sentences.split("; "));
        }
    }

    /** Of a pod as a whole, one container has a part. A kubelet that has lost CPUs does not start again. */
    @ParameterizedTest
    @CsvSource({"0-4, OK", "0-3, FAIL", "0-5, FAIL"})
    void knowsTheCpusThatAPodHasAsAWhole(String online, Finding.Level level) throws IOException {
        state("0,3-4", "\"uid\":{\"c\":\"1\"}");
        Path file = directory.resolve("cpu_manager_state");
        String data = "{\\\"podEntries\\\":{\\\"uid\\\":{\\\"cpuSet\\\":\\\"1-2\\\"}}}";
        Files.writeString(
                file, Files.readString(file).replace("\"checksum\"", "\"data\":\"%s\",\"checksum\"".formatted(data)));

        assertThat(RestartFindings.overState(settings(FINE), StartState.read(directory), CpuSet.parse(online)))
                .extracting(Finding::level)
                .containsExactly(level);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "a":[{"numaAffinity":[0,1],"type":"memory","size":6}],"b":[{"numaAffinity":[0,1],"type":"memory","size":6}] |
            "a":[{"numaAffinity":[0,1],"type":"memory","size":6}],"b":[{"numaAffinity":[2],"type":"memory","size":6}] |
            "a":[{"numaAffinity":[0,1],"type":"memory","size":6}],"b":[{"numaAffinity":[0],"type":"memory","size":6}] | containers hold memory of node-0, of node-0 and node-1, which overlap: it is chance whether a kubelet that restarts now ends with 'the expected machine state is different from the real one'
            """)
    void warnsWhereItIsChanceWhetherTheKubeletStarts(String entries, String text) throws IOException {
        state("0,3-4", "\"uid\":{\"c\":\"1-2\"}");
        Path file = directory.resolve("memory_manager_state");
        Files.writeString(
                file,
                Files.readString(file).replace("\"entries\":{}", "\"entries\":{\"uid\":{%s}}".formatted(entries)));

        assertThat(RestartFindings.overState(settings(FINE), StartState.read(directory), ONLINE))
                .singleElement()
                .asString()
                .startsWith(text == null ? "ok " : "warn  kubelet start   " + text);
    }

    private static DeviceAllocation gpu(int id) {
        return new DeviceAllocation("nvidia.com/gpu", "gpu-" + id, List.of(0));
    }

    private static NodeDevices gpus(long capacity, long allocatable) {
        return gpus("v1.38.0", capacity, allocatable);
    }

    private static NodeDevices gpus(String kubelet, long capacity, long allocatable) {
        return new NodeDevices(
                kubelet,
                new TreeMap<>(Map.of("nvidia.com/gpu", capacity)),
                new TreeMap<>(Map.of("nvidia.com/gpu", allocatable)));
    }

    private static List<String> unlisted(NodeDevices node, DeviceAllocation... healthy) {
        return unlisted(TopologyPolicyName.RESTRICTED, 0, node, healthy);
    }

    private static List<String> unlisted(
            TopologyPolicyName policy, int numaNode, NodeDevices node, DeviceAllocation... healthy) {
        List<DeviceAllocation> held = Stream.of("gpu-0", "gpu-1")
                .map(id -> new DeviceAllocation("nvidia.com/gpu", id, numaNode < 0 ? List.of() : List.of(numaNode)))
                .toList();
        PodAllocation pod = new PodAllocation(
                "default", "train", List.of(new ContainerAllocation("c", CpuSet.EMPTY, List.of(), held)));
        return RestartFindings.unlistedDevices(List.of(pod), List.of(healthy), node, Optional.of(policy)).stream()
                .map(Finding::toString)
                .toList();
    }

    /** Real kubelets 1.37 and 1.38 panic so. */
    @Test
    void warnsOfDevicesThatTheirPluginListsNoMore() {
        assertThat(unlisted(gpus(1, 1), gpu(1)))
                .containsExactly(
                        "fail  kubelet start   the kubelet will not start again until the plugin of nvidia.com/gpu lists all of gpu-0, or these pods have ended: default/train; a kubelet that starts while a pod holds a device that its plugin does not list panics");
        assertThat(unlisted(gpus("v1.33.1", 1, 1), gpu(1)))
                .as("an older kubelet")
                .isEmpty();
        assertThat(unlisted(gpus(2, 1), gpu(1))).as("it is unhealthy").isEmpty();
        assertThat(unlisted(gpus(2, 2), gpu(0), gpu(1))).isEmpty();
        assertThat(unlisted(gpus(3, 1), gpu(2)))
                .as("two are listed and unhealthy, perhaps these")
                .isEmpty();
        assertThat(unlisted(gpus(2, 1), gpu(2))).as("one of both").hasSize(1);
        assertThat(unlisted(gpus(0, 0))).as("no plugin lists any").isEmpty();
        assertThat(unlisted(TopologyPolicyName.NONE, 0, gpus(1, 1), gpu(1)))
                .as("nothing is aligned")
                .isEmpty();
        assertThat(unlisted(
                        TopologyPolicyName.RESTRICTED,
                        -1,
                        gpus(1, 1),
                        new DeviceAllocation("nvidia.com/gpu", "gpu-1", List.of())))
                .as("no device has a NUMA node")
                .isEmpty();
        assertThat(unlisted(NodeDevices.UNKNOWN)).isEmpty();
    }

    @Test
    void startsWithoutState() throws IOException {
        assertThat(RestartFindings.overState(settings(FINE), StartState.read(directory), ONLINE))
                .containsExactly(Finding.ok("kubelet start", "the kubelet would start again over its state"));
        state("", "");
        assertThat(RestartFindings.overState(settings(FINE), StartState.read(directory), ONLINE))
                .extracting(Finding::level)
                .containsExactly(Finding.Level.OK);
    }

    /** What the file does not have, a flag of the kubelet may set. */
    @Test
    void saysNothingAboutWhatTheFileDoesNotHave() throws IOException {
        state("3-4", "\"uid\":{\"c\":\"1-2\"}");
        assertThat(RestartFindings.overState(
                        settings("kind: KubeletConfiguration\n"), StartState.read(directory), ONLINE))
                .extracting(Finding::level)
                .containsExactly(Finding.Level.OK);
        assertThat(RestartFindings.afterChange(settings("{}"), settings(FINE), CpuSet.of(1), ONLINE))
                .extracting(Finding::level)
                .containsExactly(Finding.Level.OK);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            nothing                   | 1Gi | 0   | false |
            reserved memory           | 2Gi | 0   | false | reservedMemory is {node-0 memory=2147483648} and was {node-0 memory=1073741824}
            a CPU that nobody has     | 1Gi | 0,7 | false |
            a CPU that a pod has      | 1Gi | 0-1 | false | pods hold the CPUs 1 of reservedSystemCPUs=0-1
            a strict reservation      | 1Gi | 0   | true  | strict-cpu-reservation is true and was false
            """)
    void comparesTheFileWithTheRunningKubelet(
            String change, String memory, String reserved, boolean strict, String text) throws IOException {
        StartSettings running = settings(FINE);
        StartSettings next =
                settings(FINE.replace("memory: 1Gi", "memory: " + memory).replace("\"0\"", "\"" + reserved + "\"")
                        + "cpuManagerPolicyOptions: {strict-cpu-reservation: \"%s\"}\n".formatted(strict));

        assertThat(RestartFindings.afterChange(next, running, CpuSet.parse("1-2"), CpuSet.range(0, 7)))
                .singleElement()
                .asString()
                .startsWith(text == null ? "ok    kubelet start" : "warn  kubelet start   " + text);
    }
}

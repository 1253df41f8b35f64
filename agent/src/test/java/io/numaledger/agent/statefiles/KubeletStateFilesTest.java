package io.numaledger.agent.statefiles;

import io.numaledger.placement.ContainerAllocation;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The files as a kubelet 1.36 writes them. */
class KubeletStateFilesTest {

    @TempDir
    private Path directory;

    @BeforeEach
    void write() throws IOException {
        Files.writeString(directory.resolve("cpu_manager_state"), """
                {"policyName":"static","defaultCpuSet":"0,7","entries":{"uid-1":{"app":"1-2","warm-up":"1-5"},"uid-2":{"app":"6"}},"checksum":1412926239}
                """);
        Files.writeString(directory.resolve("memory_manager_state"), """
                {"policyName":"Static","machineState":{"0":{"numberOfAssignments":2,"memoryMap":{"memory":{"total":9,"systemReserved":1,
                 "allocatable":8,"reserved":6,"free":2}},"cells":[0,1]}},
                 "entries":{"uid-1":{"app":[{"numaAffinity":[0,1],"type":"memory","size":6}],
                                     "warm-up":[{"numaAffinity":[0,1],"type":"memory","size":0}]}},"checksum":2}
                """);
    }

    @Test
    void joinsWhatBothManagersSayOfEachContainer() throws IOException {
        assertThat(new KubeletStateFiles(directory).read().byPod())
                .hasToString("{uid-1=["
                        + "ContainerAllocation[name=app, cpus=1-2, memory=[MemoryBlock[type=memory, sizeBytes=6, numaNodes=[0, 1]]], devices=[]], "
                        + "ContainerAllocation[name=warm-up, cpus=1-5, memory=[], devices=[]]], "
                        + "uid-2=[ContainerAllocation[name=app, cpus=6, memory=[], devices=[]]]}");
    }

    @Test
    void addsTheDevicesOfTheDeviceManagersCheckpoint() throws IOException {
        checkpoint("""
                {"Data":{"PodDeviceEntries":[
                 {"PodUID":"uid-1","ContainerName":"warm-up","ResourceName":"nvidia.com/gpu","DeviceIDs":{"0":["gpu-0","gpu-1"],"1":["gpu-1"]},"AllocResp":"CgA="},
                 {"PodUID":"uid-3","ContainerName":"app","ResourceName":"example.com/key","DeviceIDs":{"-1":["key-7"]},"AllocResp":"CgA="}],
                 "RegisteredDevices":{"nvidia.com/gpu":["gpu-0","gpu-1"]}},"Checksum":3}
                """);

        SortedMap<String, List<ContainerAllocation>> held =
                new KubeletStateFiles(directory).read().byPod();

        assertThat(held.get("uid-1").get(1).devices())
                .hasToString("[DeviceAllocation[resource=nvidia.com/gpu, deviceId=gpu-0, numaNodes=[0]], "
                        + "DeviceAllocation[resource=nvidia.com/gpu, deviceId=gpu-1, numaNodes=[0, 1]]]");
        assertThat(held.get("uid-1").get(1).cpus()).hasToString("1-5");
        assertThat(held.get("uid-3"))
                .hasToString(
                        "[ContainerAllocation[name=app, cpus=, memory=[], devices=[DeviceAllocation[resource=example.com/key, deviceId=key-7, numaNodes=[]]]]]");
    }

    @Test
    void readsACheckpointOfAKubeletWithoutPods() throws IOException {
        checkpoint("{\"Data\":{\"PodDeviceEntries\":null,\"RegisteredDevices\":{}},\"Checksum\":1}");
        assertThat(new KubeletStateFiles(directory).read().byPod()).containsOnlyKeys("uid-1", "uid-2");
    }

    private void checkpoint(String text) throws IOException {
        Path plugins = Files.createDirectory(directory.resolve("device-plugins"));
        Files.writeString(plugins.resolve("kubelet_internal_checkpoint"), text);
    }

    @Test
    void readsTheFilesOfManagersThatAreOff() throws IOException {
        Files.writeString(
                directory.resolve("cpu_manager_state"),
                "{\"policyName\":\"none\",\"defaultCpuSet\":\"\",\"checksum\":1353318690}");
        Files.writeString(directory.resolve("memory_manager_state"), "{\"policyName\":\"None\",\"checksum\":1}");
        assertThat(new KubeletStateFiles(directory).read())
                .isEqualTo(new KubeletStateFiles.State(new TreeMap<>(), CpuSet.EMPTY));
    }

    @Test
    void saysWhichFileIsMissingOrBroken() throws IOException {
        Path cpus = directory.resolve("cpu_manager_state");
        KubeletStateFiles files = new KubeletStateFiles(directory);
        Files.writeString(cpus, "{\"entries\":{\"uid-1\":{\"app\":\"1-x\"}}}");
        assertThatThrownBy(files::read)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cannot read the kubelet's state: file=%s: ", cpus)
                .hasMessageEndingWith("; check --kubelet-state-dir and the kubelet's version");
        Files.delete(cpus);
        assertThatThrownBy(files::read)
                .hasMessage(
                        "cannot read the kubelet's state: file=%s does not exist; check --kubelet-state-dir and its mount",
                        cpus);
    }

    /** From 1.37 on, the whole state stands in the file a second time, as text. */
    @Test
    void readsTheFilesOfKubelet137() throws IOException {
        String before = new KubeletStateFiles(directory).read().toString();
        for (String name : List.of("cpu_manager_state", "memory_manager_state")) {
            Path file = directory.resolve(name);
            String text = Files.readString(file);
            Files.writeString(
                    file,
                    text.replace(
                            ",\"checksum\"",
                            ",\"data\":\"{\\\"entries\\\":{\\\"uid-9\\\":{\\\"app\\\":\\\"9\\\"}}}\",\"dataChecksum\":3,\"checksum\""));
            assertThat(file).content().contains("dataChecksum");
        }

        assertThat(new KubeletStateFiles(directory).read()).hasToString(before);
    }

    /** As kubelets with the gate PodLevelResourceManagers write them: 1.36, and later ones. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"podEntries\":{\"uid-2\":{\"cpuSet\":\"3-6\"}},\"checksum\":1}",
                "\"checksum\":1,\"data\":\"{\\\"entries\\\":{\\\"uid-2\\\":{\\\"main\\\":\\\"3-4\\\"}},\\\"podEntries\\\":{\\\"uid-2\\\":{\\\"cpuSet\\\":\\\"3-6\\\"}}}\"}"
            })
    void knowsTheCpusThatAPodHasAsAWhole(String rest) throws IOException {
        Files.writeString(
                directory.resolve("cpu_manager_state"),
                "{\"policyName\":\"static\",\"defaultCpuSet\":\"0,9\",\"entries\":{\"uid-2\":{\"main\":\"3-4\"}},"
                        + rest);
        assertThat(new KubeletStateFiles(directory).read().cpus()).hasToString("0,3-6,9");
    }

    @Test
    void refusesAFileOfAnotherShape() throws IOException {
        Files.writeString(directory.resolve("cpu_manager_state"), "[]");
        assertThatThrownBy(new KubeletStateFiles(directory)::read).hasMessageContaining("it is no JSON object");
    }
}

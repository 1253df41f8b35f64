package io.numaledger.simulator.cluster;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The files as a kubelet writes them, cut down to two pods. */
class KubeletStateTest {

    @TempDir
    private Path root;

    @BeforeEach
    void write() throws IOException {
        Files.createDirectories(root.resolve("device-plugins"));
        Files.writeString(root.resolve("cpu_manager_state"), """
                {"policyName":"static","defaultCpuSet":"0,5-7","entries":{"uid-1":{"main":"1-2","side":"3"},"uid-2":{"main":"4"}},"checksum":1}
                """);
        Files.writeString(root.resolve("memory_manager_state"), """
                {"policyName":"Static","machineState":{
                  "0":{"numberOfAssignments":2,"memoryMap":{"memory":{"total":100,"systemReserved":10,"allocatable":90,"reserved":60,"free":30}},"cells":[0,1]},
                  "1":{"numberOfAssignments":1,"memoryMap":{"memory":{"total":100,"systemReserved":0,"allocatable":100,"reserved":0,"free":100}},"cells":[0,1]}},
                 "entries":{"uid-1":{"main":[{"numaAffinity":[0,1],"type":"memory","size":60}]}},"checksum":2}
                """);
        Files.writeString(root.resolve("device-plugins/kubelet_internal_checkpoint"), """
                {"Data":{"PodDeviceEntries":[
                  {"PodUID":"uid-1","ContainerName":"main","ResourceName":"example.com/nic","DeviceIDs":{"0":["nic-0","nic-1"],"1":["nic-1"]},"AllocResp":""},
                  {"PodUID":"uid-1","ContainerName":"main","ResourceName":"example.com/key","DeviceIDs":{"-1":["key-0"]},"AllocResp":""}],
                 "RegisteredDevices":{"example.com/nic":["nic-0","nic-1"]}},"Checksum":3}
                """);
    }

    @Test
    void joinsTheThreeFilesByPodAndContainer() {
        KubeletState state = KubeletState.read(root);

        assertThat(state.sharedCpus()).hasToString("0,5-7");
        assertThat(state.ofPod("uid-1").get("main"))
                .hasToString("ContainerAllocation[name=main, cpus=1-2, "
                        + "memory=[MemoryBlock[type=memory, sizeBytes=60, numaNodes=[0, 1]]], devices=["
                        + "DeviceAllocation[resource=example.com/key, deviceId=key-0, numaNodes=[]], "
                        + "DeviceAllocation[resource=example.com/nic, deviceId=nic-0, numaNodes=[0]], "
                        + "DeviceAllocation[resource=example.com/nic, deviceId=nic-1, numaNodes=[0, 1]]]]");
        assertThat(state.ofPod("uid-1").get("side").cpus()).hasToString("3");
        assertThat(state.ofPod("uid-2")).containsOnlyKeys("main");
        assertThat(state.ofPod("uid-3")).isEmpty();
    }

    @Test
    void readsTheMemoryTables() {
        MemoryTable table = KubeletState.read(root).memory().get(0).get("memory");

        assertThat(table).isEqualTo(new MemoryTable(90, 30, new TreeSet<>(List.of(0, 1))));
    }

    /** From 1.37 on, the whole state stands in the file a second time, as text. */
    @Test
    void readsTheFilesOfKubelet137() throws IOException {
        Path file = root.resolve("cpu_manager_state");
        String text = Files.readString(file);
        Files.writeString(
                file,
                text.replace(
                        ",\"checksum\"",
                        ",\"data\":\"{\\\"defaultCpuSet\\\":\\\"9\\\"}\",\"dataChecksum\":3,\"checksum\""));

        KubeletState state = KubeletState.read(root);

        assertThat(file).content().contains("dataChecksum");
        assertThat(state.sharedCpus()).hasToString("0,5-7");
        assertThat(state.ofPod("uid-1").get("side").cpus()).hasToString("3");
    }

    @Test
    void holdsNoDevicesWithoutACheckpoint() throws IOException {
        Files.delete(root.resolve("device-plugins/kubelet_internal_checkpoint"));

        assertThat(KubeletState.read(root).ofPod("uid-1").get("main").devices()).isEmpty();
    }

    @Test
    void holdsNothingBeforeTheKubeletHasWrittenItsState() throws IOException {
        Files.delete(root.resolve("memory_manager_state"));

        KubeletState state = KubeletState.read(root);

        assertThat(state.containers()).isEmpty();
        assertThat(state.memory()).isEmpty();
    }

    @Test
    void namesTheDirectoryOfABrokenFile() throws IOException {
        Files.writeString(root.resolve("cpu_manager_state"), "{\"entries\":");

        assertThatThrownBy(() -> KubeletState.read(root))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessage(
                        "cannot read a kubelet's state: directory=%s; check that its state files are complete", root);
    }
}

package io.numaledger.simulator.restore;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.placement.PodAllocation;
import io.numaledger.simulator.cluster.KubeletState;
import io.numaledger.simulator.cluster.MemoryTable;
import io.numaledger.simulator.replay.RecordedState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

class StateFilesTest {

    private static final String NODE = """
            nodes:
            - name: recorded
              kubelet: {topologyManagerPolicy: restricted, reservedSystemCPUs: "0", reservedMemory: [{numaNode: 0, limits: {memory: 1Gi}}]}
              numaNodes: [{id: 0, cores: 4, memory: 4Gi}, {id: 1, cores: 4, memory: 4Gi}]
              devices:
              - {resource: example.com/gpu, ids: [g0, g1], numaNodes: [0, 1]}
              - {resource: example.com/key, ids: [k0], numaNodes: []}
            """;

    private static final String PODS = """
            {"held":[{"name":"a","containers":{
               "c":{"cpus":"2-3","memory":[{"type":"memory","size":1073741824,"numaAffinity":[0]}],"devices":{"example.com/gpu":["g1"],"example.com/key":["k0"]}},
               "i":{"cpus":"2","memory":[],"devices":{"example.com/gpu":["g1"]}}}},
             {"name":"b","containers":{"c":{"cpus":"","memory":[{"type":"memory","size":4294967296,"numaAffinity":[1]}],"devices":{}}}}]}
            """;

    @TempDir
    private Path kubelet;

    private List<PodAllocation> write() throws IOException {
        Recording recording = new Recording(NODE, PODS, Optional.empty());
        RecordedState recorded = new RecordedState(recording);
        List<PodAllocation> held = recorded.held(recording);
        Files.createDirectories(kubelet.resolve("device-plugins"));
        new StateFiles(recorded.spec(), recorded.state(held)).write(kubelet);
        return held;
    }

    @Test
    void sayWhatEachPodHolds() throws IOException {
        List<PodAllocation> held = write();

        KubeletState state = KubeletState.read(kubelet);
        assertThat(state.sharedCpus()).hasToString("0-1,4-7");
        assertThat(state.ofPod("a").values())
                .containsExactly(held.get(0).containers().get(0));
        assertThat(state.ofPod("b").values())
                .containsExactlyElementsOf(held.get(1).containers());
        assertThat(state.memory().get(0).get("memory"))
                .isEqualTo(new MemoryTable(3L << 30, 2L << 30, new TreeSet<>(List.of(0))));
    }

    @Test
    void haveADeviceUnderEachOfItsNumaNodes() throws IOException {
        write();

        JsonNode devices = new ObjectMapper()
                .readTree(Files.readString(kubelet.resolve("device-plugins/kubelet_internal_checkpoint")));
        assertThat(devices.at("/Data/PodDeviceEntries/0/DeviceIDs").toString())
                .isEqualTo("{\"0\":[\"g1\"],\"1\":[\"g1\"]}");
        assertThat(devices.at("/Data/PodDeviceEntries/1/DeviceIDs").toString()).isEqualTo("{\"-1\":[\"k0\"]}");
    }

    @Test
    void haveTheChecksumsOfGo() throws IOException {
        write();

        assertThat(checksum("memory_manager_state", "/checksum")).isEqualTo(1801792365);
        assertThat(checksum("device-plugins/kubelet_internal_checkpoint", "/Checksum"))
                .isEqualTo(114761266);
    }

    private long checksum(String file, String field) throws IOException {
        return new ObjectMapper()
                .readTree(Files.readString(kubelet.resolve(file)))
                .at(field)
                .asLong();
    }
}

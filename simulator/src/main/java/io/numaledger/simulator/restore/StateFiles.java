package io.numaledger.simulator.restore;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.cpu.CpuState;
import io.numaledger.simulator.hardware.NodeSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The state files of a kubelet. One of any release reads their oldest formats. */
final class StateFiles {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final NodeSpec node;
    private final NodeState state;

    /** @param state pods are named by their UIDs */
    StateFiles(NodeSpec node, NodeState state) {
        this.node = node;
        this.state = state;
    }

    /** Replaces the files of a kubelet that is stopped. Those of a manager with the policy none stay as they are. */
    void write(Path kubeletRoot) throws IOException {
        if (state.cpus().isPresent()) {
            write(kubeletRoot.resolve("cpu_manager_state"), cpus(state.cpus().get()));
        }
        if (state.memory().isPresent()) {
            write(
                    kubeletRoot.resolve("memory_manager_state"),
                    new MemoryCheckpoint(node, state.memory().get()).json());
        }
        write(
                kubeletRoot.resolve("device-plugins/kubelet_internal_checkpoint"),
                DeviceCheckpoint.of(node, state.devices()));
    }

    private static void write(Path file, JsonNode content) throws IOException {
        Files.writeString(file, content.toString());
    }

    /** {@code cpu_manager_state} (pkg/kubelet/cm/cpumanager/state/checkpoint.go). A checksum of 0 is valid. */
    private static ObjectNode cpus(CpuState cpus) {
        ObjectNode file = JSON.objectNode()
                .put("policyName", "static")
                .put("defaultCpuSet", cpus.shared().toString());
        ObjectNode entries = file.putObject("entries");
        cpus.byPod()
                .forEach((pod, containers) -> containers.forEach((container, own) -> {
                    if (!own.isEmpty()) {
                        entries.withObjectProperty(pod).put(container, own.toString());
                    }
                }));
        return file.put("checksum", 0);
    }
}

package io.numaledger.simulator.record;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.recording.RecordedJson;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.resource.Quantity;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The fields of a KubeletConfiguration that decide where pods are placed. Nothing else of it is recorded.
 *
 * @param version {@code major.minor}
 */
record RecordedKubelet(String version, JsonNode configuration) {

    private static final Map<String, String> DEFAULTS = new TreeMap<>(Map.of(
            "topologyManagerPolicy", "none",
            "topologyManagerScope", "container",
            "cpuManagerPolicy", "none",
            "memoryManagerPolicy", "None"));
    private static final List<String> MAPS =
            List.of("topologyManagerPolicyOptions", "cpuManagerPolicyOptions", "featureGates");

    /** As {@code kubelet} in node YAML. */
    ObjectNode nodeYaml(MachineTopology machine) {
        ObjectNode kubelet = JsonNodeFactory.instance.objectNode();
        DEFAULTS.forEach((field, otherwise) -> kubelet.put(field, text(field).orElse(otherwise)));
        for (String map : MAPS) {
            kubelet.set(map, configuration.path(map).isObject() ? configuration.get(map) : kubelet.objectNode());
        }
        kubelet.put("reservedSystemCPUs", reservedCpus(machine).toString());
        ArrayNode memory = kubelet.putArray("reservedMemory");
        configuration.path("reservedMemory").forEach(memory::add);
        return kubelet;
    }

    private Optional<String> text(String field) {
        return Optional.of(configuration.path(field).asText("")).filter(text -> !text.isEmpty());
    }

    /** The CPUs that are named; otherwise those that the CPU Manager chooses for the amounts that are reserved. */
    private CpuSet reservedCpus(MachineTopology machine) {
        Optional<String> named = text("reservedSystemCPUs");
        if (named.isPresent() || !text("cpuManagerPolicy").equals(Optional.of("static"))) {
            return CpuSet.parse(named.orElse(""));
        }
        KubeletConfig config = new KubeletConfig(
                KubeletVersion.parse(version),
                TopologyManagerConfig.OFF,
                new CpuManagerConfig(
                        CpuPolicy.STATIC,
                        RecordedJson.texts(configuration.path("cpuManagerPolicyOptions")),
                        CpuSet.EMPTY,
                        OptionalLong.of(milliCpu("systemReserved") + milliCpu("kubeReserved"))),
                MemoryManagerConfig.OFF,
                RecordedJson.flags(configuration.path("featureGates")));
        return KubeletModel.start(Machine.probed(machine, new TreeMap<>()), config)
                .cpus()
                .orElseThrow()
                .reserved();
    }

    private long milliCpu(String field) {
        return Quantity.milli(configuration.path(field).path("cpu").asText("0"));
    }
}

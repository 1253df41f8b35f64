package io.numaledger.simulator.record;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Quantity;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;

import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
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
        SortedMap<String, String> options = new TreeMap<>();
        configuration
                .path("cpuManagerPolicyOptions")
                .properties()
                .forEach(
                        option -> options.put(option.getKey(), option.getValue().asText()));
        SortedMap<String, Boolean> gates = new TreeMap<>();
        configuration
                .path("featureGates")
                .properties()
                .forEach(gate -> gates.put(gate.getKey(), gate.getValue().asBoolean()));
        KubeletConfig config = new KubeletConfig(
                KubeletVersion.parse(version),
                new TopologyManagerConfig(TopologyPolicyName.NONE, TopologyScope.CONTAINER, new TreeMap<>()),
                new CpuManagerConfig(
                        CpuPolicy.STATIC,
                        options,
                        CpuSet.EMPTY,
                        OptionalLong.of(milliCpu("systemReserved") + milliCpu("kubeReserved"))),
                new MemoryManagerConfig(MemoryPolicy.NONE, new TreeMap<>(), Optional.empty()),
                gates);
        return KubeletModel.start(Machine.probed(machine, new TreeMap<>()), config)
                .cpus()
                .orElseThrow()
                .reserved();
    }

    private long milliCpu(String field) {
        String cpu = configuration.path(field).path("cpu").asText("0");
        return Quantity.getAmountInBytes(Quantity.parse(cpu))
                .movePointRight(3)
                .setScale(0, RoundingMode.CEILING)
                .longValueExact();
    }
}

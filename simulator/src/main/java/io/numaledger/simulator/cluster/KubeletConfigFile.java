package io.numaledger.simulator.cluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.numaledger.apiobjects.recording.NodeYaml;
import io.numaledger.simulator.cluster.ClusterCertificates.KeyFiles;
import io.numaledger.simulator.hardware.KubeletSpec;
import io.numaledger.simulator.hardware.NodeSpec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * The KubeletConfiguration of a simulated node: what its {@link KubeletSpec} says, and what a kubelet needs that shares a
 * machine with others and starts no process.
 */
final class KubeletConfigFile {

    private static final ObjectMapper YAML = new YAMLMapper();

    /** Where in-place resize is on, may be switched off, and ends the kubelet when it owns no cgroups (seen with 1.33.13). */
    private static final Set<String> RESIZE_WITHOUT_CGROUPS_PANICS = Set.of("1.33", "1.34");

    private KubeletConfigFile() {}

    /**
     * The file's text.
     *
     * @param address where the kubelet's API listens
     * @param certificates if present, the API asks who calls and what the caller may do, as in a real cluster
     * @param cgroupRoot absent: the kubelet has no cgroups
     */
    static String text(
            NodeSpec node,
            NodeDirectory directory,
            String address,
            int port,
            Optional<ClusterCertificates> certificates,
            Optional<String> cgroupRoot) {
        KubeletSpec spec = node.kubelet();
        ObjectNode config = YAML.createObjectNode();
        config.put("apiVersion", "kubelet.config.k8s.io/v1beta1");
        config.put("kind", "KubeletConfiguration");
        config.setAll(NodeYaml.kubelet(spec.topologyManager(), spec.cpuManager(), spec.memoryManager()));
        reservations(config, spec);
        guest(config, directory);
        config.put("cgroupsPerQOS", cgroupRoot.isPresent());
        cgroupRoot.ifPresent(root -> config.put("cgroupRoot", root));
        serving(config, address, port);
        certificates.ifPresent(all -> authorization(config, all.authority(), all.kubelet(node.name(), address)));
        if (cgroupRoot.isEmpty()
                && RESIZE_WITHOUT_CGROUPS_PANICS.contains(node.kubeletVersion().orElseThrow())) {
            config.withObject("/featureGates").put("InPlacePodVerticalScaling", false);
        }
        spec.featureGates()
                .forEach((gate, on) -> config.withObject("/featureGates").put(gate, on));
        try {
            return YAML.writeValueAsString(config);
        } catch (IOException cause) {
            throw new SimClusterException(
                    "cannot write a kubelet's configuration: config=" + config + "; report it", cause);
        }
    }

    /**
     * The Memory Manager starts only if its reservations add up to those of the node, to the byte. No eviction threshold
     * takes part: how much memory this machine really has free is no concern of the simulated one ("0%" is none).
     */
    private static void reservations(ObjectNode config, KubeletSpec spec) {
        ObjectNode system = config.putObject("systemReserved");
        spec.memoryManager().totals().forEach((type, bytes) -> system.put(type, bytes.toString()));
        config.putObject("evictionHard").put("memory.available", "0%");
        if (spec.staticMemory()) {
            ArrayNode perNode = config.putArray("reservedMemory");
            spec.memoryManager().reservedMemory().forEach((numaNode, amounts) -> {
                ObjectNode limits =
                        perNode.addObject().put("numaNode", numaNode).putObject("limits");
                amounts.forEach((type, bytes) -> limits.put(type, bytes.toString()));
            });
        }
    }

    private static void guest(ObjectNode config, NodeDirectory directory) {
        config.put("containerRuntimeEndpoint", "unix://" + directory.runtimeSocket());
        config.putArray("enforceNodeAllocatable");
        config.put("failSwapOn", false);
        config.put("failCgroupV1", false);
        config.put("localStorageCapacityIsolation", false);
        config.put("makeIPTablesUtilChains", false);
        config.put("volumePluginDir", directory.volumePlugins().toString());
        config.put("staticPodPath", directory.staticPods().toString());
        config.put("volumeStatsAggPeriod", "-1s");
        config.put("nodeStatusUpdateFrequency", "2s");
        config.put("maxPods", 500);
        config.put("registryPullQPS", 0);
        config.put("eventRecordQPS", 0);
    }

    /** Whoever reaches the port may ask all: there is nothing behind it but simulated pods. Tokens are checked when given. */
    private static void serving(ObjectNode config, String address, int port) {
        config.put("address", address);
        config.put("port", port);
        config.put("readOnlyPort", 0);
        config.put("healthzPort", 0);
        ObjectNode authentication = config.putObject("authentication");
        authentication.putObject("anonymous").put("enabled", true);
        authentication.putObject("webhook").put("enabled", true);
        config.putObject("authorization").put("mode", "AlwaysAllow");
    }

    private static void authorization(ObjectNode config, Path clientAuthority, KeyFiles serving) {
        config.put("tlsCertFile", serving.certificate().toString());
        config.put("tlsPrivateKeyFile", serving.key().toString());
        config.withObject("/authentication/x509").put("clientCAFile", clientAuthority.toString());
        config.withObject("/authentication/anonymous").put("enabled", false);
        config.withObject("/authorization").put("mode", "Webhook");
    }
}

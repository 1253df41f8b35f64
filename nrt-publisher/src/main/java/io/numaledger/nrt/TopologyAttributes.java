package io.numaledger.nrt;

import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * The attributes of the object as a whole that the numaledger profile writes: fields of the kubelet's configuration under
 * their own names, options as {@code topologyManagerOption<CamelCase>} and {@code cpuManagerPolicyOption<CamelCase>}, feature
 * gates as {@code featureGate<Name>}. {@code docs/reference/published.md} has them all.
 */
public final class TopologyAttributes {

    public static final String TOPOLOGY_POLICY = "topologyManagerPolicy";
    public static final String TOPOLOGY_SCOPE = "topologyManagerScope";
    public static final String CPU_POLICY = "cpuManagerPolicy";
    public static final String MEMORY_POLICY = "memoryManagerPolicy";

    /** {@link DeviceGroup}s that lie in several zones or in none. */
    public static final String DEVICES_BEYOND_ONE_ZONE = "devicesBeyondOneZone";

    /** {@link UnhealthyDevices} that pods hold. */
    public static final String UNHEALTHY_DEVICES = "unhealthyDevices";

    /** The CPUs that are offline and that pods hold, or may still get from the kubelet until it restarts, as a kernel list. */
    public static final String OFFLINE_CPUS = "offlineCpus";

    /** The CPUs that the kubelet gives to nobody and that no pod holds, until its state file is deleted, as a kernel list. */
    public static final String UNHELD_CPUS = "unheldCpus";

    /** The podfingerprint of the pods on the node. */
    public static final String FINGERPRINT = "nodeTopologyPodsFingerprint";

    /** The pods that the fingerprint is made of, as {@code FingerprintMethod} spells it. */
    public static final String FINGERPRINT_METHOD = "nodeTopologyPodsFingerprintMethod";

    /** Whether what plain init containers hold is counted and recorded: {@code published} or {@code unknown}. */
    public static final String INIT_CONTAINERS = "initContainerResources";

    /** {@link #RESTARTING} from when the kubelet goes away until it has heard of its pods again; absent otherwise. */
    public static final String KUBELET = "kubelet";

    public static final String RESTARTING = "restarting";

    private static final String TOPOLOGY_OPTION = "topologyManagerOption";
    private static final String CPU_OPTION = "cpuManagerPolicyOption";
    private static final String GATE = "featureGate";

    private TopologyAttributes() {}

    /** The attributes that publish these settings. */
    public static SortedMap<String, String> of(KubeletSettings kubelet) {
        TreeMap<String, String> attributes = new TreeMap<>();
        kubelet.topologyManagerPolicy().ifPresent(value -> attributes.put(TOPOLOGY_POLICY, value.toString()));
        kubelet.topologyManagerScope().ifPresent(value -> attributes.put(TOPOLOGY_SCOPE, value.toString()));
        kubelet.cpuManagerPolicy().ifPresent(value -> attributes.put(CPU_POLICY, value.toString()));
        kubelet.memoryManagerPolicy().ifPresent(value -> attributes.put(MEMORY_POLICY, value.toString()));
        kubelet.topologyManagerPolicyOptions()
                .forEach((name, value) -> attributes.put(TOPOLOGY_OPTION + camelCase(name), value));
        kubelet.cpuManagerPolicyOptions().forEach((name, value) -> attributes.put(CPU_OPTION + camelCase(name), value));
        kubelet.featureGates().forEach((name, on) -> attributes.put(GATE + name, on.toString()));
        return attributes;
    }

    /** Whether the agent reads the kubelet's state files. */
    public static boolean readsStateFiles(SortedMap<String, String> attributes) {
        return "published".equals(attributes.get(INIT_CONTAINERS));
    }

    /** The configuration of the kubelet that an object publishes. Missing and unknown values are absent. */
    public static KubeletSettings read(SortedMap<String, String> attributes) {
        TreeMap<String, Boolean> gates = new TreeMap<>();
        withPrefix(attributes, GATE).forEach((name, value) -> gates.put(name, Boolean.valueOf(value)));
        return new KubeletSettings(
                Optional.ofNullable(attributes.get(TOPOLOGY_POLICY)).flatMap(TopologyPolicyName::find),
                Optional.ofNullable(attributes.get(TOPOLOGY_SCOPE)).flatMap(TopologyScope::find),
                options(attributes, TOPOLOGY_OPTION),
                Optional.ofNullable(attributes.get(CPU_POLICY)).flatMap(CpuPolicy::find),
                options(attributes, CPU_OPTION),
                Optional.ofNullable(attributes.get(MEMORY_POLICY)).flatMap(MemoryPolicy::find),
                gates);
    }

    private static SortedMap<String, String> options(SortedMap<String, String> attributes, String prefix) {
        TreeMap<String, String> options = new TreeMap<>();
        withPrefix(attributes, prefix).forEach((name, value) -> options.put(dashed(name), value));
        return options;
    }

    private static SortedMap<String, String> withPrefix(SortedMap<String, String> attributes, String prefix) {
        TreeMap<String, String> found = new TreeMap<>();
        attributes.forEach((name, value) -> {
            if (name.length() > prefix.length() && name.startsWith(prefix)) {
                found.put(name.substring(prefix.length()), value);
            }
        });
        return sorted(found);
    }

    /** {@code prefer-closest-numa-nodes} → {@code PreferClosestNumaNodes}. */
    static String camelCase(String option) {
        StringBuilder name = new StringBuilder();
        for (String word : option.split("-")) {
            if (!word.isEmpty()) {
                name.append(Character.toUpperCase(word.charAt(0))).append(word, 1, word.length());
            }
        }
        return name.toString();
    }

    /** {@code PreferClosestNumaNodes} → {@code prefer-closest-numa-nodes}. */
    static String dashed(String camelCase) {
        StringBuilder option = new StringBuilder();
        for (int i = 0; i < camelCase.length(); i++) {
            char letter = camelCase.charAt(i);
            if (Character.isUpperCase(letter) && !option.isEmpty()) {
                option.append('-');
            }
            option.append(Character.toLowerCase(letter));
        }
        return option.toString();
    }
}

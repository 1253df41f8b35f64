package io.numaledger.kubectl.rehearse;

import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.scheduling.rehearsal.ChangeRehearsal.By;
import io.numaledger.scheduling.rehearsal.KubeletChange;
import io.numaledger.topology.CpuSet;
import picocli.CommandLine.Option;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is to be changed of kubelets, and how. */
final class ChangeOptions {

    private static final Pattern RESERVED_MEMORY = Pattern.compile("(\\d{1,3}):(.+)");

    @Option(names = "--by", paramLabel = "HOW", description = "restart, reboot or drain (default: ${DEFAULT-VALUE})")
    private String by = By.RESTART.toString();

    @Option(names = "--kubelet-version", paramLabel = "VERSION", description = "such as 1.38")
    private Optional<String> version = Optional.empty();

    @Option(
            names = "--topology-manager-policy",
            paramLabel = "POLICY",
            description = "none, best-effort, restricted or single-numa-node")
    private Optional<String> topologyPolicy = Optional.empty();

    @Option(names = "--topology-manager-scope", paramLabel = "SCOPE", description = "container or pod")
    private Optional<String> topologyScope = Optional.empty();

    @Option(names = "--cpu-manager-policy", paramLabel = "POLICY", description = "none or static")
    private Optional<String> cpuPolicy = Optional.empty();

    @Option(names = "--memory-manager-policy", paramLabel = "POLICY", description = "None or Static")
    private Optional<String> memoryPolicy = Optional.empty();

    @Option(
            names = "--policy-option",
            paramLabel = "NAME=VALUE",
            description =
                    "an option of the CPU Manager or the Topology Manager, such as full-pcpus-only=true; NAME= takes it away; can be repeated")
    private Map<String, String> options = new LinkedHashMap<>();

    @Option(names = "--reserved-cpus", paramLabel = "CPUS", description = "reservedSystemCPUs, such as 0-3,8")
    private Optional<String> reservedCpus = Optional.empty();

    @Option(
            names = "--reserved-memory",
            paramLabel = "NUMA-NODE:TYPE=AMOUNT,…",
            description =
                    "reservedMemory as the kubelet's flag has it, such as 0:memory=1Gi,hugepages-1Gi=2Gi; once for each NUMA node; kubeReserved and systemReserved are taken to follow")
    private List<String> reservedMemory = List.of();

    @Option(
            names = "--feature-gate",
            paramLabel = "NAME=true|false",
            description = "a feature gate of the kubelet; can be repeated")
    private Map<String, Boolean> gates = new LinkedHashMap<>();

    /** @throws IllegalArgumentException as a sentence */
    By by() {
        return List.of(By.values()).stream()
                .filter(each -> each.toString().equals(by))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "--by: expected restart, reboot or drain, got '%s'".formatted(by)));
    }

    /** @throws IllegalArgumentException as a sentence */
    KubeletChange change() {
        SortedMap<String, Optional<String>> policyOptions = new TreeMap<>();
        options.forEach(
                (name, value) -> policyOptions.put(name, Optional.of(value).filter(text -> !text.isEmpty())));
        return new KubeletChange(
                version.map(KubeletVersion::parse),
                topologyPolicy.map(TopologyPolicyName::parse),
                topologyScope.map(TopologyScope::parse),
                cpuPolicy.map(CpuPolicy::parse),
                memoryPolicy.map(MemoryPolicy::parse),
                policyOptions,
                reservedCpus.map(CpuSet::parse),
                memory(),
                new TreeMap<>(gates));
    }

    private SortedMap<Integer, SortedMap<String, Long>> memory() {
        SortedMap<Integer, SortedMap<String, Long>> all = new TreeMap<>();
        for (String text : reservedMemory) {
            Matcher matcher = RESERVED_MEMORY.matcher(text);
            if (!matcher.matches()) {
                throw new IllegalArgumentException(
                        "--reserved-memory: expected such as 0:memory=1Gi, got '%s'".formatted(text));
            }
            SortedMap<String, Long> ofNode =
                    all.computeIfAbsent(Integer.valueOf(matcher.group(1)), any -> new TreeMap<>());
            for (String amount : matcher.group(2).split(",", -1)) {
                int equals = amount.indexOf('=');
                if (equals < 1) {
                    throw new IllegalArgumentException(
                            "--reserved-memory: expected TYPE=AMOUNT, got '%s'".formatted(amount));
                }
                ofNode.put(
                        amount.substring(0, equals),
                        RequestedAmount.parse(amount.substring(equals + 1)).whole());
            }
        }
        return all;
    }
}

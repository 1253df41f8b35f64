package io.numaledger.simulator.cluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The shell script that becomes a kubelet. It runs in a mount namespace of its own and puts the simulated hardware over the
 * real one there, so that nothing of it is seen outside and all of it goes with the process.
 */
final class KubeletScript {

    /** The values that a kubelet wants (pkg/kubelet/cm, setupKernelTunables) and would otherwise set on this machine. */
    static final Map<String, String> SYSCTLS = new TreeMap<>(Map.of(
            "kernel/keys/root_maxbytes", "25000000",
            "kernel/keys/root_maxkeys", "1000000",
            "kernel/panic", "10",
            "kernel/panic_on_oops", "1",
            "vm/overcommit_memory", "1",
            "vm/panic_on_oom", "0"));

    private KubeletScript() {}

    static String text(NodeDirectory directory, Path kubelet, List<String> arguments) {
        Path hardware = directory.hardware();
        StringBuilder script = new StringBuilder("""
                set -eu
                over() { if [ -e "$2" ]; then mount --bind "$1" "$2"; fi; }
                mount --make-rprivate /
                mkdir -p /var/lib/kubelet
                """);
        for (String shown : List.of(
                "sys/devices/system/node",
                "sys/devices/system/cpu",
                "sys/bus/node/devices",
                "sys/kernel/mm/hugepages",
                "proc/cpuinfo",
                "proc/meminfo")) {
            script.append(over(hardware.resolve(shown), "/" + shown));
        }
        SYSCTLS.keySet().forEach(name -> script.append(over(directory.sysctls().resolve(name), "/proc/sys/" + name)));
        script.append(over(directory.varLog(), "/var/log"));
        script.append(over(directory.kubeletRoot(), "/var/lib/kubelet"));
        script.append("cd %s%n".formatted(quoted(directory.workDir())));
        script.append("exec %s %s%n"
                .formatted(
                        quoted(kubelet),
                        arguments.stream().map(KubeletScript::quoted).collect(Collectors.joining(" "))));
        return script.toString();
    }

    private static String over(Path simulated, String real) {
        return "over %s %s%n".formatted(quoted(simulated), real);
    }

    private static String quoted(Object text) {
        return "'" + text.toString().replace("'", "'\\''") + "'";
    }
}

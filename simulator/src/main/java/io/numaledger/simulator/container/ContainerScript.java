package io.numaledger.simulator.container;

import io.numaledger.simulator.cri.v1.ContainerConfig;
import io.numaledger.simulator.cri.v1.KeyValue;
import io.numaledger.simulator.cri.v1.LinuxContainerSecurityContext;
import io.numaledger.simulator.cri.v1.Mount;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The shell script that becomes a container. It runs in a mount namespace of its own, which begins as that of the kubelet. The container
 * gets no capabilities, whatever it asks for, and no limits.
 */
final class ContainerScript {

    private static final List<String> PATH =
            List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");

    /** What it writes outside of its mounts is in memory. */
    private static final String ROOT = """
            set -eu
            umask 022
            mount -t tmpfs tmpfs "$1"
            mkdir "$1/upper" "$1/work" "$1/root"
            mount -t overlay overlay -o "lowerdir=$2,upperdir=$1/upper,workdir=$1/work" "$1/root"
            root=$1/root
            mkdir -p "$root/proc" "$root/dev"
            mount --rbind /proc "$root/proc"
            mount -t tmpfs -o mode=755 tmpfs "$root/dev"
            for device in null zero full random urandom; do
              : > "$root/dev/$device"
              mount --bind "/dev/$device" "$root/dev/$device"
            done
            put() {
              if [ -d "$2" ]; then mkdir -p "$root$3"; else mkdir -p "$(dirname "$root$3")"; [ -e "$root$3" ] || : > "$root$3"; fi
              mount --rbind "$2" "$root$3"
              [ "$1" = rw ] || mount -o remount,ro,bind "$root$3"
            }
            """;

    private ContainerScript() {}

    /**
     * The script. Its arguments are an empty directory for mounts and the root of the image.
     *
     * @param hosts lines for {@code /etc/hosts}
     */
    static String text(ContainerImage image, ContainerConfig config, String hosts) {
        LinuxContainerSecurityContext security = config.getLinux().getSecurityContext();
        StringBuilder script = new StringBuilder(ROOT);
        config.getMountsList().stream()
                .sorted(Comparator.comparing(Mount::getContainerPath))
                .forEach(mount -> script.append("put %s %s %s%n"
                        .formatted(
                                mount.getReadonly() ? "ro" : "rw",
                                quoted(mount.getHostPath()),
                                quoted(mount.getContainerPath()))));
        // The kubelet writes this file anew for each start of the container.
        script.append(
                "[ ! -e \"$root/etc/hosts\" ] || printf '%%s' %s >> \"$root/etc/hosts\"%n".formatted(quoted(hosts)));
        if (security.getReadonlyRootfs()) {
            script.append("mount -o remount,ro,bind \"$root\"\n");
        }
        script.append("exec env -i %s capsh --chroot=\"$root\" --drop=all --inh= %s --no-new-privs %s"
                .formatted(environment(image, config), user(image, security), program(image, config)));
        return script.toString();
    }

    private static String environment(ContainerImage image, ContainerConfig config) {
        Stream<String> asked = config.getEnvsList().stream().map(ContainerScript::variable);
        return Stream.of(Stream.of("PATH=" + String.join(":", PATH)), image.environment().stream(), asked)
                .flatMap(each -> each)
                .map(ContainerScript::quoted)
                .collect(Collectors.joining(" "));
    }

    private static String variable(KeyValue pair) {
        return pair.getKey() + "=" + pair.getValue();
    }

    private static String user(ContainerImage image, LinuxContainerSecurityContext security) {
        String[] ids = image.user().split(":", 2);
        String uid = security.hasRunAsUser() ? "" + security.getRunAsUser().getValue() : ids[0];
        String gid = uid.equals(ids[0]) ? ids[1] : "0";
        if (security.hasRunAsGroup()) {
            gid = "" + security.getRunAsGroup().getValue();
        }
        String groups = security.getSupplementalGroupsList().stream()
                .map(String::valueOf)
                .collect(Collectors.joining(","));
        return "--groups=%s --gid=%s --uid=%s".formatted(groups, gid, uid);
    }

    private static String program(ContainerImage image, ContainerConfig config) {
        List<String> command =
                new ArrayList<>(config.getCommandCount() == 0 ? image.entrypoint() : config.getCommandList());
        command.addAll(config.getArgsList());
        return "--shell=%s -- %s"
                .formatted(
                        quoted(found(image.root(), command.get(0))),
                        command.stream().skip(1).map(ContainerScript::quoted).collect(Collectors.joining(" ")));
    }

    private static String found(Path root, String program) {
        return PATH.stream()
                .map(directory -> directory + "/" + program)
                .filter(path -> !program.startsWith("/") && Files.exists(root.resolve(path.substring(1))))
                .findFirst()
                .orElse(program);
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}

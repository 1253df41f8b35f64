package io.numaledger.images.rootfs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Runs the program of a root file system as a container would: by chroot in its own mount namespace, with no writable
 * directory. Needs root, or user namespaces as long as nothing is mounted or made read-only. The mounts end with the process.
 */
public final class ContainedProgram {

    /** Where a pod finds the token and the CA of its service account. */
    public static final String ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

    public static final String POD_RESOURCES = "/var/lib/kubelet/pod-resources";
    public static final String SYS = "/host/sys";

    private static final String JAVA = "/jre/bin/java";

    private final Path root;
    private final SortedMap<String, Path> mounts = new TreeMap<>();
    private final SortedMap<String, String> environment = new TreeMap<>(Map.of("MALLOC_ARENA_MAX", "1"));
    private Optional<Path> group = Optional.empty();
    private Optional<String> user = Optional.empty();
    private boolean writable;

    /** @param root the directory that {@code ./numaledger rootfs} made */
    public ContainedProgram(Path root) {
        this.root = root.toAbsolutePath();
    }

    /** Mounts a directory at a path inside the root, read-only. */
    public ContainedProgram mount(Path directory, String at) {
        mounts.put(at, directory.toAbsolutePath());
        return this;
    }

    public ContainedProgram environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Runs the program in this control group. */
    public ContainedProgram in(Path controlGroup) {
        group = Optional.of(controlGroup);
        return this;
    }

    /**
     * Runs the program as this user without any capability, as the charts do.
     *
     * @param ids user and group id, such as {@code 65532:65532}
     */
    public ContainedProgram as(String ids) {
        user = Optional.of(ids);
        return this;
    }

    /** Lets the program write to its root. Only needed while the root is being made. */
    ContainedProgram writable() {
        writable = true;
        return this;
    }

    /** The process to start, with these arguments to Java. It keeps the process id that it is started with. */
    public ProcessBuilder process(List<String> arguments) {
        return process(JAVA, arguments);
    }

    /**
     * The process to start.
     *
     * @param program a path in the root, such as {@code /bin/agent}
     */
    public ProcessBuilder process(String program, List<String> arguments) {
        List<String> script = new ArrayList<>();
        group.ifPresent(path -> script.add("echo $$ > '%s/cgroup.procs'".formatted(path)));
        script.add("mount --bind '%1$s' '%1$s'".formatted(root));
        script.add("mount --rbind /dev '%s/dev'".formatted(root));
        // Java finds its libraries by /proc/self/exe.
        script.add("mount --rbind /proc '%s/proc'".formatted(root));
        mounts.forEach((at, directory) -> {
            script.add("mount --bind '%s' '%s%s'".formatted(directory, root, at));
            script.add("mount -o remount,ro,bind '%s%s'".formatted(root, at));
        });
        if (!writable) {
            script.add("mount -o remount,ro,bind '%s'".formatted(root));
        }
        StringBuilder exec = new StringBuilder("exec env -i PATH=/usr/sbin:/sbin:/usr/bin:/bin");
        environment.forEach((name, value) -> exec.append(" '%s=%s'".formatted(name, value)));
        script.add(exec.append(" %s \"$@\"".formatted(enter(program))).toString());
        List<String> command = new ArrayList<>(List.of("unshare", "--mount"));
        if (!isRoot()) {
            command.add("--map-root-user");
        }
        command.addAll(List.of("sh", "-ec", String.join("\n", script), "program"));
        command.addAll(arguments);
        return new ProcessBuilder(command).redirectErrorStream(true);
    }

    private String enter(String program) {
        if (user.isEmpty()) {
            return "chroot '%s' %s".formatted(root, program);
        }
        int colon = user.get().indexOf(':');
        return "capsh --chroot='%s' --drop=all --inh= --groups= --gid=%s --uid=%s --shell=%s --"
                .formatted(root, user.get().substring(colon + 1), user.get().substring(0, colon), program);
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }
}

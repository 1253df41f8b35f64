package io.numaledger.simulator.cluster;

import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.topology.CpuSet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The cgroups of a cluster's kubelets, a subtree for each node. They stay empty: no process of a pod is in them. A kubelet without any ends
 * when it resizes a pod in place (pkg/kubelet/kuberuntime/kuberuntime_manager.go, doPodResizeAction). A shell removes them when this JVM ends,
 * even when it is killed.
 */
final class ClusterCgroups implements AutoCloseable {

    /** What a kubelet wants (pkg/kubelet/cm/container_manager_linux.go, validateSystemRequirements). */
    private static final Set<String> REQUIRED = Set.of("cpu", "cpuacct", "cpuset", "memory");

    /** What a kubelet wants in each of its cgroups, as far as the machine has it (pkg/kubelet/cm/cgroup_v2_manager_linux.go). */
    private static final Set<String> REQUIRED_UNIFIED = Set.of("cpu", "cpuset", "memory", "pids", "hugetlb");

    /** The kubelets end at the same time, and may still write while they do. */
    private static final String REMOVE_AT_THE_END = """
            cat >/dev/null
            for try in $(seq 100); do
              left=
              for each; do
                find "$each" -depth -type d -delete 2>/dev/null
                [ ! -e "$each" ] || left=1
              done
              [ -n "$left" ] || exit 0
              sleep 0.1
            done
            """;

    private static final long REMOVAL_SECONDS = 15;

    private static final Path MACHINE = Path.of("/");
    private static final Path PAGE_SIZES = Path.of("sys/kernel/mm/hugepages");
    private static final Path ONLINE_CPUS = Path.of("sys/devices/system/cpu/online");

    private final String name;
    private final List<Path> roots;
    private final Optional<String> obstacle;
    private final Optional<Process> removal;

    private ClusterCgroups(String name, List<Path> roots, Optional<String> obstacle, Optional<Process> removal) {
        this.name = name;
        this.roots = roots;
        this.obstacle = obstacle;
        this.removal = removal;
    }

    /** With an obstacle, where this machine does not let us make cgroups. */
    static ClusterCgroups create() {
        String name = "numaledger-%d-%x".formatted(ProcessHandle.current().pid(), System.nanoTime());
        try {
            CgroupMounts mounts = CgroupMounts.parse(Files.readAllLines(CgroupMounts.TABLE));
            if (mounts.unified().isEmpty() && !mounts.controllers().containsAll(REQUIRED)) {
                return without("no cgroups of %s are mounted".formatted(new TreeSet<>(REQUIRED)));
            }
            List<Path> roots =
                    mounts.all().stream().map(mount -> mount.resolve(name)).toList();
            ClusterCgroups cgroups = new ClusterCgroups(name, roots, Optional.empty(), Optional.of(removal(roots)));
            return cgroups.made(mounts);
        } catch (IOException cause) {
            return without(cause.toString());
        }
    }

    private static ClusterCgroups without(String obstacle) {
        return new ClusterCgroups("", List.of(), Optional.of(obstacle), Optional.empty());
    }

    /** Its pipe ends with this JVM. In a session of its own, it outlives the signals to ours. */
    private static Process removal(List<Path> roots) throws IOException {
        List<String> command = new ArrayList<>(List.of("setsid", "/bin/sh", "-c", REMOVE_AT_THE_END, "remove-cgroups"));
        roots.forEach(root -> command.add(root.toString()));
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private ClusterCgroups made(CgroupMounts mounts) {
        try {
            for (Path root : roots) {
                Files.createDirectory(root);
            }
            if (mounts.unified().isPresent()) {
                enableControllers(mounts.unified().get());
            }
            return this;
        } catch (IOException cause) {
            close();
            return without(cause.toString());
        }
    }

    /** In version 2 a cgroup has only the controllers that its parent enables. */
    private void enableControllers(Path mount) throws IOException {
        Set<String> wanted = controllers(mount);
        wanted.retainAll(REQUIRED_UNIFIED);
        for (Path parent : List.of(mount, mount.resolve(name))) {
            for (String controller : wanted) {
                Files.writeString(parent.resolve("cgroup.subtree_control"), "+" + controller);
            }
        }
    }

    private static Set<String> controllers(Path cgroup) throws IOException {
        return new TreeSet<>(List.of(
                Files.readString(cgroup.resolve("cgroup.controllers")).strip().split(" ")));
    }

    /** Why kubelets have no cgroups; absent: they have. */
    Optional<String> obstacle() {
        return obstacle;
    }

    /**
     * The {@code cgroupRoot} of a node's kubelet; absent: the node asks for none.
     *
     * @param hardware what the kubelet sees instead of this machine's
     * @throws SimClusterException if this machine cannot have what the kubelet would write
     */
    Optional<String> ofNode(NodeSpec spec, Path hardware) {
        String node = spec.name();
        if (!spec.kubelet().cgroupsPerQos()) {
            return Optional.empty();
        }
        try {
            obstacle(spec, hardware).ifPresent(why -> {
                throw new SimClusterException(
                        "this machine cannot give the kubelet cgroups: node=%s: %s; leave out cgroupsPerQOS"
                                .formatted(node, why));
            });
            for (Path root : roots) {
                Files.createDirectories(root.resolve(node));
            }
        } catch (IOException cause) {
            throw new SimClusterException(
                    "cannot make a node's cgroups: node=%s cgroups=%s; check that they are there"
                            .formatted(node, roots),
                    cause);
        }
        return Optional.of("/%s/%s".formatted(name, node));
    }

    /** It writes limits for the page sizes that it sees and, without a static CPU Manager, the CPUs that it sees (so does 1.36.3). */
    private Optional<String> obstacle(NodeSpec spec, Path hardware) throws IOException {
        if (obstacle.isPresent()) {
            return obstacle;
        }
        if (!names(MACHINE.resolve(PAGE_SIZES)).containsAll(names(hardware.resolve(PAGE_SIZES)))) {
            return Optional.of("it lacks page sizes of the node");
        }
        return spec.kubelet().staticCpus() || cpus(MACHINE).containsAll(cpus(hardware))
                ? Optional.empty()
                : Optional.of("it lacks CPUs of the node, which has no static CPU Manager");
    }

    private static CpuSet cpus(Path machine) throws IOException {
        return CpuSet.parse(Files.readString(machine.resolve(ONLINE_CPUS)).strip());
    }

    private static Set<String> names(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return Set.of();
        }
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(each -> each.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    /** Removes them. No kubelet may run any more. */
    @Override
    public void close() {
        removal.ifPresent(process -> {
            try {
                process.getOutputStream().close();
                process.waitFor(REMOVAL_SECONDS, TimeUnit.SECONDS);
            } catch (IOException cause) {
                throw new SimClusterException("cannot remove cgroups: cgroups=%s; remove them".formatted(roots), cause);
            } catch (InterruptedException left) {
                Thread.currentThread().interrupt();
            }
        });
    }
}

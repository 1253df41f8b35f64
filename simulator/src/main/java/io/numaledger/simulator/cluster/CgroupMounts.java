package io.numaledger.simulator.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Where this machine's cgroups are mounted.
 *
 * @param all each hierarchy
 * @param unified the only one, on a machine with version 2 of cgroups
 * @param controllers those of version 1
 */
record CgroupMounts(List<Path> all, Optional<Path> unified, Set<String> controllers) {

    static final Path TABLE = Path.of("/proc/self/mountinfo");

    private static final String PLACE = "/sys/fs/cgroup";

    CgroupMounts {
        all = List.copyOf(all);
        controllers = Set.copyOf(controllers);
    }

    /** A hierarchy of which only a part is mounted is left out: the kubelet would not find its own cgroups. */
    static CgroupMounts parse(List<String> mountinfo) {
        List<Path> all = new ArrayList<>();
        Optional<Path> unified = Optional.empty();
        Set<String> controllers = new HashSet<>();
        for (String line : mountinfo) {
            String[] parts = line.split(" - ", 2);
            String[] mount = parts[0].split(" ");
            String[] type = parts.length == 2 ? parts[1].split(" ") : new String[0];
            if (mount.length < 5 || type.length < 3 || !type[0].startsWith("cgroup") || !mount[3].equals("/")) {
                continue;
            }
            all.add(Path.of(mount[4]));
            if (type[0].equals("cgroup2") && mount[4].equals(PLACE)) {
                unified = Optional.of(Path.of(mount[4]));
            } else if (type[0].equals("cgroup")) {
                controllers.addAll(List.of(type[2].split(",")));
            }
        }
        return new CgroupMounts(all, unified, controllers);
    }
}

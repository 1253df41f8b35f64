package io.numaledger.simulator.cluster;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class CgroupMountsTest {

    private static CgroupMounts parse(String table) {
        return CgroupMounts.parse(table.lines().toList());
    }

    @Test
    void readsTheHierarchiesOfVersion1() {
        CgroupMounts mounts = parse("""
                23 1 254:0 / / rw,relatime - ext4 /dev/root rw
                31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
                32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct
                37 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd
                41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
                """);

        assertThat(mounts.all())
                .extracting(Path::toString)
                .containsExactly("/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified");
        assertThat(mounts.unified()).isEmpty();
        assertThat(mounts.controllers()).contains("cpu", "cpuacct").doesNotContain("memory");
    }

    @Test
    void readsTheOneHierarchyOfVersion2() {
        CgroupMounts mounts = parse("29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");

        assertThat(mounts.unified()).contains(Path.of("/sys/fs/cgroup"));
        assertThat(mounts.all()).containsExactly(Path.of("/sys/fs/cgroup"));
    }

    @Test
    void leavesOutAHierarchyThatIsMountedInPart() {
        CgroupMounts mounts = parse("""
                32 31 0:29 /docker/1f /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu
                """);

        assertThat(mounts).isEqualTo(CgroupMounts.parse(List.of()));
    }
}

package io.numaledger.agent.sysfs;

import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

import static org.assertj.core.api.Assertions.assertThat;

class SysfsProbeTest {

    @TempDir
    Path directory;

    private SysfsTree tree;

    @BeforeEach
    void makeTree() {
        tree = new SysfsTree(directory);
    }

    @Test
    void readsAWholeMachineWithoutAWarning() {
        ProbeResult result = tree.twoNodes().probe();

        MachineTopology machine = result.topology();
        assertThat(result.warnings()).isEmpty();
        assertThat(machine.onlineCpus()).hasToString("0-7");
        NumaNode first = machine.numaNodes().get(0);
        assertThat(first.cpus()).hasToString("0-3");
        assertThat(first.memoryBytes()).hasValue(8L << 30);
        assertThat(first.hugepages()).containsExactly(Map.entry(2L << 20, 512L));
        assertThat(first.distances()).containsExactly(Map.entry(0, 10), Map.entry(1, 21));
        assertThat(machine.cpus()).hasSize(8);
        assertThat(machine.cpus().get(7)).isEqualTo(new LogicalCpu(7, OptionalInt.of(1), 5, OptionalInt.of(4)));
    }

    @Test
    void knowsTheMemoryOfANodeWithoutADirectoryOfHugepages() {
        ProbeResult result = tree.twoNodes().probe();

        NumaNode second = result.topology().numaNodes().get(1);
        assertThat(second.memoryBytes()).hasValue(4L << 30);
        assertThat(second.hugepages()).isEmpty();
        assertThat(result.warnings()).isEmpty();
    }

    @Test
    void takesTheKernelsCacheIdsWhereEveryCacheHasItsOwn() {
        tree.twoNodes().file("cpu/cpu0/cache/index3/id", "1\n").file("cpu/cpu4/cache/index3/id", "9\n");

        assertThat(tree.probe().topology().cpus())
                .extracting(LogicalCpu::l3Cache)
                .containsOnly(OptionalInt.of(1), OptionalInt.of(9));
    }

    @Test
    void numbersCachesByTheirLowestCpuWhereIdsRepeat() {
        tree.twoNodes().file("cpu/cpu0/cache/index3/id", "0\n").file("cpu/cpu4/cache/index3/id", "0\n");

        assertThat(tree.probe().topology().cpus())
                .extracting(LogicalCpu::l3Cache)
                .containsOnly(OptionalInt.of(0), OptionalInt.of(4));
    }

    @Test
    void knowsNoCacheWhereTheHighestLevelIsTwo() {
        tree.file("cpu/online", "0\n")
                .node(0, "0", 4, "10")
                .cpu(0, "0", 0)
                .cache(0, 0, 1, "0")
                .cache(0, 1, 2, "0");

        assertThat(tree.probe().topology().cpus())
                .containsExactly(new LogicalCpu(0, OptionalInt.of(0), 0, OptionalInt.empty()));
    }

    @Test
    void takesOfflineCpusOutOfANodeThatListsThem() {
        tree.file("cpu/online", "0,2-3\n").node(0, "0-3", 4, "10");
        tree.cpu(0, "0-1", 0).cpu(2, "2-3", 0).cpu(3, "2-3", 0);

        MachineTopology machine = tree.probe().topology();
        assertThat(machine.numaNodes().get(0).cpus()).hasToString("0,2-3");
        assertThat(machine.cpus()).extracting(LogicalCpu::core).containsExactly(0, 2, 2);
    }

    @Test
    void readsTheOnlineFlagOfEachCpuWhereThereIsNoList() {
        tree.node(0, "0-2", 4, "10").cpu(0, "0", 0).cpu(2, "2", 0);
        tree.file("cpu/cpu1/online", "0\n").file("cpu/cpu2/online", "1\n");

        assertThat(tree.probe().topology().onlineCpus()).hasToString("0,2");
        assertThat(tree.probe().warnings()).isEmpty();
    }

    @Test
    void readsTheMaskWhereThereIsNoList() {
        tree.file("cpu/online", "0-35\n").file("node/node0/cpumap", "00000003,0000ffff\n\0");

        assertThat(tree.probe().topology().numaNodes().get(0).cpus()).hasToString("0-15,32-33");
    }

    @Test
    void readsTheCpuLinksWhereThereIsNeitherListNorMask() {
        tree.file("cpu/online", "0-3\n").directory("node/node0/cpu0").directory("node/node0/cpu2");

        assertThat(tree.probe().topology().numaNodes().get(0).cpus()).hasToString("0,2");
    }

    @Test
    void pairsDistancesWithRealIds() {
        tree.file("cpu/online", "0\n").file("node/online", "0,8,250\n");
        tree.node(0, "0", 4, "10 40 80").node(8, "", 4, " 40 10 80").node(250, "", 4, "80 80 10");

        assertThat(tree.probe().topology().numaNode(250).orElseThrow().distances())
                .containsExactly(Map.entry(0, 80), Map.entry(8, 80), Map.entry(250, 10));
    }

    @Test
    void leavesOutDistancesThatDoNotFitTheOnlineNodes() {
        tree.twoNodes().file("node/node1/distance", "21\n");

        ProbeResult result = tree.probe();
        assertThat(result.topology().numaNode(0).orElseThrow().distances()).hasSize(2);
        assertThat(result.topology().numaNode(1).orElseThrow().distances()).isEmpty();
        assertThat(result.warnings())
                .containsExactly(
                        "cannot use a file: path=%s: a distance for each online NUMA node is expected: numbers=1 numaNodes=0,1; the probe continues without it; check that file on the host"
                                .formatted(tree.path("node/node1/distance")));
    }

    @Test
    void leavesOutAnOnlineNodeWithoutADirectory() {
        tree.file("cpu/online", "0\n")
                .file("node/online", "0-1\n")
                .node(0, "0", 4, "10 21")
                .cpu(0, "0", 0);

        ProbeResult result = tree.probe();
        assertThat(result.topology().numaNodes()).hasSize(1);
        assertThat(result.topology().numaNodes().get(0).distances()).containsExactly(Map.entry(0, 10));
        assertThat(result.warnings())
                .containsExactly(
                        "left out NUMA nodes that are online and have no directory: path=%s numaNodes=1; look whether the sysfs root shows the whole of the host's /sys"
                                .formatted(tree.path("node/online")));
    }

    @Test
    void leavesOutNodesWhoseIdNoKernelGives() {
        tree.twoNodes().node(-1, "0-3", 4, "10 21").file("node/node01/cpulist", "0-3\n");

        ProbeResult result = tree.probe();
        assertThat(result.topology().numaNodes()).extracting(NumaNode::id).containsExactly(0, 1);
        assertThat(result.warnings()).containsExactly(malformedNode("node-1"), malformedNode("node01"));
    }

    private String malformedNode(String name) {
        return "left out a NUMA node: path=%s is not a name that a kernel gives (a number of 0 or more, without leading zeros, each once); correct the tree that the sysfs root points at"
                .formatted(tree.path("node/" + name));
    }

    @Test
    void countsACpuOnceThatTwoNodesClaim() {
        tree.twoNodes().file("node/node1/cpulist", "2-7\n").directory("cpu/cpu3/node1");

        ProbeResult result = tree.probe();
        assertThat(result.topology().numaNode(0).orElseThrow().cpus()).hasToString("0-2");
        assertThat(result.topology().numaNode(1).orElseThrow().cpus()).hasToString("3-7");
        assertThat(result.warnings())
                .containsExactly(
                        "several NUMA nodes claim the same CPUs: cpus=2-3 numaNodes=0,1; each is counted once, at the node that cpuN/nodeM links to, else at the lowest; ask the vendor for a firmware whose tables are right");
    }

    @Test
    void takesTheMaskWhereTheListIsJunk() {
        tree.twoNodes().file("node/node1/cpulist", "4-x\n").file("node/node1/cpumap", "f0\n");

        ProbeResult result = tree.probe();
        assertThat(result.topology().numaNode(1).orElseThrow().cpus()).hasToString("4-7");
        assertThat(result.warnings())
                .containsExactly(
                        "cannot use a file: path=%s: not a CPU list: part='4-x'; expected ids and ranges such as 0-3,8 or 0-63:2/4; the probe continues without it; check that file on the host"
                                .formatted(tree.path("node/node1/cpulist")));
    }

    @Test
    void goesOnWithTheRestWhenFilesCannotBeRead() {
        tree.twoNodes().node(2, "", 4, "10 10 10").directory("node/node2/hugepages/hugepages-2048kB/nr_hugepages");
        tree.file("node/online", "0-2").file("node/node0/distance", "10 21 21").file("node/node1/distance", "21 10 21");

        ProbeResult result = tree.probe();
        assertThat(result.topology().numaNode(2).orElseThrow().memoryBytes()).hasValue(4096);
        assertThat(result.topology().numaNode(2).orElseThrow().hugepages()).isEmpty();
        assertThat(result.warnings())
                .containsExactly(
                        "cannot read a file: path=%s (Is a directory); the probe continues without it; check that sysfs is mounted and that the agent's user may read it"
                                .formatted(tree.path("node/node2/hugepages/hugepages-2048kB/nr_hugepages")));
    }

    @Test
    void leavesOutWhatTruncatedFilesDoNotTell() {
        tree.twoNodes().file("node/node0/meminfo", "").file("node/node0/hugepages/hugepages-2048kB/nr_hugepages", "");
        tree.file("node/node0/distance", "").file("cpu/online", "").file("cpu/cpu0/topology/physical_package_id", "");

        ProbeResult result = tree.probe();
        NumaNode node = result.topology().numaNode(0).orElseThrow();
        assertThat(node.memoryBytes()).isEmpty();
        assertThat(node.hugepages()).isEmpty();
        assertThat(node.distances()).isEmpty();
        assertThat(node.cpus()).hasToString("0-3");
        assertThat(result.topology().cpus().get(0).socket()).isEmpty();
        assertThat(result.topology().cpus().get(1).socket()).hasValue(0);
        assertThat(result.warnings()).hasSize(5).allMatch(warning -> warning.startsWith("cannot use a file: path="));
        assertThat(result.warnings().get(0)).contains("cpu/online: it names no CPU;");
    }

    @Test
    void worksOnAThinTreeOfCpuListsAlone() {
        tree.file("node/node0/cpulist", "0-3").file("node/node1/cpulist", "4-7");

        ProbeResult result = tree.probe();
        assertThat(result.topology().onlineCpus()).hasToString("0-7");
        assertThat(result.topology().numaNodes()).hasSize(2).allSatisfy(node -> {
            assertThat(node.cpus().size()).isEqualTo(4);
            assertThat(node.memoryBytes()).isEmpty();
            assertThat(node.distances()).isEmpty();
        });
        assertThat(result.topology().cpus()).isEmpty();
        assertThat(result.warnings())
                .containsExactly(
                        "which CPUs are online is not known: path=%s holds neither a list nor CPU directories; all CPUs of the NUMA nodes are taken as online: cpus=0-7; mount the host's whole sysfs"
                                .formatted(tree.path("cpu")),
                        "cores and sockets are not known: cpus=0-7 have no usable topology directory below path=%s; what depends on cores is left out; mount the host's whole sysfs"
                                .formatted(tree.path("cpu")),
                        "memory of NUMA nodes not known: numaNodes=0,1 have no meminfo below path=%s; it is left out; mount the host's whole sysfs"
                                .formatted(tree.path("node")),
                        "distances of NUMA nodes not known: numaNodes=0,1 have no distance below path=%s; they are left out; mount the host's whole sysfs"
                                .formatted(tree.path("node")));
    }

    @Test
    void showsANodeThatDoesNotTellItsCpus() {
        tree.file("cpu/online", "0\n").cpu(0, "0", 0).file("node/node0/meminfo", "Node 0 MemTotal: 4 kB\n");
        tree.file("node/node0/distance", "10\n");

        ProbeResult result = tree.probe();
        assertThat(result.topology().numaNodes().get(0).cpus().isEmpty()).isTrue();
        assertThat(result.warnings())
                .containsExactly(
                        "CPUs of NUMA nodes not known: numaNodes=0 have no cpulist or cpumap below path=%s; they are shown without CPUs; mount the host's whole sysfs"
                                .formatted(tree.path("node")));
    }

    @Test
    void callsAMachineOfOnePackageWithoutNumaNodeZero() {
        tree.file("cpu/online", "0-1\n").cpu(0, "0", 3).cpu(1, "1", 3);
        tree.procFile("meminfo", "MemTotal:  280840 kB\n");

        ProbeResult result = tree.probe();
        assertThat(result.warnings()).isEmpty();
        assertThat(result.topology().numaNodes()).singleElement().satisfies(node -> {
            assertThat(node.id()).isZero();
            assertThat(node.cpus()).hasToString("0-1");
            assertThat(node.memoryBytes()).hasValue(287580160);
        });
    }

    @Test
    void countsANodeForEachPackageOfAMachineWithoutNuma() {
        tree.file("cpu/online", "0-1\n").cpu(0, "0", 0).cpu(1, "1", 3);
        tree.procFile("meminfo", "MemTotal:  280840 kB\n");

        ProbeResult result = tree.probe();
        assertThat(result.topology().numaNodes()).extracting(NumaNode::id).containsExactly(0, 3);
        assertThat(result.topology().numaNodes())
                .allMatch(node -> node.memoryBytes().isEmpty());
        assertThat(result.warnings())
                .containsExactly(
                        "memory of NUMA nodes not known: path=%s has no NUMA nodes, so each physical package counts as one: numaNodes=0,3; boot a kernel with NUMA support to have zones with memory"
                                .formatted(tree.sysfsRoot()));
    }

    @Test
    void saysThatTheMemoryOfAMachineWithoutNumaIsNotKnown() {
        tree.file("cpu/online", "0\n").cpu(0, "0", 0).procFile("version", "");

        assertThat(tree.probe().warnings())
                .containsExactly(
                        "the machine's memory is not known: path=%s tells none; it is left out; point --proc-root at the host's procfs"
                                .formatted(directory.resolve("proc/meminfo")));
    }

    @Test
    void findsNothingInAnEmptyTree() {
        ProbeResult result = tree.probe();

        assertThat(result.topology().numaNodes()).isEmpty();
        assertThat(result.warnings())
                .containsExactly(
                        "found no online CPU: path=%s holds neither a list nor CPU directories, and no NUMA node names one; point --sysfs-root at the mount of the host's sysfs"
                                .formatted(tree.path("cpu")));
    }

    @Test
    void findsCoresByTheirIdsWhereThereAreNoSiblingLists() {
        tree.file("cpu/online", "0-3\n").node(0, "0-3", 4, "10");
        for (int cpu = 0; cpu < 4; cpu++) {
            tree.file("cpu/cpu%d/topology/core_id".formatted(cpu), cpu % 2 + "\n");
            tree.file("cpu/cpu%d/topology/physical_package_id".formatted(cpu), "-1\n");
        }

        MachineTopology machine = tree.probe().topology();
        assertThat(machine.cpus()).extracting(LogicalCpu::core).containsExactly(0, 1, 0, 1);
        assertThat(machine.cpus()).allMatch(cpu -> cpu.socket().isEmpty());
    }

    @Test
    void countsSiblingsOfDifferentCoreIdsAsCores() {
        tree.file("cpu/online", "0-3\n").node(0, "0-3", 4, "10");
        for (int cpu = 0; cpu < 4; cpu++) {
            tree.cpu(cpu, cpu / 2 * 2 + "-" + (cpu / 2 * 2 + 1), 0);
            tree.file("cpu/cpu%d/topology/core_id".formatted(cpu), cpu + "\n");
        }

        assertThat(tree.probe().topology().coreCount()).isEqualTo(4);
    }

    @Test
    void takesACpuAsOnlineWhoseFlagIsUnclear() {
        tree.node(0, "0-1", 4, "10").cpu(0, "0", 0).cpu(1, "1", 0).file("cpu/cpu1/online", "");

        ProbeResult result = tree.probe();
        assertThat(result.topology().onlineCpus()).hasToString("0-1");
        assertThat(result.warnings())
                .containsExactly(
                        "it is unknown whether CPUs are online: cpus=1 path=%s holds neither 0 nor 1; they are taken as online; compare with `lscpu -e`"
                                .formatted(tree.path("cpu/cpuN/online")));
    }

    @Test
    void readsNoMoreCpusThanLinuxSupports() {
        tree.file("cpu/online", "0-10000\n").node(0, "0-10000", 8 << 20, "10");

        ProbeResult result = tree.probe();

        assertThat(result.topology().onlineCpus()).isEqualTo(CpuSet.EMPTY);
        assertThat(result.warnings())
                .anyMatch(warning -> warning.contains("more CPUs than Linux supports: count=10001"));
    }

    @Test
    void goesOnWithTheRestWhereLinksGoRound() throws IOException {
        tree.twoNodes();
        for (String path : List.of("node/node1/cpulist", "node/node1/meminfo", "cpu/cpu0/topology")) {
            Path link = tree.path(path);
            if (Files.isDirectory(link)) {
                Files.move(link, link.resolveSibling("moved"));
            } else {
                Files.delete(link);
            }
            Files.createSymbolicLink(link, link);
        }

        ProbeResult result = tree.probe();

        assertThat(result.topology().numaNode(0)).isPresent();
        assertThat(result.warnings()).anyMatch(warning -> warning.contains("Too many levels of symbolic links"));
    }

    @Test
    void keepsAWarningOnOneLine() {
        tree.twoNodes().file("node/node0/hugepages/hugepages-2048kB/nr_hugepages", "1\n2\u001b");

        assertThat(tree.probe().warnings()).singleElement().asString().contains("text='1?2?';");
    }
}

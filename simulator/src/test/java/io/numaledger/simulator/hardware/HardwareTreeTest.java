package io.numaledger.simulator.hardware;

import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** Two sockets of different size, the second with a memory-only NUMA node; ids are sparse. */
class HardwareTreeTest {

    private static final NodeSpec NODE = NodeSpecYaml.parse("""
                    nodes:
                    - name: odd
                      numaNodes:
                      - {id: 0, socket: 0, cores: 2, threadsPerCore: 2, memory: 4Gi, hugepages: {2Mi: 16}}
                      - {id: 2, socket: 1, cores: 3, threadsPerCore: 2, memory: 8Gi, hugepages: {2Mi: 8, 1Gi: 1}}
                      - {id: 5, socket: 1, cores: 0, memory: 2Gi}
                    """).get(0);

    @TempDir
    private Path root;

    @BeforeEach
    void write() {
        HardwareTree.write(NODE, root);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', emptyValue = "", textBlock = """
            sys/devices/system/node/online                          | 0,2,5
            sys/devices/system/node/has_cpu                         | 0,2
            sys/devices/system/node/node0/cpulist                   | 0-1,5-6
            sys/devices/system/node/node2/cpulist                   | 2-4,7-9
            sys/devices/system/node/node5/cpulist                   | ''
            sys/devices/system/node/node2/distance                  | 21 10 12
            sys/devices/system/node/node2/hugepages/hugepages-2048kB/nr_hugepages    | 8
            sys/devices/system/node/node2/hugepages/hugepages-1048576kB/free_hugepages | 1
            sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages   | 24
            sys/devices/system/cpu/online                           | 0-9
            sys/devices/system/cpu/cpu7/topology/core_id            | 0
            sys/devices/system/cpu/cpu9/topology/core_id            | 2
            sys/devices/system/cpu/cpu9/topology/physical_package_id | 1
            sys/devices/system/cpu/cpu9/topology/thread_siblings_list | 4,9
            sys/devices/system/cpu/cpu9/topology/thread_siblings    | 00000210
            sys/devices/system/cpu/cpu9/cache/index3/shared_cpu_list | 2-4,7-9
            sys/devices/system/cpu/cpu9/cache/index2/shared_cpu_list | 4,9
            """)
    void showsWhatTheKernelWouldShow(String file, String line) throws IOException {
        assertThat(Files.readString(root.resolve(file))).isEqualTo(line + "\n");
    }

    @Test
    void linksCpusAndNumaNodesBothWays() {
        assertThat(root.resolve("sys/devices/system/node/node2/cpu9/topology")).isDirectory();
        assertThat(root.resolve("sys/devices/system/cpu/cpu9/node2/cpulist")).isRegularFile();
        assertThat(root.resolve("sys/bus/node/devices/node5/meminfo")).isRegularFile();
    }

    @Test
    void sumsTheMemoryOfTheMachine() throws IOException {
        assertThat(Files.readString(root.resolve("proc/meminfo"))).contains("MemTotal:       14680064 kB\n");
        assertThat(Files.readString(root.resolve("sys/devices/system/node/node0/meminfo")))
                .contains("Node 0 MemTotal:       4194304 kB\n")
                .contains("Node 0 MemFree:        4161536 kB\n");
    }

    @Test
    void describesEveryCpuInCpuinfo() throws IOException {
        String[] cpus = Files.readString(root.resolve("proc/cpuinfo")).split("\n\n");

        assertThat(cpus).hasSize(10);
        assertThat(cpus[9])
                .contains("processor\t: 9", "physical id\t: 1", "siblings\t: 6", "core id\t\t: 2", "cpu cores\t: 3");
    }

    @Test
    void writesMoreThan32CpusAsGroupsOfAMask() {
        assertThat(SysfsFile.mask(CpuSet.parse("0-3,32"))).isEqualTo("00000001,0000000f");
    }

    @Test
    void canBeWrittenTwice() {
        HardwareTree.write(NODE, root);

        assertThat(root.resolve("sys/bus/node/devices/node0/cpulist")).isRegularFile();
    }
}
